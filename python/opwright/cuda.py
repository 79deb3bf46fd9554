"""NVIDIA GPUs: streams, events, memory and seeds, with the names of torch.cuda."""

from ._device.module import functions_of

globals().update(functions_of("cuda"))
__all__ = sorted(functions_of("cuda"))
