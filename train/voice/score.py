"""Scores of whole clips, and how good they are."""
import collections

import numpy as np
import torch

from . import augment, codecs

def rows_of(net, sound):
    """The log-odds of each window of a clip in which somebody speaks, as package engine/voice asks for them."""
    heard = augment.windows(sound)
    if not heard:
        return []
    with torch.no_grad():
        return net(torch.from_numpy(np.stack(heard)))[:, 0].tolist()


def table(net, found, folder=None):
    """One record for each clip that holds speech, as it is and, with a folder, after its codec: the raw score is the mean."""
    net.eval()
    records = []
    for row in found:
        kinds = {"clean": row["sound"]}
        if folder:
            kinds[codecs.of(row)] = np.load(codecs.path(folder, row), mmap_mode="r")
        for kind, sound in kinds.items():
            odds = rows_of(net, sound)
            if odds:
                kept = {k: row[k] for k in ("label", "generator_or_source", "repo", "sha256")}
                records.append(kept | {"kind": kind, "raw": float(np.mean(odds)), "windows": odds})
    return records


def split(records):
    """The raw scores of what is real, and of what is synthetic, sorted."""
    return tuple(np.sort([r["raw"] for r in records if r["label"] == label]) for label in ("real", "ai"))


def auc(real, ai):
    """The chance that a synthetic clip scores over a real one; ties count half."""
    below = np.searchsorted(real, ai, "left") + np.searchsorted(real, ai, "right")
    return float(below.mean() / 2 / len(real))


def balanced_auc(records):
    """The AUC in which each repository weighs the same on its side, so that no large one decides."""
    groups = collections.defaultdict(list)
    for r in records:
        groups[r["label"], r["repo"]].append(r["raw"])
    real = [np.sort(v) for (label, _), v in groups.items() if label == "real"]
    ai = [np.sort(v) for (label, _), v in groups.items() if label == "ai"]
    return float(np.mean([auc(a, b) for a in real for b in ai]))


def paired_auc(records):
    """The mean AUC within repositories that have both: the same recordings and files, so that only synthesis differs."""
    both = []
    for repo in sorted({r["repo"] for r in records}):
        real, ai = split([r for r in records if r["repo"] == repo])
        if len(real) >= 4 and len(ai) >= 4:
            both.append(auc(real, ai))
    return float(np.mean(both)) if both else float("nan")


def eer(real, ai):
    """The error at the threshold where as many real clips are taken for synthetic as synthetic ones for real."""
    edges = np.sort(np.concatenate([real, ai]))
    false = 1 - np.searchsorted(real, edges, "left") / len(real)
    missed = np.searchsorted(ai, edges, "left") / len(ai)
    at = np.argmin(np.abs(false - missed))
    return float((false[at] + missed[at]) / 2)


def found_at(real, ai, rate):
    """The share of synthetic clips over the threshold that a share `rate` of real clips crosses."""
    return float((ai > np.quantile(real, 1 - rate, method="higher")).mean())


def summary(records):
    """The figures of a set of records."""
    real, ai = split(records)
    return {
        "real": len(real),
        "ai": len(ai),
        "auc": round(auc(real, ai), 3),
        "auc_by_repo": round(balanced_auc(records), 3),
        "auc_in_repo": round(paired_auc(records), 3),
        "eer": round(eer(real, ai), 3),
        "found_at_1": round(found_at(real, ai, 0.01), 3),
        "found_at_5": round(found_at(real, ai, 0.05), 3),
    }
