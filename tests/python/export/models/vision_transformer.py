"""A small ViT: patches, a class token, attention, layer norm, GELU.

Positions are a sum of one for the row and one for the column of a patch, so that images of any
height work.
"""

from types import ModuleType
from typing import Any

PATCH = 4
MOST_ROWS = 8
COLUMNS = 3


def make(package: ModuleType, width: int = 16, heads: int = 4, depth: int = 2) -> Any:
    nn = package.nn

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(width)
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
            self.norm2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width)
            )

        def forward(self, x: Any) -> Any:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, need_weights=False)[0]
            return x + self.mlp(self.norm2(x))

    class VisionTransformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(3, width, PATCH, stride=PATCH)
            self.class_token = nn.Parameter(0.1 * package.randn(1, 1, width))
            self.row_positions = nn.Parameter(0.1 * package.randn(MOST_ROWS, 1, width))
            self.column_positions = nn.Parameter(0.1 * package.randn(1, COLUMNS, width))
            self.layers = nn.ModuleList(Layer() for _ in range(depth))
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, 5)

        def forward(self, image: Any) -> dict[str, Any]:
            x = self.patches(image)
            positions = self.row_positions[: x.shape[2]] + self.column_positions
            x = x.flatten(2).transpose(1, 2) + positions.flatten(0, 1)
            x = package.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1)
            for layer in self.layers:
                x = layer(x)
            x = self.norm(x)
            return {"classes": self.head(x[:, 0]), "tokens": x[:, 1:]}

    return VisionTransformer()
