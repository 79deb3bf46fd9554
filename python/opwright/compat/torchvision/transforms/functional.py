"""torchvision.transforms.functional: conversion between PIL images and tensors.

PIL is imported by the function that needs it.
"""

from typing import TYPE_CHECKING

import numpy as np

import opwright
from opwright.compat._absent import absent

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["pil_to_tensor", "to_pil_image"]

__getattr__ = absent(__name__)

# The numbers of channels that an image may have.
_CHANNELS = range(1, 5)


def to_pil_image(pic: opwright.Tensor, mode: str | None = None) -> "Image":
    """Return a tensor of shape (channels, height, width) or (height, width) as an image.

    Floating tensors hold values from 0 to 1, others from 0 to 255.
    """
    from PIL import Image

    array = pic.detach().numpy()
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or array.shape[0] not in _CHANNELS:
        raise ValueError(
            "to_pil_image: expected a tensor of 1 to 4 channels, height and width, "
            f"got shape {tuple(array.shape)}"
        )
    if np.issubdtype(array.dtype, np.floating):
        array = (array * 255).astype(np.uint8)
    elif array.dtype != np.uint8:
        raise TypeError(f"to_pil_image: expected a floating or uint8 tensor, got {pic.dtype}")
    channels_last = np.ascontiguousarray(array.transpose(1, 2, 0))
    if array.shape[0] == 1:
        channels_last = channels_last[:, :, 0]
    image = Image.fromarray(channels_last)
    return image if mode is None else image.convert(mode)


def pil_to_tensor(pic: "Image") -> opwright.Tensor:
    """Return an image as a uint8 tensor of shape (channels, height, width)."""
    array = np.array(pic, copy=True)
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    return opwright.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))
