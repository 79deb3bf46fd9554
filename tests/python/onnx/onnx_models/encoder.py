"""A transformer encoder over sequences of several lengths: what pads them is masked."""

from types import ModuleType
from typing import Any

from tests.python.export.models.limited_net import dual_residual_of

WIDTH = 16


def make(package: ModuleType, heads: int = 4, depth: int = 2) -> Any:
    nn = package.nn
    dual_residual = dual_residual_of(package)

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(WIDTH)
            self.attention = nn.MultiheadAttention(WIDTH, heads, batch_first=True)
            self.norm2 = nn.LayerNorm(WIDTH)
            self.mlp = nn.Sequential(
                nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH)
            )

        def forward(self, x: Any, padding: Any) -> Any:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, key_padding_mask=padding, need_weights=False)[0]
            return x + self.mlp(self.norm2(x))

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(Layer() for _ in range(depth))
            self.norm = nn.LayerNorm(WIDTH)

        def forward(self, tokens: Any, padding: Any) -> tuple[Any, Any]:
            for layer in self.layers:
                tokens = layer(tokens, padding)
            tokens = self.norm(tokens)
            return dual_residual(tokens[:, 0], tokens.mean(1), 0.5)

    return Encoder()
