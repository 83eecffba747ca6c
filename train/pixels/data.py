"""The prepared patches in memory, and batches that no source and no generator dominates."""
import collections
import os

import numpy as np
import torch
from torch.nn import functional

from net import CLASSES
from prepare import rows_of

# SHARE is the part of a batch that each class takes.
SHARE = {"real": 0.42, "ai": 0.42, "other": 0.16}


class Patches:
    """All patches of one split: pixels[i] is (journeys x patches, side, side, 3) of picture i."""

    def __init__(self, name, folder, split):
        self.rows, arrays = [], []
        for row in rows_of(name, split):
            path = os.path.join(folder, split, row["sha256"] + ".npy")
            if os.path.exists(path):
                a = np.load(path)
                self.rows.append(row)
                arrays.append(a.reshape(-1, *a.shape[2:]))
        self.pixels = np.stack(arrays)
        self.labels = np.array([CLASSES.index(r["label"]) for r in self.rows])

    def groups(self, key=lambda r: (r["repo"], r["generator_or_source"])):
        found = collections.defaultdict(list)
        for i, row in enumerate(self.rows):
            found[(row["label"],) + tuple(key(row))].append(i)
        return found

    def weights(self):
        """How often each picture is drawn: a class by its share, a repository by the root of its size. A gallery of many
        generators is one pipeline still, and must not stand for all."""
        w = np.zeros(len(self.rows))
        groups = self.groups(lambda r: (r["repo"],))
        for label, share in SHARE.items():
            own = {g: members for g, members in groups.items() if g[0] == label}
            total = sum(len(m) ** 0.5 for m in own.values())
            for members in own.values():
                w[members] = share * len(members) ** 0.5 / total / len(members)
        return w / w.sum()


def to_tensor(pixels):
    """(n, side, side, 3) bytes as the network takes them: -1 to 1, channels first."""
    x = torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2)
    return x.contiguous(memory_format=torch.channels_last).float().div_(127.5).sub_(1)


def turned(pixels, rng):
    """One of the eight ways to lay a square, for the whole batch."""
    if rng.random() < 0.5:
        pixels = pixels[:, :, ::-1]
    return np.rot90(pixels, rng.integers(4), axes=(1, 2))


def lit(x, rng):
    """Each patch a little brighter or darker and of other contrast."""
    gain, offset = (torch.from_numpy(v.astype(np.float32)).view(-1, 1, 1, 1) for v in (rng.uniform(0.8, 1.2, len(x)), rng.normal(0, 0.08, len(x))))
    return (x * gain + offset).clamp_(-1, 1)


def mixed(x, classes, rng, alpha=0.2):
    """Patches mixed in pairs (Zhang and others, "mixup", 2018), so that hosts are not learned by heart; and what is wanted of them."""
    share = torch.from_numpy(rng.beta(alpha, alpha, len(x)).astype(np.float32))
    other = torch.from_numpy(rng.permutation(len(x)))
    wanted = functional.one_hot(classes, len(CLASSES)).float()
    wide = share.view(-1, 1, 1, 1)
    return wide * x + (1 - wide) * x[other], share[:, None] * wanted + (1 - share[:, None]) * wanted[other]


def batches(patches, size, steps, seed):
    rng = np.random.default_rng(seed)
    weights = patches.weights()
    for _ in range(steps):
        pick = rng.choice(len(weights), size, p=weights)
        which = rng.integers(patches.pixels.shape[1], size=size)
        x = lit(to_tensor(turned(patches.pixels[pick, which], rng)), rng)
        yield mixed(x, torch.from_numpy(patches.labels[pick]), rng)
