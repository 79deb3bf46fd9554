"""Archives with higher-order operators: torch_higher_order.py FOLDER, as torch_models.py.

torch does not decompose every one of these programs; those it does are written in both forms.
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch._higher_order_ops import scan, while_loop
from torch._higher_order_ops.map import map as map_rows
from torch.export import Dim
from torch_models import write


@torch.library.custom_op("pt2_writing::scale_into", mutates_args=("out",))
def scale_into(x: torch.Tensor, out: torch.Tensor, factor: float) -> torch.Tensor:
    out.copy_(x.sum(0) * factor if out.dim() < x.dim() else x * factor)
    return x * 2


@scale_into.register_fake
def _(x, out, factor):
    return torch.empty_like(x)


@torch.library.custom_op("pt2_writing::fill_all", mutates_args=("outs",))
def fill_all(outs: list[torch.Tensor], value: float) -> None:
    for out in outs:
        out.fill_(value)


class Choice(nn.Module):
    """cond on data inside of cond on a size, with weights in a branch."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        def positive(x):
            return torch.cond(x.max() > 1, lambda x: self.layer(x).relu(), lambda x: x + 3, (x,))

        total, count = torch.cond(
            (x.shape[0] > 4) & (x.shape[0] < 40),
            lambda x: (x * 2, x.sum()),
            lambda x: (x - 1, x.mean()),
            (x,),
        )
        return torch.cond(count > 0, positive, lambda x: x - 1, (x,)) + total


class Loop(nn.Module):
    def forward(self, x, times):
        def holds(step, _value):
            return step < times

        def advance(step, value):
            return step + 1, value * 2 + x

        return while_loop(holds, advance, (torch.zeros((), dtype=torch.int64), x))


class Recurrence(nn.Module):
    """scan with two carried tensors and two results, forward and backward, over a free length."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, steps):
        def advance(carried, x):
            state, count = carried
            state = torch.tanh(self.layer(state) + x)
            return (state, count + 1), (state * 2, state.sum(-1) + count)

        start = (torch.zeros(3, 4), torch.zeros(()))
        last, stacked = scan(advance, start, steps)

        def decay(carried, x):
            return carried * 0.5 + x, carried * 2

        reverse = scan(decay, torch.zeros(3, 4), steps, reverse=True)
        return last, stacked, reverse


class Mapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, rows, factor):
        return map_rows(lambda row, factor: self.layer(row) * factor + row.sum(), rows, factor)


class Writing(nn.Module):
    """Custom operators that write: a buffer, a view, a slice, a list of tensors."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sums", torch.zeros(4))

    def forward(self, x):
        doubled = torch.ops.pt2_writing.scale_into(x, self.sums, 2.0)
        copy = x.clone()
        torch.ops.pt2_writing.scale_into(x[0], copy[1], 3.0)
        torch.ops.pt2_writing.scale_into(x[:2], copy[2:4], 0.5)
        parts = [torch.zeros_like(x), torch.ones_like(x)]
        torch.ops.pt2_writing.fill_all(parts, 7.0)
        return doubled + self.sums + copy + parts[0] * parts[1]


class Drawing(nn.Module):
    """Random numbers, whose values are not compared."""

    def forward(self, x):
        noise = torch.rand(x.shape) + torch.randn_like(x) * 0
        return x + noise.floor(), torch.nn.functional.dropout(x, 0.0, training=True)


class GraftedWrite(nn.Module):
    """An in-place operator under no_grad on a tensor that has a gradient."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        with torch.no_grad():
            y.clamp_(min=0)
            y[0] = 1.0
        return y * 2


def cases():
    batch = Dim("batch", min=2, max=64)
    rows = [(torch.randn(n, 4) + 0.5,) for n in (6, 3)]
    yield "choice", Choice(), rows, ({0: batch},), True
    times = [(torch.randn(n, 4), torch.tensor(n)) for n in (6, 3)]
    yield "loop", Loop(), times, ({0: batch}, None), False
    steps = [(torch.randn(n, 3, 4),) for n in (5, 9)]
    yield "recurrence", Recurrence().requires_grad_(False), steps, ({0: batch},), True
    mapped = [(torch.randn(n, 3, 4), torch.randn(4)) for n in (5, 2)]
    yield "mapped", Mapped(), mapped, ({0: batch}, None), True
    rows = [(torch.randn(n, 4),) for n in (6, 5)]
    yield "writing", Writing(), rows, ({0: Dim("rows", min=4, max=64)},), True
    yield "grafted_write", GraftedWrite(), rows, ({0: batch},), True
    yield "drawing", Drawing(), rows, ({0: batch},), True


def main():
    torch.manual_seed(0)
    folder = Path(sys.argv[1])
    for name, model, calls, shapes, is_decomposed in cases():
        write(folder, name, model, calls, shapes, is_decomposed=is_decomposed)


if __name__ == "__main__":
    main()
