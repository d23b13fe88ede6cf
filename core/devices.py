"""Where tensors live, in torch's terms and in the viewer's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.check import choice, require

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda")


def resolve(device: str) -> torch.device:
    """The torch device for "auto" (CUDA when there is one), "cpu" or "cuda".

    Raises: ValueError for another name, and for "cuda" on a machine without it.
    """
    import torch

    choice("device", device, DEVICES)
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    require(device == "cpu" or torch.cuda.is_available(), "device", device, "'cpu' or 'auto' on a machine without CUDA")
    return torch.device(device)


def describe(device: str) -> str:
    """What the viewer reads: "CPU", or the name of the GPU."""
    import torch

    resolved = resolve(device)
    return "CPU" if resolved.type == "cpu" else torch.cuda.get_device_name(resolved)


def use_one_thread() -> None:
    """Run torch's CPU kernels on one thread, for the whole process: the programs that start runs call it, once.

    Simulations are many steps on small tensors, where handing work to a second thread costs more than the work; on a
    busy machine two threads can be 15 times slower than one.
    """
    import torch

    torch.set_num_threads(1)
