"""Whether to compute in bfloat16."""
import torch


def quick_in_half():
    """Whether this machine multiplies bfloat16 in hardware, which is two to three times as fast."""
    if torch.cuda.is_available():
        return True
    try:
        with open("/proc/cpuinfo") as f:
            return "amx_bf16" in f.read()
    except OSError:
        return False
