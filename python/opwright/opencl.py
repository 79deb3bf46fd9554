"""Devices of OpenCL: streams, events, memory and seeds, as opwright.cuda has them."""

from ._device.module import functions_of

globals().update(functions_of("opencl"))
__all__ = sorted(functions_of("opencl"))
