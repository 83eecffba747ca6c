"""Trains the voice model: from the files of a list to model.onnx, with its figures.

    python3 -m voice.main --list DATA/voice.tsv --files DIR --samples DIR --out DIR

Writes OUT/model.onnx, OUT/calibration.json (points and band from the dev clips, clean and through codecs) and
OUT/figures.json (dev, and test measured once).
"""

import argparse
import json
import os
import time

import numpy as np
import torch

from . import augment, calibrate, codecs, data, export, fit, score

SEED = 20261101
DRAW = 1  # seed of the windows
WINDOWS = 12288  # drawn for training, some six of each clip


def speed(net):
    """Seconds of one processor core for each second of sound."""
    wave = torch.zeros(4, augment.WINDOW)
    with torch.no_grad():
        net(wave)
        began = time.process_time()
        net(wave)
    return (time.process_time() - began) / (4 * augment.WINDOW / data.RATE)


def verdicts(records, pairs, edges):
    """How often the lane says what, in all and for each repository and generator, of clips as they are and of degraded ones."""
    told = {}
    for r in records:
        kind = "clean" if r["kind"] == "clean" else "degraded"
        for name in ("all", f"{r['repo']}: {r['generator_or_source']}"):
            count = told.setdefault(f"{r['label']} {kind}", {}).setdefault(name, {"ai": 0, "real": 0, "uncertain": 0})
            count[calibrate.verdict(pairs, edges, r["raw"])] += 1
    return told


def by_source(records):
    """For each generator the AUC against all real clips; for each real source against all synthetic ones."""
    real, ai = score.split(records)
    out = {}
    for key in sorted({(r["label"], r["repo"], r["generator_or_source"]) for r in records}):
        own = np.sort([r["raw"] for r in records if (r["label"], r["repo"], r["generator_or_source"]) == key])
        value = score.auc(real, own) if key[0] == "ai" else score.auc(own, ai)
        out[" | ".join(key)] = {"clips": len(own), "auc": round(value, 3), "median": round(float(np.median(own)), 2)}
    return out


def figures(records):
    """Figures of clips as they are and after each codec, and by source of those as they are."""
    kinds = {kind: [r for r in records if r["kind"] == kind] for kind in ("clean", *codecs.NAMES)}
    return {kind: score.summary(part) for kind, part in kinds.items() if part} | {"by_source": by_source(kinds["clean"])}


def write(name, value):
    with open(name, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1)
        f.write("\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", required=True)
    p.add_argument("--files", required=True, help="files of the list, named by their SHA-256")
    p.add_argument("--samples", required=True, help="folder for decoded clips")
    p.add_argument("--out", required=True)
    p.add_argument("--windows", type=int, default=WINDOWS)
    o = p.parse_args()
    data.prepare(o.list, o.files, o.samples)
    found = {split: data.clips(o.list, o.samples, split) for split in ("train", "dev", "test")}
    for split in ("dev", "test"):
        codecs.precompute(found[split], o.samples)
    heard = fit.hear_all(found["train"], DRAW, o.windows)
    net = fit.train(heard, SEED)
    report(net, found, o.samples, o.out)


def report(net, found, samples, out):
    """Calibrates on dev, measures on test, and writes the model with both."""
    os.makedirs(out, exist_ok=True)
    net.eval()
    dev, test = (score.table(net, found[split], samples) for split in ("dev", "test"))
    pairs = calibrate.points(dev)
    # No recording of dev may lie above: of some 300 that is what 1 % with 95 % confidence takes.
    edges = calibrate.band(dev, pairs, rate=0)
    write(os.path.join(out, "calibration.json"), {"points": pairs, "band": edges})
    told = {"dev": figures(dev), "test": figures(test), "real_time": round(speed(net), 4)}
    told["dev"]["verdicts"], told["test"]["verdicts"] = verdicts(dev, pairs, edges), verdicts(test, pairs, edges)
    write(os.path.join(out, "figures.json"), told)
    export.export(net, os.path.join(out, "model.onnx"))


if __name__ == "__main__":
    main()
