"""Training: batches balanced over labels and repositories, windows that all go through the same journeys."""
import collections
import multiprocessing
import random
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from half import quick_in_half

from . import augment
from .net import Net, Spectrum, Statistics


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


class Heard:
    """What a network learns from: statistics, bands (half precision, which is as fine as they are) and labels of windows."""

    def __init__(self, values, bands, labels):
        self.values, self.bands, self.labels = values, bands, labels


@torch.no_grad()
def hear(draw, count, size=32):
    """`count` freshly drawn windows."""
    spectrum, statistics, values, heard, labels = Spectrum(), Statistics(), [], [], []
    for _ in range(count // size):
        waves, wanted = draw.batch(size)
        bins, bands = spectrum(waves)
        values.append(statistics(bins, bands))
        heard.append(bands.half())
        labels.append(wanted)
    return Heard(torch.cat(values), torch.cat(heard), torch.cat(labels))


def hear_part(seed, count):
    torch.set_num_threads(1)
    return hear(Draw(hear_part.found, seed), count)


def hear_all(found, seed, count, parts=8):
    """Windows drawn by several processes, each with a seed of its own, so that their number decides nothing."""
    hear_part.found = found  # The processes inherit the clips, which lie in files that are mapped, rather than being sent them.
    with multiprocessing.Pool() as pool:
        heard = pool.starmap(hear_part, [(seed + k, count // parts) for k in range(parts)], chunksize=1)
    return Heard(*(torch.cat([getattr(h, name) for h in heard]) for name in ("values", "bands", "labels")))


def train(heard, seed=1, **light):
    """Teaches the votes, each with an order of its own, then the convolutional network, and returns the whole."""
    torch.manual_seed(seed)
    net = Net(heard.values.mean(0), heard.values.std(0) + 1e-3)
    scaled = net.scaled(heard.values)
    for vote in net.votes:
        train_vote(vote, scaled, heard.labels)
    train_light(net.light, heard, **light)
    return net.eval()


def mixed(x, labels, soft=0.05):
    """Windows mixed in pairs (Zhang and others, "mixup", 2018), which keeps small lists from being learned by heart, and what
    is wanted of them."""
    other, share = torch.randperm(len(x)), torch.distributions.Beta(0.4, 0.4).sample((len(x),))
    wide = share.reshape(-1, *[1] * (x.dim() - 1))
    wanted = share * labels + (1 - share) * labels[other]
    return wide * x + (1 - wide) * x[other], soft + (1 - 2 * soft) * wanted


def train_vote(vote, scaled, labels, epochs=12, size=128, rate=2e-3, decay=0.05):
    best = torch.optim.AdamW(vote.parameters(), lr=rate, weight_decay=decay)
    slope = torch.optim.lr_scheduler.OneCycleLR(best, rate, total_steps=epochs * (len(scaled) // size))
    vote.train()
    for _ in range(epochs):
        for part in torch.randperm(len(scaled)).split(size):
            if len(part) < size:
                continue
            x, wanted = mixed(scaled[part], labels[part])
            loss = F.binary_cross_entropy_with_logits(vote(x)[:, 0], wanted)
            best.zero_grad()
            loss.backward()
            best.step()
            slope.step()


def masked(x):
    """Bands and times blanked out (Park and others, "SpecAugment", 2019)."""
    bands, frames = x.shape[2:]
    for one in x:
        low, begin = int(torch.randint(bands, ())), int(torch.randint(frames, ()))
        one[:, low : low + int(torch.randint(14, ()))] = 0
        one[:, :, begin : begin + int(torch.randint(60, ()))] = 0
    return x


def train_light(light, heard, epochs=10, size=64, rate=2e-3, decay=0.02, watch=None):
    half = quick_in_half()
    best = torch.optim.AdamW(light.parameters(), lr=rate, weight_decay=decay)
    slope = torch.optim.lr_scheduler.OneCycleLR(best, rate, total_steps=epochs * (len(heard.labels) // size))
    began = time.time()
    for epoch in range(epochs):
        light.train()
        running = 0.0
        for part in torch.randperm(len(heard.labels)).split(size):
            if len(part) < size:
                continue
            x, wanted = mixed(masked(light.seen(heard.bands[part].float())), heard.labels[part])
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
                told = light(x.contiguous(memory_format=torch.channels_last))
            loss = F.binary_cross_entropy_with_logits(told.float()[:, 0], wanted)
            best.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(light.parameters(), 2.0)
            best.step()
            slope.step()
            running += loss.item() * size
        print(f"epoch {epoch + 1} of {epochs}, loss {running / len(heard.labels):.3f}, {time.time() - began:.0f} s", flush=True)
        if watch:
            watch(light)
    light.eval()
