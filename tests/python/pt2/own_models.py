"""Programs of Opwright that become archives: what torch must load and run.

Each case is a function or module, the arguments of its export and of more calls, and the dynamic
sizes.
"""

from collections import OrderedDict

import opwright as ow
from opwright import nn
from opwright.export import Dim


class Counter(nn.Module):
    """A buffer that is written, one that is not saved, a captured tensor, a result of None."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("count", ow.zeros(1))
        self.register_buffer("offset", ow.arange(4.0), persistent=False)
        self.constant = ow.ones(4)

    def forward(self, x):
        self.count += x.shape[0]
        scores = self.layer(x) + self.offset + self.constant
        return {
            "scores": scores,
            "count": self.count.clone(),
            "none": None,
            "size": 2 * x.shape[0] + 1,
        }


def count_items(x, k):
    total = k.sum().item()
    ow.check(total >= 0, "the total must not be negative")
    ow.check(total <= x.shape[0], "the total is too large")
    return x[:total], total


def write_input(x, y):
    x.add_(y)
    return y * 2


def broadcast_write(x, y):
    x.copy_(y)
    return x + 1


def without_gradients(x):
    with ow.no_grad():
        mean = x.mean(0, keepdim=True)
        size = mean.shape[0] + x.shape[0]
    return (x - mean).reshape(size - 1, -1) * size


def sized_by_extremes(x, y):
    rows, columns = x.shape[0], y.shape[0]
    return ow.zeros(ow.sym_max(rows, columns), ow.sym_min(rows, columns)) + 1


def select(x, mode="mean"):
    return x.mean() if mode == "mean" else x.sum()


def cases():
    """Yield name, function, calls (the first one is exported), keyword arguments, dynamic sizes."""
    batch, unit, other = Dim("batch", min=2, max=64), Dim("unit"), Dim("other", min=2)
    r = ow.randn
    yield "counter", Counter(), [(r(4, 4),), (r(3, 4),)], {}, {"x": {0: batch}}
    yield "renamed", lambda x: x.reshape(-1, 2) + 1, [(r(4, 4),), (r(3, 4),)], {}, [{0: unit}]
    yield "nonzero", lambda x: (x > 0).nonzero(), [(r(5),), (r(9),)], {}, [{0: batch}]
    items = [(r(5), ow.tensor([1, 2])), (r(7), ow.tensor([2, 3]))]
    yield "items", count_items, items, {}, [{0: batch}, None]
    yield "write_input", write_input, [(r(3), r(3))], {}, None
    yield "broadcast_write", broadcast_write, [(r(2, 3), ow.arange(3))], {}, None
    lists = [([r(3), r(3)], ow.tensor([0, 1]))]
    yield "lists", lambda xs, i: ow.cat(xs) + xs[0][i].sum(), lists, {}, None
    yield "optional_index", lambda x, i: x[:, i], [(r(3, 4), ow.tensor([0, 1]))], {}, None
    yield "several_results", lambda x: [*x.split(2), *x.max(0)], [(r(5, 3),)], {}, None
    yield "bfloat16", lambda x: x.to(ow.bfloat16) * 2, [(r(3),)], {}, None
    yield "bfloat16_input", lambda x: x * 2, [(r(3).to(ow.bfloat16),)], {}, None
    yield "complex", lambda x: (ow.fft.fft(x) * (1 + 2j)).real, [(r(8),)], {}, None
    yield "bools", lambda x: (x > 0) & (x < 1), [(r(8),)], {}, None
    yield "no_grad", without_gradients, [(r(4, 3),), (r(6, 3),)], {}, [{0: batch}]
    doubled = [(r(3), r(6)), (r(5), r(10))]
    yield "doubled", lambda x, y: ow.cat([x, x]) + y, doubled, {}, [{0: batch}, {0: 2 * batch}]
    odd = [(r(7),), (r(11),)]
    yield "odd", lambda y: y[1:].reshape(2, -1) + 1, odd, {}, [{0: 2 * batch + 1}]
    numbers = [(r(9), 4), (r(9), 3)]
    yield "number", lambda x, n: x[:n] * n, numbers, {}, {"x": None, "n": Dim("n", min=2, max=9)}
    extremes = [(r(4), r(6)), (r(7), r(3))]
    yield "extremes", sized_by_extremes, extremes, {}, [{0: batch}, {0: other}]
    yield "structures", lambda x: OrderedDict(a=x, b=(x + 1, [x])), [(r(2),)], {}, None
    yield "keyword", lambda x, *, scale=1.0: x * scale, [(r(2),)], {"scale": 3.0}, None
    yield "text", select, [(r(2), "sum")], {}, None
    yield "convolution", nn.Conv2d(3, 4, 3, bias=False), [(r(1, 3, 8, 8),)], {}, None
    yield "infinity", lambda x: ow.where(x > 0, x, -float("inf")), [(r(4),)], {}, None
    yield (
        "dtypes",
        lambda x: ow.arange(4, dtype=ow.int32) + x.to(ow.uint8),
        [(ow.ones(4),)],
        {},
        None,
    )
    formatted = [(r(2, 3, 4, 4),)]
    yield "format", lambda x: x.contiguous(memory_format=ow.channels_last) * 1, formatted, {}, None
    yield "literal", lambda x: x + ow.tensor([1.0, 2.0, 3.0]), [(r(3),)], {}, None
    yield "recurrent", nn.LSTM(4, 5, batch_first=True), [(r(2, 3, 4),)], {}, None
    rests = [(r(4, 3),), (r(5, 3),)]
    yield "rest", lambda x: x.reshape(-1)[: x.shape[0] % 3 + 1], rests, {}, [{0: batch}]
    heads = [(r(1, 2, 5, 4),), (r(1, 2, 9, 4),)]
    attention = nn.functional.scaled_dot_product_attention
    yield "attention", lambda q: attention(q, q, q, is_causal=True), heads, {}, [{2: batch}]
