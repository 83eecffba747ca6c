"""Shows that what a clip's file is like tells nothing of its class after the training journey: boosted trees on length,
level, bandwidth and pauses alone, whole repositories left out in turn, must be at chance.

    python3 -m voice.chance --list DATA/voice.tsv --samples DIR [--rows 700] [--figure FILE.svg]
"""

import argparse
import random

import numpy as np

from folds import left_out_auc

from . import augment, data, fit

NAMES = ["length", "level", "peak", "bandwidth", "pauses", "hush"]


def described(sound):
    """Length in seconds, level and peak in dB, the frequency below which 99.5 % of the power lies, pauses, their level."""
    x = np.asarray(sound, np.float32)
    x = x / 32768 if np.abs(x).max() > 4 else x
    seconds, x = len(x) / data.RATE, x[: 10 * data.RATE]
    power = np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2
    edge = np.searchsorted(np.cumsum(power), 0.995 * power.sum()) / len(power)
    frames = (x[: len(x) // 160 * 160].reshape(-1, 160) ** 2).mean(1)
    decibel = lambda v: 10 * np.log10(v + 1e-9)
    quiet = decibel(np.percentile(frames, 5)) - decibel(np.percentile(frames, 95))
    return [seconds, decibel((x**2).mean()), 2 * decibel(np.abs(x).max()), edge, 1 - augment.speech_frames(x).mean(), quiet]


def figure(name, bars):
    """A bar chart of AUCs as SVG; the line is chance."""
    rows = "".join(
        f'<text x="8" y="{38 + 34 * i}">{text}</text><rect x="250" y="{24 + 34 * i}" width="{300 * value:.0f}" height="18" fill="#4a6fa5"/>'
        f'<text x="{258 + 300 * value:.0f}" y="{38 + 34 * i}">{value:.2f}</text>'
        for i, (text, value) in enumerate(bars)
    )
    height = 40 + 34 * len(bars)
    with open(name, "w", encoding="utf-8") as f:
        f.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="620" height="{height}" font-family="sans-serif" font-size="13">'
            f'<rect width="620" height="{height}" fill="#fff"/>{rows}<line x1="400" x2="400" y1="12" y2="{height - 12}" stroke="#b00" '
            f'stroke-dasharray="4"/></svg>\n'
        )


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", required=True)
    p.add_argument("--samples", required=True)
    p.add_argument("--rows", type=int, default=700, help="clips that are looked at")
    p.add_argument("--figure")
    o = p.parse_args()
    found = data.clips(o.list, o.samples, "train")
    found = random.Random(1).sample(found, min(o.rows, len(found)))
    draw = fit.Draw(found, 1)
    labels, groups = np.array([int(r["label"] == "ai") for r in found]), [r["repo"] for r in found]
    before = np.array([described(r["sound"]) for r in found])
    after = np.array([described(draw.window(r["sound"])) for r in found])
    bars = [("files as they were found", left_out_auc(before, labels, groups)), ("windows after the journey", left_out_auc(after, labels, groups))]
    for i, feature in enumerate(NAMES):
        bars += [(f"{feature}, as found", left_out_auc(before[:, [i]], labels, groups)), (f"{feature}, after", left_out_auc(after[:, [i]], labels, groups))]
    for text, value in bars:
        print(f"{text}: AUC {value:.3f}")
    if o.figure:
        figure(o.figure, bars)


if __name__ == "__main__":
    main()
