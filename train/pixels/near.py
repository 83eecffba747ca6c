"""Finds rows whose picture is nearly that of an earlier row, and writes a list without them.

    near.py --list DATA/images.tsv --more NEW.tsv... --files DIR --out LIST

A picture is reduced to 64 bits: the signs of the 8 x 8 lowest cosine coefficients of a grey version of 32 x 32, against their median.
Pictures within 4 bits of one another are taken for the same. Rows of --list are kept, but for those of `train` that are
nearly one of `dev` or `test`; rows of --more are dropped if nearly any row before them, or if their file is missing.
"""
import argparse
import csv
import multiprocessing

import numpy as np
from PIL import Image
from scipy.fft import dctn

from journey import open_rgb
from prepare import file_of

NEAR = 4  # bits
COLUMNS = ("split", "label", "generator_or_source", "repo", "commit", "path", "bytes", "sha256", "licence")


def bits(path):
    """The 64 bits of a picture, or None where it cannot be opened."""
    try:
        image, _ = open_rgb(path)
    except Exception:
        return None
    low = dctn(np.asarray(image.convert("L").resize((32, 32), Image.LANCZOS), np.float32))[:8, :8].ravel()
    return np.packbits(low > np.median(low)).view(np.uint64)[0]


def read(name):
    with open(name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def distances(one, others):
    return np.unpackbits((np.array(others, np.uint64) ^ one).view(np.uint8).reshape(len(others), 8), axis=1).sum(1)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", required=True)
    p.add_argument("--more", nargs="*", default=[])
    p.add_argument("--files", required=True)
    p.add_argument("--out", required=True)
    o = p.parse_args()
    old = read(o.list)
    rows = sorted(old, key=lambda r: r["split"] == "train") + [r for name in o.more for r in read(name)]
    with multiprocessing.Pool() as pool:
        hashes = pool.map(bits, [file_of(o.files, r) or "" for r in rows], chunksize=16)
    kept, seen, apart = [], [], []
    for at, (row, own) in enumerate(zip(rows, hashes)):
        new, same = at >= len(old), False
        if own is not None and seen:
            close = np.flatnonzero(distances(own, seen) <= NEAR)
            same = any(new or kept[i]["split"] != row["split"] for i in close)
        if same or (new and own is None):
            apart.append((row, "near" if same else "missing"))
            continue
        kept.append(row)
        seen.append(np.uint64(0) if own is None else own)
    kept.sort(key=lambda r: (r["split"], r["label"], r["repo"], r["path"]))
    with open(o.out, "w", newline="", encoding="utf-8") as f:
        f.write("\t".join(COLUMNS) + "\n")
        f.writelines("\t".join(r[c] for c in COLUMNS) + "\n" for r in kept)
    for row, why in apart:
        print(f"{why}: {row['split']} {row['label']} {row['repo']} {row['path']}")
    print(f"{len(kept)} rows kept, {len(apart)} left out")


if __name__ == "__main__":
    main()
