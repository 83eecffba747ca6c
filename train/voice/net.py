"""The network: samples in, log-odds of synthetic speech out. The front end is part of it, so that its user needs none."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from .data import RATE

SIZE, HOP = 400, 160  # samples: 25 ms every 10 ms
BINS = SIZE // 2 + 1
BANDS = 72
EDGE = 80.0  # Hz: below, there is rumble and mains hum rather than speech
FLOOR = 1e-7  # of the window's power, -70 dB: what lies lower says how a file was stored
SMOOTH = 15  # bins, 600 Hz: fine structure is what is left of a spectrum without its envelope


class Spectrum(nn.Module):
    """Logarithms of the power in each bin, and in triangular bands of equal width, as under linear-frequency cepstra.

    Equal steps rather than mel: what vocoders leave behind lies in the high bands, which mel smears. The level of the
    window is taken out, since it is the recording's.
    """

    def __init__(self):
        super().__init__()
        window = torch.hann_window(SIZE, periodic=False)
        angle = 2 * math.pi * torch.arange(BINS)[:, None] * torch.arange(SIZE)[None] / SIZE
        kernels = torch.cat([torch.cos(angle), -torch.sin(angle)]) * window
        self.register_buffer("kernels", kernels[:, None], persistent=False)
        hz = torch.linspace(0, RATE / 2, BINS)
        edges = torch.linspace(EDGE, RATE / 2, BANDS + 2)
        low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
        weights = torch.minimum((hz - low) / (mid - low), (high - hz) / (high - mid)).clamp(min=0)
        self.register_buffer("weights", (weights / weights.sum(1, keepdim=True))[:, :, None], persistent=False)

    def forward(self, wave):
        wave = wave - wave.mean(1, keepdim=True)
        wave = wave / ((wave * wave).mean(1, keepdim=True).sqrt() + 1e-5)
        parts = F.conv1d(wave.unsqueeze(1), self.kernels, stride=HOP)
        real, imaginary = parts[:, :BINS], parts[:, BINS:]
        power = real * real + imaginary * imaginary
        floor = SIZE * FLOOR
        return (power + floor).log(), (F.conv1d(power, self.weights) + floor).log()


class Statistics(nn.Module):
    """How the bands move while somebody speaks: a fixed number of values for a window, whatever was said.

    Means of bands are left out, since microphone and channel set them; deviations, shape, changes over 10 and 40 ms,
    likeness of bands and the fine structure of the mean spectrum stay.
    """

    def forward(self, bins, bands):
        voice = bands[:, 3:36].mean(1, keepdim=True)  # 0.4 to 4 kHz
        w = torch.sigmoid(2 * (voice - voice.mean(2, keepdim=True)))
        w = w / w.sum(2, keepdim=True)
        x = bands - (w * bands).sum(2, keepdim=True)
        deviation = ((w * x * x).sum(2, keepdim=True) + 1e-2).sqrt()
        z = x / deviation
        zz = z * z
        parts = [
            deviation[:, :, 0].log(),
            (w * zz * z).sum(2).clamp(-4, 4),
            ((w * zz * zz).sum(2) + 0.1).log(),
            self.change(bands, w, 1),
            self.change(bands, w, 4),
            (w * z[:, 1:] * z[:, :-1]).sum(2),
            (w * z[:, 4:] * z[:, :-4]).sum(2),
            self.fine((w * bins).sum(2)),
        ]
        return torch.cat(parts, 1)

    @staticmethod
    def change(bands, w, lag):
        """Log of how much a band changes over a number of frames."""
        d = bands[:, :, lag:] - bands[:, :, :-lag]
        return 0.5 * ((w[:, :, lag:] * d * d).sum(2) + 1e-2).log()

    @staticmethod
    def fine(mean):
        """A mean spectrum without its envelope."""
        padded = F.pad(mean.unsqueeze(1), (SMOOTH // 2, SMOOTH // 2), mode="replicate")
        return mean - F.avg_pool1d(padded, SMOOTH, 1)[:, 0]


VALUES = 3 * BANDS + 2 * BANDS + (BANDS - 1) + (BANDS - 4) + BINS


class Largest(nn.Module):
    """A convolution of twice the channels, of which each pair's larger stays: the max-feature-map of Wu, He, Sun and Tan, "A
    Light CNN for Deep Face Representation with Noisy Labels", IEEE TIFS 2018."""

    def __init__(self, inside, outside, size, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(inside, 2 * outside, size, stride, size // 2)

    def forward(self, x):
        a, b = self.conv(x).chunk(2, 1)
        return torch.maximum(a, b)


class Light(nn.Module):
    """A light convolutional network on the bands, as Lavrentyeva and others found good against replayed speech ("Audio replay
    attack detection with deep learning frameworks", Interspeech 2017), smaller; its end is mean and deviation over time.

    Input are the bands of Spectrum, N x BANDS x frames; each band's mean over the speech is left out, as in Statistics.
    """

    def __init__(self, drop=0.4):
        super().__init__()
        half = lambda: nn.MaxPool2d(2)
        norm = nn.BatchNorm2d
        self.body = nn.Sequential(
            Largest(2, 12, 5, stride=2), norm(12),
            Largest(12, 12, 1), norm(12), Largest(12, 20, 3), half(), norm(20),
            Largest(20, 20, 1), norm(20), Largest(20, 28, 3), half(), norm(28),
            Largest(28, 28, 1), norm(28), Largest(28, 32, 3), norm(32), nn.AvgPool2d((2, 1)),
        )
        self.head = nn.Sequential(nn.Dropout(drop), nn.Linear(2 * 32 * (BANDS // 16), 64), nn.ReLU(), nn.Dropout(drop), nn.Linear(64, 1))

    @staticmethod
    def seen(bands):
        """What the convolutions see: the bands without their means, and their changes over 20 ms."""
        voice = bands[:, 3:36].mean(1, keepdim=True)
        w = torch.sigmoid(2 * (voice - voice.mean(2, keepdim=True)))
        x = (bands - (w * bands).sum(2, keepdim=True) / w.sum(2, keepdim=True)).clamp(-8, 8) / 3
        change = F.pad(x[:, :, 2:] - x[:, :, :-2], (1, 1))
        return torch.stack([x, change], 1)

    def forward(self, x):
        x = self.body(x).float()
        x = x.flatten(1, 2)
        mean = x.mean(2)
        spread = (x - mean.unsqueeze(2)).pow(2).mean(2).clamp(min=1e-6).sqrt()
        return self.head(torch.cat([mean, spread], 1))


class Net(nn.Module):
    """Two ways to hear a window, whose log-odds are averaged: its statistics, each in units of its spread in training, with
    small networks that vote on them; and a light convolutional network on its bands.

    Input N x 64000 samples of -1 to 1, output N x 1.
    """

    def __init__(self, mean, spread, votes=4, hidden=48, drop=0.5):
        super().__init__()
        self.spectrum, self.statistics = Spectrum(), Statistics()
        self.register_buffer("mean", torch.as_tensor(mean, dtype=torch.float32))
        self.register_buffer("spread", torch.as_tensor(spread, dtype=torch.float32))
        vote = lambda: nn.Sequential(nn.Dropout(0.2), nn.Linear(VALUES, hidden), nn.ReLU(), nn.Dropout(drop), nn.Linear(hidden, 1))
        self.votes = nn.ModuleList(vote() for _ in range(votes))
        self.light = Light()

    def scaled(self, values):
        return ((values - self.mean) / self.spread).clamp(-4, 4)

    def parts(self, wave):
        """The log-odds of the votes and of the convolutional network."""
        bins, bands = self.spectrum(wave)
        values = self.scaled(self.statistics(bins, bands))
        return torch.stack([vote(values) for vote in self.votes]).mean(0), self.light(self.light.seen(bands))

    def forward(self, wave):
        voted, lit = self.parts(wave)
        return (voted + lit) / 2
