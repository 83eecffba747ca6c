"""Averages the weights of two networks of one training run and exports the outcome (Wortsman et al., "Model soups", ICML 2022).

    average.py A/net.pt B/net.pt --out FOLDER
"""
import argparse
import os

import torch

from fit import export
from net import PatchNet


def averaged(a, b):
    """The mean of two sets of weights; what counts steps is the second's."""
    return {name: (a[name] + b[name]) / 2 if a[name].dtype.is_floating_point else b[name] for name in a}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("nets", nargs=2)
    p.add_argument("--out", required=True)
    o = p.parse_args()
    net = PatchNet()
    net.load_state_dict(averaged(*(torch.load(name) for name in o.nets)))
    os.makedirs(o.out, exist_ok=True)
    torch.save(net.state_dict(), os.path.join(o.out, "net.pt"))
    export(net, os.path.join(o.out, "model.onnx"))


if __name__ == "__main__":
    main()
