"""Convolution networks: from transformers, timm and torchvision, and a U-Net."""

import torch
from torch import nn
from torch.export import Dim

from .libraries import timm
from .libraries import torchvision as vision
from .libraries import transformers as hf
from .specimen import Specimen, specimen


def images(model: nn.Module, side: int = 32, name: str | None = None) -> Specimen:
    """`name` is of the argument, for models that take keywords."""
    batch = {0: Dim("batch", min=2, max=16)}
    values = [torch.randn(number, 3, side, side) for number in (2, 2, 3)]
    if name is None:
        return Specimen(model, [((value,), {}) for value in values], (batch,))
    return Specimen(model, [((), {name: value}) for value in values], {name: batch})


def batch_norms(model: nn.Module) -> list[nn.Module]:
    return [each for each in model.modules() if isinstance(each, nn.modules.batchnorm._BatchNorm)]


def with_statistics(model: nn.Module) -> nn.Module:
    """Give batch norms statistics of their own: as made, they do nothing."""
    for norm in batch_norms(model):
        nn.init.uniform_(norm.running_mean, -0.1, 0.1)
        nn.init.uniform_(norm.running_var, 0.5, 1.5)
    return model


def with_learned_statistics(model: nn.Module, side: int) -> nn.Module:
    """Let batch norms see a batch: without it these models give nearly the same for any image."""
    for norm in batch_norms(model):
        norm.momentum = None
    model.train()(torch.randn(8, 3, side, side))
    return model


@specimen
def convnext() -> Specimen:
    config = hf.ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2)
    return images(hf.ConvNextForImageClassification(config), name="pixel_values")


@specimen
def resnet50() -> Specimen:
    model = vision.models.resnet50(num_classes=10, width_per_group=16)
    return images(with_statistics(model), side=64)


@specimen
def mobilenet_v3() -> Specimen:
    model = vision.models.mobilenet_v3_small(num_classes=10, width_mult=0.5)
    return images(with_learned_statistics(model, 64), side=64)


@specimen
def efficientnet() -> Specimen:
    return images(with_statistics(timm.create_model("test_efficientnet", num_classes=10)))


@specimen
def deeplab() -> Specimen:
    model = vision.models.segmentation.deeplabv3_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5
    )
    return images(with_learned_statistics(model, 48), side=48)


class UNet(nn.Module):
    """Two levels down, two up, joined at each level."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([double(3, 2), double(2, 4)])
        self.bottom = double(4, 8)
        self.rise = nn.ModuleList(
            [nn.ConvTranspose2d(8, 4, 2, stride=2), nn.ConvTranspose2d(4, 2, 2, stride=2)]
        )
        self.up = nn.ModuleList([double(8, 4), double(4, 2)])
        self.head = nn.Conv2d(2, 3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        levels = []
        for block in self.down:
            x = block(x)
            levels.append(x)
            x = nn.functional.max_pool2d(x, 2)
        x = self.bottom(x)
        for rise, block in zip(self.rise, self.up, strict=True):
            x = block(torch.cat([rise(x), levels.pop()], dim=1))
        return self.head(x)


def double(inner: int, outer: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inner, outer, 3, padding=1, bias=False),
        nn.BatchNorm2d(outer),
        nn.ReLU(inplace=True),
        nn.Conv2d(outer, outer, 3, padding=1, bias=False),
        nn.BatchNorm2d(outer),
        nn.ReLU(inplace=True),
    )


@specimen
def unet() -> Specimen:
    return images(with_statistics(UNet()), side=8)
