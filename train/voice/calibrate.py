"""From raw scores to probabilities, and the band in which the lane abstains.

`veracity model test --write` does the same through the engine itself; this is for scores that training has at hand.
"""

import collections

import numpy as np
from sklearn.isotonic import IsotonicRegression

FACTOR = 3  # a single source may have so many times the rate of wrong answers


def weights(records):
    """Both classes weigh the same, and in each class every repository by the root of its size."""
    sizes = collections.Counter((r["label"], r["repo"]) for r in records)
    w = np.array([sizes[r["label"], r["repo"]] ** -0.5 for r in records])
    ai = np.array([r["label"] == "ai" for r in records])
    return np.where(ai, w / w[ai].sum(), w / w[~ai].sum()), ai


def points(records, parts=(0, 0.02, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.96, 0.985, 1)):
    """[raw, probability] pairs, both rising: isotonic, read in parts that are finer at the ends, where the band lies.

    Each part has a prior of half a case either way, so that no end promises certainty.
    """
    w, ai = weights(records)
    raw = np.array([r["raw"] for r in records])
    fitted = IsotonicRegression(out_of_bounds="clip").fit(raw, ai, w).predict(raw)
    order = np.argsort(raw)
    found = []
    for low, high in zip(parts[:-1], parts[1:]):
        part = order[int(low * len(raw)) : int(high * len(raw))]
        x, y = float(raw[part].mean()), float((fitted[part].mean() * len(part) + 0.5) / (len(part) + 1))
        if not found or (x > found[-1][0] + 1e-3 and y > found[-1][1] + 1e-3):
            found.append([round(x, 3), round(y, 4)])
    return found


def limits(records, wrong, rate):
    """The raw thresholds that keep each kind of degradation, and each source in it, to its share of wrong answers.

    wrong is the label that must not cross: "real" for answers of ai, from above; "ai" for answers of real, from below.
    """
    sign = 1 if wrong == "real" else -1
    groups = collections.defaultdict(list)
    for r in records:
        if r["label"] == wrong:
            kind = "clean" if r["kind"] == "clean" else "degraded"
            groups[kind, None].append(sign * r["raw"])
            groups[kind, r["repo"]].append(sign * r["raw"])
    edges = []
    for (_, repo), values in groups.items():
        # One clip of a small source says nothing of its rate, so it may be wrong.
        may = int(rate * len(values)) if repo is None else max(1, int(FACTOR * rate * len(values)))
        edges.append(np.sort(values)[::-1][may] if may < len(values) else -np.inf)
    return sign * max(edges)


def probability(pairs, raw):
    """What the points say of a raw score."""
    return float(np.interp(raw, [p[0] for p in pairs], [p[1] for p in pairs]))


def band(records, pairs, rate=0.01, margin=0.1):
    """The band of probabilities: above `ai` at most `rate` of real clips lie, below `real` as many synthetic ones.

    Each is at least one half away from the other's side; 1 and 0 mean that the side cannot be promised: the scores
    there are already flat.
    """
    top, bottom = limits(records, "real", rate) + margin, limits(records, "ai", rate) - margin
    ai, real = max(0.5, probability(pairs, top)), min(0.5, probability(pairs, bottom))
    flat = lambda edge, end: abs(edge - end) < 1e-9
    return {"real": 0.0 if flat(real, pairs[0][1]) else round(real, 4), "ai": 1.0 if flat(ai, pairs[-1][1]) else round(ai, 4)}


def verdict(pairs, edges, raw):
    """What the lane says of a raw score."""
    p = probability(pairs, raw)
    return "ai" if p > edges["ai"] else "real" if p < edges["real"] else "uncertain"
