"""A small conv net: batch norm, ReLU, both poolings, a residual block; its output is limited."""

from types import ModuleType
from typing import Any

from tests.python.export.models.limited_net import soft_clip_of


def make(package: ModuleType, channels: int = 6) -> Any:
    nn = package.nn
    soft_clip = soft_clip_of(package)

    def convolution(inputs: int, outputs: int) -> list[Any]:
        return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs)]

    class ConvNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(
                *convolution(3, channels), nn.ReLU(), nn.MaxPool2d(3, stride=2, padding=1)
            )
            self.block = nn.Sequential(
                *convolution(channels, channels), nn.ReLU(), *convolution(channels, channels)
            )
            self.shrink = nn.AvgPool2d(2)
            self.pool = nn.AdaptiveAvgPool2d(1)
            self.regress = nn.Linear(channels, 4)

        def forward(self, image: Any) -> Any:
            x = self.stem(image)
            x = self.shrink(package.relu(x + self.block(x)))
            return soft_clip(self.regress(package.flatten(self.pool(x), 1)), 0.5)

    return ConvNet()
