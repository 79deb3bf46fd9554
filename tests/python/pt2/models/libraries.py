"""transformers, timm and torchvision. The first two import the third, so it is opened here."""

import torch

try:
    import torchvision
except RuntimeError:  # its library is for another build of torch: its operators are missing
    for name in ("nms", "qnms"):
        declaration = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
        torch.library.define(f"torchvision::{name}", declaration)
    import torchvision

import timm
import transformers

__all__ = ["timm", "torchvision", "transformers"]
