"""The network of the pixels lane: patches in, one logit a class out.

Generators leave their traces in how neighbouring pixels relate, not in what is shown. So the picture goes in twice: as it
is, and as residuals of fixed high-pass filters (Fridrich and Kodovsky, "Rich Models for Steganalysis of Digital Images",
IEEE TIFS 2012), cut off at a few grey levels so that edges do not drown the rest.
"""
import torch
from torch import nn
from torch.nn import functional

CLASSES = ("real", "ai", "other")


def high_pass():
    """Filters of the first and second order and the square one of the fifth, each for one channel; sums are zero."""
    bank = torch.zeros(4, 5, 5)
    bank[0, 2, 2:4] = torch.tensor([-1.0, 1.0])
    bank[1, 2:4, 2] = torch.tensor([-1.0, 1.0])
    bank[2, 1:4, 1:4] = torch.tensor([[-1.0, 2, -1], [2, -4, 2], [-1, 2, -1]]) / 4
    bank[3] = torch.tensor([
        [-1.0, 2, -2, 2, -1], [2, -6, 8, -6, 2], [-2, 8, -12, 8, -2], [2, -6, 8, -6, 2], [-1, 2, -2, 2, -1],
    ]) / 12
    return bank


class FrontEnd(nn.Module):
    """Residuals in grey levels, cut off at +-LIMIT, beside the picture itself."""

    LIMIT = 8.0

    def __init__(self):
        super().__init__()
        # Brightness, and the two differences of colours in which a camera's mosaic leaves its traces.
        mix = torch.tensor([[0.299, 0.587, 0.114], [1, -1, 0], [0, -1, 1]])
        weights = torch.einsum("mc,kyx->mkcyx", mix, high_pass()).reshape(12, 3, 5, 5)
        self.register_buffer("weights", weights)
        self.channels = 12 + 3

    def forward(self, x):
        residual = functional.conv2d(x * 127.5, self.weights, padding=2)
        return torch.cat([residual.clamp(-self.LIMIT, self.LIMIT) / self.LIMIT, x], 1)


def block(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class Step(nn.Module):
    """Two convolutions around a shortcut, at half the resolution."""

    def __init__(self, inside, outside):
        super().__init__()
        self.shrink = nn.AvgPool2d(2)
        self.body = nn.Sequential(
            block(inside, outside), nn.Conv2d(outside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside)
        )
        self.past = nn.Conv2d(inside, outside, 1, bias=False)

    def forward(self, x):
        x = self.shrink(x)
        return functional.relu(self.body(x) + self.past(x))


class PatchNet(nn.Module):
    def __init__(self, widths=(16, 24, 48, 128, 192), dropout=0.3):
        super().__init__()
        self.front = FrontEnd()
        self.first = block(self.front.channels, widths[0])
        self.steps = nn.Sequential(*(Step(a, b) for a, b in zip(widths, widths[1:])))
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(2 * widths[-1], len(CLASSES)))

    def forward(self, x):
        return self.judge(self.front(x))

    def judge(self, x):
        """The logits of what the front end gave, which is not learned and wants the full precision of its input."""
        flat = self.steps(self.first(x)).flatten(2).float()
        mean = flat.mean(2)
        # How much a trace varies over the patch says as much as its mean.
        spread = (flat - mean.unsqueeze(2)).pow(2).mean(2).clamp(min=1e-6).sqrt()
        return self.head(torch.cat([mean, spread], 1))


def ai_log_odds(logits):
    """The log-odds of `ai` against all other classes."""
    return logits[:, 1] - torch.logsumexp(logits[:, [0, 2]], 1)
