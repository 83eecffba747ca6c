"""Training: batches balanced over labels and repositories, windows that all go through the same journeys."""
import collections
import random

import numpy as np
import torch
from torch.nn import functional as F

from . import augment
from .net import Listener, Net


class Draw:
    """Draws training windows so that neither a label nor a large repository decides what is learned.

    Half of the draws take both sides of one repository: what they share (rooms, microphones, rates, loudness, codecs)
    then tells nothing. The others take any repository of a label, by the root of its size.
    """

    def __init__(self, found, seed, strength=0.8, paired=0.5):
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
        return self.window(sound)

    def window(self, sound):
        """A random window of a clip after a random journey."""
        return augment.journey(augment.cut(sound, self.rng, augment.WINDOW), self.rng, self.strength)

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


def hear(draw, count, size=32):
    """The statistics of `count` freshly drawn windows, and their labels."""
    listener, values, labels = Listener(), [], []
    with torch.no_grad():
        for _ in range(count // size):
            waves, wanted = draw.batch(size)
            values.append(listener(waves))
            labels.append(wanted)
    return torch.cat(values), torch.cat(labels)


def train(values, labels, seed=1, epochs=12, size=128, rate=2e-3, decay=0.05, soft=0.05, hidden=48):
    """Teaches the votes, each with an order of its own, and returns the network."""
    torch.manual_seed(seed)
    net = Net(values.mean(0), values.std(0) + 1e-3, hidden=hidden)
    for vote in net.votes:
        best = torch.optim.AdamW(vote.parameters(), lr=rate, weight_decay=decay)
        steps = epochs * (len(values) // size)
        slope = torch.optim.lr_scheduler.OneCycleLR(best, rate, total_steps=steps)
        vote.train()
        scaled = ((values - net.mean) / net.spread).clamp(-4, 4)
        for _ in range(epochs):
            order = torch.randperm(len(values))
            for i in range(len(values) // size):
                part = order[i * size : (i + 1) * size]
                # Windows are mixed in pairs (Zhang and others, "mixup", 2018), which keeps small lists from being learned by heart.
                other, share = part[torch.randperm(size)], torch.distributions.Beta(0.4, 0.4).sample((size, 1))
                mixed = share * scaled[part] + (1 - share) * scaled[other]
                wanted = share[:, 0] * labels[part] + (1 - share[:, 0]) * labels[other]
                loss = F.binary_cross_entropy_with_logits(vote(mixed)[:, 0], soft + (1 - 2 * soft) * wanted)
                best.zero_grad()
                loss.backward()
                best.step()
                slope.step()
    return net.eval()
