"""Pictures as frames of videos: what H.264 does to them is what calibrates the lane for videos, of which the lists hold too
few cameras.

    frames.py --list DATA/images.tsv --files DIR --videos DATA/video.tsv --video-files DIR --out DIR --split dev

Writes clips of one frame, scaled and encoded at a rate drawn for each, and OUT/list.tsv, which also has the listed videos.
"""
import argparse
import multiprocessing
import os
import subprocess

from journey import seeded
from prepare import file_of, rows_of

COLUMNS = ("path", "label", "generator_or_source", "repo", "split")


def film(job):
    """One picture as a clip of one frame: a long side of 640 to 1920 pixels at most, constant rate factor 20 to 32."""
    row, path, target = job
    rng = seeded(row["sha256"], "film")
    side, rate = rng.choice((640, 960, 1280, 1920)), rng.randrange(20, 33)
    fit = f"scale='trunc(iw*min(1,{side}/max(iw,ih))/2)*2':'trunc(ih*min(1,{side}/max(iw,ih))/2)*2'"
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-threads", "1", "-i", path, "-frames:v", "1", "-vf", fit,
         "-c:v", "libx264", "-preset", "veryfast", "-threads", "1", "-crf", str(rate), "-pix_fmt", "yuv420p", target],
        capture_output=True, text=True)
    return None if done.returncode == 0 else f"{row['sha256']} ({row['repo']}): {done.stderr.strip()[:200]}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--list", "--files", "--videos", "--video-files", "--out", "--split"):
        p.add_argument(name, required=True)
    o = p.parse_args()
    os.makedirs(o.out, exist_ok=True)
    jobs, lines = [], ["\t".join(COLUMNS)]
    for row in rows_of(o.list, o.split):
        path = file_of(o.files, row)
        if row["label"] != "other" and path:
            jobs.append((row, path, os.path.join(o.out, row["sha256"] + ".mp4")))
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for fault in pool.imap_unordered(film, jobs, chunksize=8):
            if fault:
                print("left out:", fault)
    found = [(row, target) for row, _, target in jobs if os.path.exists(target) and os.path.getsize(target)]
    found += [(row, file_of(o.video_files, row)) for row in rows_of(o.videos, o.split) if file_of(o.video_files, row)]
    for row, path in found:
        lines.append("\t".join([os.path.relpath(path, o.out), row["label"], row["generator_or_source"], row["repo"], row["split"]]))
    with open(os.path.join(o.out, "list.tsv"), "w") as f:
        f.write("\n".join(lines) + "\n")
    print(f"{len(found)} clips")


if __name__ == "__main__":
    main()
