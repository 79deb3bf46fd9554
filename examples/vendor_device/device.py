"""Chooses where the tests run: $DEVICE, else the plug-in device if available, else the CPU."""

import os
from pathlib import Path

import opwright

BINARY = Path(os.environ.get("ADD_CUSTOM", Path(__file__).with_name("build") / "libadd_custom.so"))


def choose_device() -> str:
    """Return the name of a device that can hold tensors."""
    wanted = os.environ.get("DEVICE")
    if wanted:
        return wanted
    return "opencl" if opwright.is_available("opencl") else "cpu"


DEVICE = choose_device()
opwright.load_library(BINARY)
