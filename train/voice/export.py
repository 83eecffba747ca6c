"""The trained network as ONNX, front end included: `waveform` N x 64000 in, `logit` N x 1 out."""

import torch

from . import augment


def export(net, name):
    """Writes the network to a file. Opset 13 is read by every ONNX Runtime since 1.6."""
    net.eval()
    torch.onnx.export(
        net,
        torch.zeros(2, augment.WINDOW),
        name,
        opset_version=13,
        input_names=["waveform"],
        output_names=["logit"],
        dynamic_axes={"waveform": {0: "n"}, "logit": {0: "n"}},
        do_constant_folding=True,
    )
