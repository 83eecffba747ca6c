"""The network: samples in, log-odds of synthetic speech out. The front end is part of it, so that its user needs none."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from .data import RATE

SIZE, HOP = 400, 160  # samples: 25 ms every 10 ms
BINS = SIZE // 2 + 1
EDGE = 80.0  # Hz: below, there is rumble and mains hum rather than speech


class Spectrum(nn.Module):
    """Log energies in triangular bands of equal width, as under linear-frequency cepstra.

    Equal steps rather than mel: what vocoders leave behind lies in the high bands, which mel smears. The level of a
    window and the mean of each band are taken out, since they are the microphone's and the channel's.
    """

    def __init__(self, bands=72, floor=-70.0):
        super().__init__()
        self.floor = 10 ** (floor / 10)
        window = torch.hann_window(SIZE, periodic=False)
        angle = 2 * math.pi * torch.arange(BINS)[:, None] * torch.arange(SIZE)[None] / SIZE
        kernels = torch.cat([torch.cos(angle), -torch.sin(angle)]) * window
        self.register_buffer("kernels", kernels[:, None], persistent=False)
        hz = torch.linspace(0, RATE / 2, BINS)
        edges = torch.linspace(EDGE, RATE / 2, bands + 2)
        low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
        weights = torch.minimum((hz - low) / (mid - low), (high - hz) / (high - mid)).clamp(min=0)
        self.register_buffer("weights", (weights / weights.sum(1, keepdim=True))[:, :, None], persistent=False)

    def forward(self, wave):
        wave = wave - wave.mean(1, keepdim=True)
        wave = wave / (wave.pow(2).mean(1, keepdim=True).sqrt() + 1e-5)
        parts = F.conv1d(wave.unsqueeze(1), self.kernels, stride=HOP)
        power = parts[:, :BINS].pow(2) + parts[:, BINS:].pow(2)
        bands = F.conv1d(power, self.weights)
        # The floor is relative to the window's level: what lies lower says how a file was stored.
        log = (bands + SIZE * self.floor).log()
        return ((log - log.mean(2, keepdim=True)) / 2.5).unsqueeze(1)


class MaxFeatureMap(nn.Module):
    """A convolution whose two halves compete, as in Wu, He, Sun and Tan, "A light CNN" (2018)."""

    def __init__(self, inputs, outputs, size, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, 2 * outputs, size, stride, size // 2, bias=False)
        self.norm = nn.BatchNorm2d(2 * outputs)

    def forward(self, x):
        a, b = self.norm(self.conv(x)).chunk(2, 1)
        return torch.maximum(a, b)


class Attention(nn.Module):
    """Mean and deviation over time, each frame weighted (Okabe, Koshinaka and Shinoda, 2018)."""

    def __init__(self, channels, hidden=48):
        super().__init__()
        self.score = nn.Sequential(nn.Conv1d(channels, hidden, 1), nn.Tanh(), nn.Conv1d(hidden, 1, 1))

    def forward(self, x):
        weight = self.score(x).softmax(2)
        mean = (weight * x).sum(2)
        spread = ((weight * x * x).sum(2) - mean * mean).clamp(min=1e-5).sqrt()
        return torch.cat([mean, spread], 1)


class Net(nn.Module):
    """A light CNN over the bands, pooled over time. Input N x 64000 samples of -1 to 1, output N x 1."""

    def __init__(self, bands=72, width=12, drop=0.3):
        super().__init__()
        w = width
        self.front = Spectrum(bands)
        # Strides rather than pooling: a second of sound then costs a processor some 10 million multiplications.
        self.body = nn.Sequential(
            MaxFeatureMap(1, w, 5, 2),
            MaxFeatureMap(w, 3 * w // 2, 3, 2),
            MaxFeatureMap(3 * w // 2, 3 * w // 2, 1),
            MaxFeatureMap(3 * w // 2, 2 * w, 3),
            MaxFeatureMap(2 * w, 3 * w, 3, 2),
            MaxFeatureMap(3 * w, 3 * w, 3),
        )
        rows = bands // 8
        self.pool = Attention(3 * w * rows)
        self.head = nn.Sequential(nn.Dropout(drop), nn.Linear(6 * w * rows, 64), nn.ReLU(), nn.Dropout(drop), nn.Linear(64, 1))

    def features(self, wave):
        return self.front(wave)

    def decide(self, bands):
        x = self.body(bands)
        return self.head(self.pool(x.flatten(1, 2)))

    def forward(self, wave):
        return self.decide(self.features(wave))
