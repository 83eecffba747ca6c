"""Writes model.json beside a model.onnx, but for its calibration, which `veracity model test --write` adds.

    describe.py FOLDER --lane pixels --list DATA/images.tsv --version 2026.11.1
"""
import argparse
import hashlib
import json
import os
import subprocess

SEED = 20261101

LANES = {
    "pixels": {
        "input": {"name": "patches", "layout": "nchw", "width": 96, "height": 96, "mean": [0.5] * 3, "std": [0.5] * 3},
        "crop": {"policy": "patches", "count": 24},
        "output": {"name": "logits", "kind": "logits", "ai": 1, "other": 2},
    },
    "voice": {
        "input": {"name": "waveform", "layout": "nt", "samples": 64000, "rate": 16000},
        "crop": {},
        "output": {"name": "logit", "kind": "logit"},
    },
}


def sha256(name):
    with open(name, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--lane", required=True, choices=LANES)
    p.add_argument("--list", required=True)
    p.add_argument("--version", required=True)
    p.add_argument("--licence", default="Apache-2.0")
    o = p.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=here, check=True, capture_output=True, text=True).stdout.strip()
    spec = {
        "format": 1, "lane": o.lane, "name": f"veracity-{o.lane}", "version": o.version, "licence": o.licence,
        "sha256": sha256(os.path.join(o.folder, "model.onnx")), **LANES[o.lane], "profiles": {},
        "training": {
            "commit": commit, "list": "train/data/" + os.path.basename(o.list), "list_sha256": sha256(o.list), "seed": SEED,
        },
    }
    with open(os.path.join(o.folder, "model.json"), "w") as f:
        json.dump(spec, f, indent=2)
        f.write("\n")


if __name__ == "__main__":
    main()
