"""A small GPT whose key/value cache is buffers, written in place at the positions of a step.

The head shares its weight with the embedding.
"""

import math
from types import ModuleType
from typing import Any

MOST_TOKENS = 24
MOST_BATCH = 6


def make(package: ModuleType, vocabulary: int = 19, width: int = 16, heads: int = 2) -> Any:
    nn = package.nn
    per_head = width // heads

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.project = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
            for name in ("keys", "values"):
                cache = package.zeros(MOST_BATCH, heads, MOST_TOKENS, per_head)
                self.register_buffer(name, cache)

        def forward(self, x: Any, positions: Any, mask: Any) -> Any:
            batch, steps, _ = x.shape
            query, key, value = (
                part.reshape(batch, steps, heads, per_head).transpose(1, 2)
                for part in self.project(x).chunk(3, -1)
            )
            keys, values = self.keys[:batch], self.values[:batch]
            keys.index_copy_(2, positions, key)
            values.index_copy_(2, positions, value)
            scores = query @ keys.transpose(-2, -1) / math.sqrt(per_head)
            weights = package.softmax(scores.masked_fill(~mask, -math.inf), -1)
            return self.out((weights @ values).transpose(1, 2).reshape(batch, steps, width))

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(width)
            self.attention = Attention()
            self.norm2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 4 * width),
                nn.GELU(approximate="tanh"),
                nn.Linear(4 * width, width),
            )

        def forward(self, x: Any, positions: Any, mask: Any) -> Any:
            x = x + self.attention(self.norm1(x), positions, mask)
            return x + self.mlp(self.norm2(x))

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(vocabulary, width)
            self.positions = nn.Embedding(MOST_TOKENS, width)
            self.layers = nn.ModuleList(Layer() for _ in range(2))
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)
            self.head.weight = self.tokens.weight
            causal = package.ones(MOST_TOKENS, MOST_TOKENS).tril() > 0
            self.register_buffer("causal", causal, persistent=False)

        def forward(self, tokens: Any, positions: Any) -> Any:
            x = self.tokens(tokens) + self.positions(positions)
            mask = self.causal[positions]
            for layer in self.layers:
                x = layer(x, positions, mask)
            return self.head(self.norm(x))

    return Decoder()
