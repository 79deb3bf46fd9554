"""A small GPT: causal attention, the head is the embedding, logits are capped."""

from types import ModuleType
from typing import Any

from tests.python.export.models.limited_net import soft_clip_of

MOST_TOKENS = 32


def make(package: ModuleType, vocabulary: int = 19, width: int = 16, heads: int = 2) -> Any:
    nn = package.nn
    soft_clip = soft_clip_of(package)
    attend = nn.functional.scaled_dot_product_attention

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(width)
            self.project = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
            self.norm2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 4 * width),
                nn.GELU(approximate="tanh"),
                nn.Linear(4 * width, width),
            )

        def attention(self, x: Any) -> Any:
            batch, steps, _ = x.shape
            query, key, value = (
                part.reshape(batch, steps, heads, width // heads).transpose(1, 2)
                for part in self.project(x).chunk(3, -1)
            )
            mixed = attend(query, key, value, is_causal=True)
            return self.out(mixed.transpose(1, 2).reshape(batch, steps, width))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class LanguageModel(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(vocabulary, width)
            self.positions = nn.Embedding(MOST_TOKENS, width)
            self.layers = nn.ModuleList(Layer() for _ in range(2))
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, tokens: Any) -> Any:
            positions = package.arange(tokens.shape[1])
            x = self.tokens(tokens) + self.positions(positions)
            for layer in self.layers:
                x = layer(x)
            return soft_clip(self.head(self.norm(x)), 3.0)

    return LanguageModel()
