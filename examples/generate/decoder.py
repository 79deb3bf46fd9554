"""A small language model over bytes with a static cache, exported for generation.

    python decoder.py decoder.pt2 [--batch 2]

Its weights are random: the text that it generates has no meaning, but every step is real. The
program keeps the keys and values of earlier tokens in buffers that it writes, so that a step takes
only the new tokens and their positions.
"""

import argparse

import opwright as ow
from opwright import nn
from opwright.export import Dim, export, save

VOCABULARY = 256  # a token is a byte


class Attention(nn.Module):
    """Causal attention over a cache of `length` positions."""

    def __init__(self, width: int, heads: int, batch: int, length: int):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        for name in ("keys", "values"):
            cache = ow.zeros(batch, heads, length, width // heads)
            self.register_buffer(name, cache)

    def forward(self, x: ow.Tensor, positions: ow.Tensor, mask: ow.Tensor) -> ow.Tensor:
        parts = self.project(x).chunk(3, -1)
        query, key, value = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in parts)
        self.keys.index_copy_(2, positions, key)
        self.values.index_copy_(2, positions, value)
        attend = nn.functional.scaled_dot_product_attention
        seen = attend(query, self.keys, self.values, attn_mask=mask)
        return self.output(seen.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width: int, heads: int, batch: int, length: int):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads, batch, length)
        self.body_norm = nn.LayerNorm(width)
        self.body = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: ow.Tensor, positions: ow.Tensor, mask: ow.Tensor) -> ow.Tensor:
        x = x + self.attention(self.attention_norm(x), positions, mask)
        return x + self.body(self.body_norm(x))


class Decoder(nn.Module):
    """Returns the scores of the next token, float32[batch, 256]."""

    def __init__(self, batch: int, length: int = 256, width: int = 64, layers: int = 4):
        super().__init__()
        self.length = length
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList([Block(width, 4, batch, length) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens: ow.Tensor, positions: ow.Tensor) -> ow.Tensor:
        x = self.tokens(tokens) + self.positions(positions)
        mask = ow.arange(self.length) <= positions.unsqueeze(1)
        for block in self.blocks:
            x = block(x, positions, mask)
        return self.head(self.norm(x[:, -1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", default="decoder.pt2")
    parser.add_argument("--batch", type=int, default=2, help="sequences at a time")
    given = parser.parse_args()

    ow.manual_seed(0)
    model = Decoder(given.batch).eval()
    count = Dim("count", min=1, max=model.length)  # of the new tokens
    example = (ow.zeros(given.batch, 7, dtype=ow.int64), ow.arange(7))
    sizes = {"tokens": {1: count}, "positions": {0: count}}
    with ow.no_grad():
        program = export(model, example, dynamic_shapes=sizes)
    save(program, given.path)
    print("written:", len(program.graph_signature.buffers_to_mutate), "caches")


if __name__ == "__main__":
    main()
