"""Trains the pixels network and exports it.

    fit.py --list DATA/images.tsv --patches DIR --out FOLDER [--steps 4000]

Prints the figures on the split `dev` and writes FOLDER/net.pt and FOLDER/model.onnx.
"""
import argparse
import copy
import os
import time

import torch
from torch import nn

from data import Patches, batches
from half import quick_in_half
from measure import auc, found, logits, report, score
from net import PatchNet

SEED = 20261101
SIDE = 96


def train(net, patches, o):
    """One-cycle AdamW; the weights that count are their moving average."""
    steps = o.steps
    chosen = torch.optim.AdamW(net.parameters(), lr=o.rate, weight_decay=0.05)
    pace = torch.optim.lr_scheduler.OneCycleLR(chosen, max_lr=o.rate, total_steps=steps, pct_start=0.15)
    mean = copy.deepcopy(net)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)
    start, running = time.time(), 0.0
    for n, (x, y) in enumerate(batches(patches, o.batch, steps, o.seed), 1):
        net.train()
        loss = loss_of(logits(net, x.to(o.device), o.half), y.to(o.device))
        chosen.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        chosen.step()
        pace.step()
        average(mean, net, min(0.995, n / (n + 20)))
        running = loss.item() if n == 1 else 0.98 * running + 0.02 * loss.item()
        if n % 100 == 0:
            print(f"step {n} of {steps}, loss {running:.3f}, {n * o.batch / (time.time() - start):.0f} patches/s", flush=True)
        if o.watch and n % o.watch == 0:
            raws, _ = score(mean, o.dev, o.half)
            y = o.dev.labels
            print(f"  dev AUC {auc(raws[y == 0], raws[y == 1]):.3f} found at 1 % {found(raws[y == 0], raws[y == 1], 0.01):.3f}", flush=True)
            torch.save(mean.state_dict(), os.path.join(o.out, "net.pt"))
    return mean


@torch.no_grad()
def average(mean, net, keep):
    for a, b in zip(mean.state_dict().values(), net.state_dict().values()):
        if a.dtype.is_floating_point:
            a.mul_(keep).add_(b, alpha=1 - keep)
        else:
            a.copy_(b)


def export(net, path):
    """The network as ONNX: patches (N, 3, 96, 96) in, logits (N, 3) out."""
    net = copy.deepcopy(net).to(memory_format=torch.contiguous_format).eval()
    torch.onnx.export(
        net, torch.zeros(2, 3, SIDE, SIDE), path, opset_version=13, input_names=["patches"], output_names=["logits"],
        dynamic_axes={"patches": {0: "n"}, "logits": {0: "n"}},
    )


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", required=True)
    p.add_argument("--patches", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--steps", type=int, default=4000)
    p.add_argument("--batch", type=int, default=96)
    p.add_argument("--rate", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=SEED)
    p.add_argument("--watch", type=int, default=500, help="steps between looks at dev; 0: none")
    p.add_argument("--start", help="net.pt to go on from")
    p.add_argument("--full", action="store_true", help="float32 throughout, though the machine were quicker in bfloat16")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    o = p.parse_args()
    torch.manual_seed(o.seed)
    torch.set_num_threads(o.threads)
    os.makedirs(o.out, exist_ok=True)
    patches = Patches(o.list, o.patches, "train")
    o.dev = Patches(o.list, o.patches, "dev")
    print(f"{len(patches.rows)} pictures to learn from, {len(o.dev.rows)} to look at; {patches.pixels.shape[1]} patches each")
    net = PatchNet()
    if o.start:
        net.load_state_dict(torch.load(o.start))
    o.half = quick_in_half() and not o.full
    o.device = "cuda" if torch.cuda.is_available() else "cpu"
    net = net.to(o.device, memory_format=torch.channels_last)
    net = train(net, patches, o).to("cpu")
    torch.save(net.state_dict(), os.path.join(o.out, "net.pt"))
    export(net, os.path.join(o.out, "model.onnx"))
    raws, others = score(net, o.dev, o.half)
    for line in report(o.dev, raws, others):
        print(line)


if __name__ == "__main__":
    main()
