"""OpenCL devices: streams, events, memory and seeds, like opwright.cuda."""

from ._device.module import functions_of

globals().update(functions_of("opencl"))
__all__ = sorted(functions_of("opencl"))
