"""A small ResNet: convolutions, batch norm, residual blocks, pooling."""

from types import ModuleType
from typing import Any


def make(package: ModuleType, channels: int = 6, num_classes: int = 5) -> Any:
    nn = package.nn

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU(inplace=True)
            self.downsample = None
            if stride != 1 or inputs != outputs:
                self.downsample = nn.Sequential(
                    nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False),
                    nn.BatchNorm2d(outputs),
                )

        def forward(self, x: Any) -> Any:
            shortcut = x if self.downsample is None else self.downsample(x)
            y = self.relu(self.bn1(self.conv1(x)))
            y = self.bn2(self.conv2(y))
            y += shortcut
            return self.relu(y)

    class ResidualNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2d(3, channels, 3, padding=1, bias=False),
                nn.BatchNorm2d(channels),
                nn.ReLU(inplace=True),
                nn.MaxPool2d(3, stride=2, padding=1),
            )
            self.layer1 = nn.Sequential(Block(channels, channels, 1), Block(channels, channels, 1))
            self.layer2 = nn.Sequential(Block(channels, 2 * channels, 2))
            self.pool = nn.AdaptiveAvgPool2d((1, 1))
            self.classify = nn.Linear(2 * channels, num_classes)

        def forward(self, image: Any) -> Any:
            x = self.layer2(self.layer1(self.stem(image)))
            return self.classify(package.flatten(self.pool(x), 1))

    return ResidualNet()
