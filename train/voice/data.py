"""The labelled clips: from the files of a list to 16 kHz mono samples on disk."""

import csv
import os
import subprocess
import sys
from math import gcd

import numpy as np
import soundfile
from scipy.signal import resample_poly

RATE = 16000  # Hz, of every clip after decoding
LONGEST = 60  # seconds of a clip that are read
SHORTEST = 0.9  # seconds: below, there is no speech to judge
QUIETEST = 1e-3  # of full scale: a clip that stays below holds nothing


def rows(tsv):
    """The rows of a list as dicts; train/rebuild.py says what the columns are."""
    with open(tsv, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def read(name):
    """A file's sound as float32, mono at RATE; None when nothing here can decode it."""
    try:
        sound, rate = soundfile.read(name, dtype="float32", always_2d=True)
        sound = sound.mean(1)
    except (soundfile.LibsndfileError, RuntimeError):
        out = subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-i", name, "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"],
            capture_output=True,
            check=False,
        )
        sound, rate = np.frombuffer(out.stdout, "<f4"), RATE
    if len(sound) == 0 or not np.isfinite(sound).all():
        return None
    if rate != RATE:
        common = gcd(rate, RATE)
        sound = resample_poly(sound, RATE // common, rate // common)
    return np.asarray(sound[: RATE * LONGEST], dtype=np.float32)


def prepare(tsv, files, out):
    """Writes the samples of each row's file, FILES/SHA256.EXT, to OUT/SHA256.npy (int16). What lacks is named on stderr."""
    os.makedirs(out, exist_ok=True)
    for row in rows(tsv):
        target = os.path.join(out, row["sha256"] + ".npy")
        if os.path.exists(target):
            continue
        name = os.path.join(files, row["sha256"] + os.path.splitext(row["path"])[1].lower())
        sound = read(name) if os.path.exists(name) else None
        if sound is None or len(sound) < SHORTEST * RATE or np.abs(sound).max() < QUIETEST:
            print(f"left out: {row['repo']}: {row['path']}", file=sys.stderr)
            continue
        # A codec may leave more than full scale, which 16 bits cannot hold.
        peak = max(1.0, float(np.abs(sound).max()))
        np.save(target, (sound / peak * 32767).astype(np.int16))


def clips(tsv, folder, split):
    """The rows of one split whose samples are in folder, each with those as row["sound"] (int16)."""
    found = []
    for row in rows(tsv):
        name = os.path.join(folder, row["sha256"] + ".npy")
        if row["split"] == split and os.path.exists(name):
            found.append(dict(row, sound=np.load(name, mmap_mode="r")))
    return found
