"""Measures what a journey's format, size and quality tell of the class: boosted trees on them alone, whole repositories
left out in turn. 0.5 is the aim.

    chance.py --list DATA/images.tsv --files DIR [--rows 1500]
"""
import argparse
import multiprocessing

import numpy as np

from folds import left_out_auc
from journey import open_rgb, seeded, travel
from prepare import file_of, rows_of

KINDS = {"PNG": 0, "JPEG": 1, "WEBP": 2}


def described(path, key):
    """Of the file as it lies in the corpus, of one journey's end, and how much the journey scaled: size, kind, quality, subsampling."""
    rng = seeded(key, "chance")
    facts = {"kind": "PNG", "quality": 100, "subsampling": 0}
    image, lossy = open_rgb(path)
    before = [image.width, image.height, image.width / image.height, int(lossy)]
    travel(image, lossy, rng, facts)
    after = [facts["width"], facts["height"], KINDS[facts["kind"]], facts["quality"], facts["subsampling"]]
    return before, after, [facts["factor"]]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", required=True)
    p.add_argument("--files", required=True)
    p.add_argument("--rows", type=int, default=1500)
    o = p.parse_args()
    rows = [r for r in rows_of(o.list, "train") if r["label"] != "other" and file_of(o.files, r)]
    seeded("chance").shuffle(rows)
    rows = rows[:o.rows]
    with multiprocessing.Pool() as pool:
        told = pool.starmap(described, [(file_of(o.files, r), r["sha256"]) for r in rows], chunksize=8)
    labels, groups = np.array([int(r["label"] == "ai") for r in rows]), [r["repo"] for r in rows]
    for at, what in enumerate((
        "size and kind of the files as they were found", "size, format, quality and subsampling after a journey", "how much a journey scales",
    )):
        print(f"{what}: AUC {left_out_auc(np.array([t[at] for t in told]), labels, groups):.3f}")


if __name__ == "__main__":
    main()
