"""A net with operators of two binaries: audio::soft_clip and cst::dual_residual.

In torch both are written with torch's own operators.
"""

from types import ModuleType
from typing import Any

LIBRARIES = ("libsoft_clip.so", "libdual_residual.so")
OPERATORS = ("audio::soft_clip", "cst::dual_residual")


def soft_clip_of(package: ModuleType) -> Any:
    if package.__name__ == "torch":
        return lambda x, limit: limit * package.tanh(x / limit)
    return package.ops.audio.soft_clip


def dual_residual_of(package: ModuleType) -> Any:
    if package.__name__ == "torch":
        return lambda x, y, alpha: (x * alpha - y, y * alpha - x)
    return package.ops.cst.dual_residual


def make(package: ModuleType, width: int = 6) -> Any:
    nn = package.nn
    soft_clip, dual_residual = soft_clip_of(package), dual_residual_of(package)

    class LimitedNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.left = nn.Linear(4, width)
            self.right = nn.Linear(4, width)
            self.out = nn.Linear(width, 3)

        def forward(self, x: Any, y: Any) -> tuple[Any, Any]:
            left = soft_clip(self.left(x), 0.5)
            right = soft_clip(self.right(y), 2.0)
            first, second = dual_residual(left, right, 0.25)
            return self.out(first), self.out(second)

    return LimitedNet()
