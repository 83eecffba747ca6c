"""Makes patches of the listed pictures, once: training then reads them as often as it likes.

    prepare.py --list DATA/images.tsv --files DIR --out DIR --split train --journeys 12 --patches 2

Writes OUT/SPLIT/SHA256.npy, uint8 (journeys, patches, side, side, 3). What exists is kept, so that a longer list adds to it.
"""
import argparse
import csv
import glob
import multiprocessing
import os

import numpy as np

from journey import open_rgb, patches, seeded, travel

SIDE = 96


def rows_of(name, split):
    with open(name, newline="") as f:
        return [r for r in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE) if r["split"] == split]


def file_of(folder, row):
    found = glob.glob(os.path.join(folder, row["sha256"] + ".*"))
    return found[0] if found else None


def prepare(job):
    row, path, target, journeys, count = job
    try:
        image, lossy = open_rgb(path)
        made = []
        for n in range(journeys):
            rng = seeded(row["sha256"], n)
            made.append(patches(travel(image, lossy, rng), count, SIDE, rng))
    except Exception as fault:  # A file that cannot be decoded is left out, by name.
        return f"{row['sha256']} ({row['repo']}): {fault}"
    np.save(target + ".part.npy", np.stack(made))
    os.rename(target + ".part.npy", target)
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", required=True)
    p.add_argument("--files", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--split", required=True)
    p.add_argument("--journeys", type=int, default=12)
    p.add_argument("--patches", type=int, default=2)
    p.add_argument("--workers", type=int, default=os.cpu_count())
    o = p.parse_args()
    folder = os.path.join(o.out, o.split)
    os.makedirs(folder, exist_ok=True)
    jobs, missing = [], 0
    for row in rows_of(o.list, o.split):
        target = os.path.join(folder, row["sha256"] + ".npy")
        if os.path.exists(target):
            continue
        path = file_of(o.files, row)
        if not path:
            missing += 1
            continue
        jobs.append((row, path, target, o.journeys, o.patches))
    with multiprocessing.Pool(o.workers) as pool:
        for fault in pool.imap_unordered(prepare, jobs, chunksize=4):
            if fault:
                print("left out:", fault)
    print(f"{len(jobs)} pictures prepared, {missing} files missing")


if __name__ == "__main__":
    main()
