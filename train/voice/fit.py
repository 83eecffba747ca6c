"""Training: batches balanced over labels and repositories, windows that all go through the same journeys."""
import collections
import random
import time

import numpy as np
import torch
from torch.nn import functional as F

from . import augment, score
from .net import Net

# Samples of a training window. The network pools over time, so half of what it hears later is enough to learn from, at half
# the cost.
SHORT = augment.WINDOW // 2


class Draw:
    """Draws training windows so that neither a label nor a large repository decides what is learned.

    Half of the draws take both sides of one repository: what they share (rooms, microphones, rates, loudness, codecs)
    then tells nothing. The others take any repository of a label, by the root of its size.
    """

    def __init__(self, found, seed, strength=1.0, paired=0.5):
        self.rng = np.random.default_rng(seed)
        self.choice = random.Random(seed)
        self.strength, self.paired = strength, paired
        self.groups = {0: collections.defaultdict(lambda: collections.defaultdict(list)), 1: collections.defaultdict(lambda: collections.defaultdict(list))}
        for row in found:
            self.groups[int(row["label"] == "ai")][row["repo"]][row["generator_or_source"]].append(row["sound"])
        size = lambda label, repo: sum(len(v) for v in self.groups[label][repo].values())
        self.weights = {label: {repo: size(label, repo) ** 0.5 for repo in repos} for label, repos in self.groups.items()}
        self.both = {repo: min(size(0, repo), size(1, repo)) ** 0.5 for repo in self.groups[0] if repo in self.groups[1]}

    def clip(self, label, repo):
        generator = self.choice.choice(sorted(self.groups[label][repo]))
        sound = self.choice.choice(self.groups[label][repo][generator])
        return augment.journey(augment.cut(sound, self.rng, SHORT), self.rng, self.strength)

    def batch(self, size):
        """Windows and labels: every second one is synthetic."""
        waves = []
        for _ in range(size // 2):
            if self.choice.random() < self.paired:
                repo = self.choice.choices(list(self.both), list(self.both.values()))[0]
                pair = repo, repo
            else:
                pair = tuple(self.choice.choices(list(self.weights[k]), list(self.weights[k].values()))[0] for k in (0, 1))
            waves += [self.clip(label, repo) for label, repo in enumerate(pair)]
        return torch.from_numpy(np.stack(waves)), torch.tensor([0.0, 1.0] * (size // 2))


def mask(bands, rng):
    """Hides a stretch of time and one of bands, as in SpecAugment (Park and others, 2019)."""
    bands = bands.clone()
    for x in bands[:, 0]:
        for axis, most in ((0, 12), (1, 40)):
            n = int(rng.integers(0, most))
            at = int(rng.integers(0, x.shape[axis] - n))
            x.narrow(axis, at, n).zero_()
    return bands


def train(found, dev, steps, seed=1, bands=72, width=12, strength=1.0, size=32, rate=2e-3, reuse=2, keep_in=None, log=print):
    """Trains for a number of batches and returns the running average of the weights."""
    torch.manual_seed(seed)
    draw = Draw(found, seed, strength)
    net, mean = Net(bands, width), Net(bands, width)
    mean.load_state_dict(net.state_dict())
    best = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-2)
    began = time.time()
    losses = []
    for step in range(1, steps + 1):
        for group in best.param_groups:
            group["lr"] = rate * min(1, step / 100) * 0.5 * (1 + np.cos(np.pi * step / steps))
        if step % reuse == 1 or reuse == 1:
            with torch.no_grad():
                waves, labels = draw.batch(size * reuse)
                heard, order = net.features(waves), torch.randperm(size * reuse)
        part = order[(step - 1) % reuse :: reuse]
        inputs, wanted = mask(heard[part], draw.rng), labels[part]
        net.train()
        loss = F.binary_cross_entropy_with_logits(net.decide(inputs)[:, 0], 0.05 + 0.9 * wanted)
        best.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5)
        best.step()
        losses.append(float(loss))
        with torch.no_grad():
            keep = min(0.995, step / (step + 10))
            for a, b in zip(mean.state_dict().values(), net.state_dict().values()):
                a.mul_(keep).add_(b, alpha=1 - keep) if a.dtype.is_floating_point else a.copy_(b)
        if step % 100 == 0:
            log(f"{time.time() - began:.0f} s, step {step}: loss {np.mean(losses[-100:]):.3f}", score.summary(score.table(mean, dev)))
            if keep_in:
                torch.save(mean.state_dict(), keep_in)
    log(f"{steps} batches of {size} windows in {time.time() - began:.0f} s")
    return mean
