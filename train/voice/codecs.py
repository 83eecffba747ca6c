"""What codecs do to speech, for calibration and tests: clips encoded and decoded, many at a time in one stream."""
import os
import subprocess
import tempfile

import numpy as np

from .data import RATE

GAP = RATE // 2  # samples of silence between clips of one stream, so that no codec smears one into the next

# Name, arguments of the encoder, container, and the rate in Hz that the encoder is fed with.
CODECS = [
    ("mp3-64", "-c:a libmp3lame -b:a 64k", "mp3", 32000),
    ("opus-24", "-c:a libopus -b:a 24k -application voip -compression_level 5", "ogg", 16000),
    ("g711", "-c:a pcm_alaw", "wav", 8000),
]
NAMES = [c[0] for c in CODECS]


def through(sounds, name, scratch):
    """The int16 clips as they come back from a codec."""
    _, encoder, kind, rate = next(c for c in CODECS if c[0] == name)
    whole = np.concatenate([np.concatenate([s, np.zeros(GAP, np.int16)]) for s in sounds])
    # Telephone lines pass 300 to 3400 Hz before the codec.
    band = ["-af", "highpass=f=300,lowpass=f=3400"] if rate == 8000 else []
    raw = ["-f", "s16le", "-ar", str(RATE), "-ac", "1"]
    with tempfile.NamedTemporaryFile(dir=scratch, suffix="." + kind) as f:
        run = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1"]
        subprocess.run([*run, *raw, "-i", "-", *band, "-ar", str(rate), *encoder.split(), f.name], input=whole.tobytes(), check=True)
        back = subprocess.run([*run, "-i", f.name, *raw, "-"], capture_output=True, check=True).stdout
    back = np.frombuffer(back, "<i2")
    at, out = 0, []
    for s in sounds:
        out.append(np.pad(back[at : at + len(s)], (0, max(0, at + len(s) - len(back)))))
        at += len(s) + GAP
    return out


def of(row):
    """The codec that a clip goes through: one of the three, by its hash."""
    return NAMES[int(row["sha256"][:8], 16) % len(NAMES)]


def path(folder, row):
    """Where a clip's samples after its codec lie."""
    return os.path.join(folder, f"{row['sha256']}.{of(row)}.npy")


def precompute(found, folder, longest=12):
    """Writes each clip's first `longest` seconds as they come back from its codec, where that has not been done."""
    os.makedirs(folder, exist_ok=True)
    for name in NAMES:
        todo = [r for r in found if of(r) == name and not os.path.exists(path(folder, r))]
        for i in range(0, len(todo), 50):
            part = todo[i : i + 50]
            for row, sound in zip(part, through([np.asarray(r["sound"][: longest * RATE]) for r in part], name, folder)):
                np.save(path(folder, row), sound)
