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


@torch.no_grad()
def score(net, patches, most=12):
    """For each picture the mean log-odds of AI over its first patches, and the mean probability of `other`."""
    net.eval()
    raws, others = [], []
    for pixels in patches.pixels:
        logits = net(to_tensor(pixels[:most]))
        raws.append(ai_log_odds(logits).mean().item())
        others.append(logits.softmax(1)[:, 2].mean().item())
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
