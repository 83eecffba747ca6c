"""Figures by which training is watched. The model card's come from `veracity eval`, which sees files as customers send them."""
import numpy as np
import torch

from data import to_tensor
from net import ai_log_odds


def auc(negative, positive):
    """The probability that a positive scores above a negative (Mann-Whitney); ties count half."""
    both = np.concatenate([negative, positive])
    _, inverse, counts = np.unique(both, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    n, m = len(negative), len(positive)
    return (ranks[n:].sum() - m * (m + 1) / 2) / (n * m) if n and m else float("nan")


def found(negative, positive, rate):
    """The share of positives above the score that a share `rate` of the negatives exceeds."""
    return float((positive > np.quantile(negative, 1 - rate)).mean())


def logits(net, x, half):
    """What net says of patches; half computes in bfloat16 but for the front end, whose residuals are finer than that."""
    with torch.no_grad():
        x = net.front(x)
    with torch.autocast(x.device.type, dtype=torch.bfloat16, enabled=half):
        return net.judge(x).float()


@torch.no_grad()
def score(net, patches, half=False, most=24):
    """For each picture the mean log-odds of AI over its patches, and the mean probability of `other`."""
    net.eval()
    device = next(net.parameters()).device
    raws, others = [], []
    for pixels in patches.pixels:
        told = logits(net, to_tensor(pixels[:most]).to(device), half)
        raws.append(ai_log_odds(told).mean().item())
        others.append(told.softmax(1)[:, 2].mean().item())
    return np.array(raws), np.array(others)


def report(patches, raws, others):
    label = patches.labels
    real, ai = raws[label == 0], raws[label == 1]
    lines = [f"AUC {auc(real, ai):.3f}, found at 1 % {found(real, ai, 0.01):.3f}, at 5 % {found(real, ai, 0.05):.3f}"]
    limit = np.quantile(real, 0.99)
    for group, members in sorted(patches.groups().items()):
        own = raws[members]
        text = f"{group[0]:6} {group[2][:24]:24} {group[1][:44]:44} n={len(members):4} "
        if group[0] == "ai":
            text += f"AUC {auc(real, own):.3f} "
        lines.append(text + f"above the limit {np.mean(own > limit):.3f} other {np.mean(others[members] > 0.5):.3f}")
    return lines
