"""Random programs of views and writes: their parts, and how one runs.

A program is a list of instructions, each an operation and three numbers. It works on a pool of
tensors, first its inputs, to which most operations add their result; the numbers choose among the
tensors and arguments that fit. So every list of numbers is a program.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import opwright as ow
from opwright.library import custom_op

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[3] / "build" / "release"))
ow.load_library(BUILD / "operators" / "libmutation.so")

Instruction = tuple[int, int, int, int]


@custom_op("programs::scale_", mutates_args=("x",))
def scale_(x: ow.Tensor, factor: float) -> None:
    x.mul_(factor)


@custom_op("programs::swap_", mutates_args=("x", "y"))
def swap_(x: ow.Tensor, y: ow.Tensor) -> ow.Tensor:
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)
    return x + y


@custom_op("programs::shift_all_", mutates_args=("xs",))
def shift_all_(xs: list[ow.Tensor], by: ow.Tensor | None) -> None:
    for x in xs:
        x.add_(1 if by is None else by.sum())


@custom_op("programs::lower", mutates_args=(), schema="(Tensor(a) x) -> Tensor(a)")
def lower(x):
    return x[x.shape[0] // 2 :]


@lower.register_scatter
def _(base, value):
    return ow.slice_scatter(base, value, 0, base.shape[0] // 2)


@custom_op("programs::halves", mutates_args=(), schema="(Tensor(a -> *) x) -> Tensor(a)[]")
def halves(x):
    middle = x.shape[0] // 2
    return [x[:middle], x[middle:]]


@halves.register_scatter
def _(base, value, place):
    middle = base.shape[0] // 2
    start, end = ((0, middle), (middle, base.shape[0]))[place]
    return ow.slice_scatter(base, value, 0, start, end)


def dim_of(x: ow.Tensor, a: int) -> int:
    return a % x.dim() - (x.dim() if a % 2 else 0) if x.dim() else 0


def order_of(x: ow.Tensor, a: int) -> list[int]:
    dims = list(range(x.dim()))
    return dims[a % max(len(dims), 1) :] + dims[: a % max(len(dims), 1)]


def bounds(size: int, a: int, b: int) -> tuple[int, int]:
    start = a % (size + 1)
    return start, start + b % (size - start + 1)


def slice_of(x: ow.Tensor, a: int, b: int) -> ow.Tensor:
    dim = dim_of(x, a)
    start, end = bounds(x.shape[dim], a, b)
    return ow.slice(x, dim, start, end, 1 + b % 2)


def assign(x: ow.Tensor, key: object, value: object) -> None:
    x[key] = value


def index_put(x: ow.Tensor, a: int, b: int) -> None:
    indices = ow.tensor([a % x.shape[0], b % x.shape[0]])
    x.index_put_([indices], ow.tensor(float(a)), a % 2 == 0)


# Each takes the tensor, two numbers and another tensor of the pool.
VIEWS: dict[str, Callable] = {
    "view": lambda x, a, b, y: x.view(-1) if a % 2 else x.view(*x.shape, 1),
    "reshape": lambda x, a, b, y: x.reshape(-1),
    "flatten": lambda x, a, b, y: x.flatten(),
    "transpose": lambda x, a, b, y: x.transpose(dim_of(x, a), dim_of(x, b)),
    "t": lambda x, a, b, y: x.t(),
    "permute": lambda x, a, b, y: x.permute(order_of(x, a)),
    "movedim": lambda x, a, b, y: x.movedim(dim_of(x, a), dim_of(x, b)),
    "select": lambda x, a, b, y: x.select(dim_of(x, a), b % x.shape[dim_of(x, a)]),
    "slice": lambda x, a, b, y: slice_of(x, a, b),
    "narrow": lambda x, a, b, y: x.narrow(0, *narrowed(x.shape[0], a, b)),
    "squeeze": lambda x, a, b, y: x.squeeze(),
    "squeeze_dim": lambda x, a, b, y: x.squeeze(dim_of(x, a)),
    "squeeze_dims": lambda x, a, b, y: x.squeeze([0, 1]),
    "unsqueeze": lambda x, a, b, y: x.unsqueeze(a % (x.dim() + 1)),
    "diagonal": lambda x, a, b, y: x.diagonal(b % 3 - 1),
    "unfold": lambda x, a, b, y: x.unfold(dim_of(x, a), 1 + b % 2, 1 + a % 3),
    "as_strided": lambda x, a, b, y: x.as_strided([1 + a % 2, 2], [2, 1]),
    "expand": lambda x, a, b, y: x.expand([1 + a % 2, *x.shape]),
    "alias": lambda x, a, b, y: x[...],
    "detach": lambda x, a, b, y: x.detach(),
    "split": lambda x, a, b, y: pick(x.split(1 + b % 2, dim_of(x, a)), b),
    "split_sizes": lambda x, a, b, y: pick(x.split([1, x.shape[0] - 1]), b),
    "chunk": lambda x, a, b, y: pick(x.chunk(2, dim_of(x, a)), b),
    "unbind": lambda x, a, b, y: pick(x.unbind(dim_of(x, a)), b),
    "first_row": lambda x, a, b, y: ow.ops.mutation.first_row(x),
    "lower": lambda x, a, b, y: lower(x),
    "halves": lambda x, a, b, y: pick(halves(x), b),
}
READS: dict[str, Callable] = {
    "add": lambda x, a, b, y: x + y,
    "sum": lambda x, a, b, y: x.sum(),
    "contiguous": lambda x, a, b, y: x.contiguous(),
    "clone": lambda x, a, b, y: x.clone(),
    "cat": lambda x, a, b, y: ow.cat([x, x]),
    "make": lambda x, a, b, y: ow.full([2, 1 + a % 3], b),
}
WRITES: dict[str, Callable] = {
    "add_": lambda x, a, b, y: x.add_(y),
    "add_number_": lambda x, a, b, y: x.add_(a),
    "mul_": lambda x, a, b, y: x.mul_(y),
    "mul_self_": lambda x, a, b, y: x.mul_(x),
    "sub_alpha_": lambda x, a, b, y: x.sub_(y, alpha=2),
    "neg_": lambda x, a, b, y: x.neg_(),
    "copy_": lambda x, a, b, y: x.copy_(y),
    "fill_": lambda x, a, b, y: x.fill_(a),
    "fill_tensor_": lambda x, a, b, y: x.fill_(y.sum()),
    "zero_": lambda x, a, b, y: x.zero_(),
    "lt_": lambda x, a, b, y: x.lt_(y),
    "masked_fill_": lambda x, a, b, y: x.masked_fill_(x > a, b),
    "index_put_": lambda x, a, b, y: index_put(x, a, b),
    "index_add_": lambda x, a, b, y: x.index_add_(0, ow.tensor([a % x.shape[0]]), x[:1].clone()),
    "tril_": lambda x, a, b, y: x.tril_(),
    "clamp_": lambda x, a, b, y: x.clamp_(-a, b),
    "set_slice": lambda x, a, b, y: assign(x, slice(*bounds(x.shape[0], a, b)), a),
    "set_item": lambda x, a, b, y: assign(x, a % x.shape[0], y),
    "set_mask": lambda x, a, b, y: assign(x, x > a, b),
    "set_list": lambda x, a, b, y: assign(x, [0, a % x.shape[0]], b),
    "out": lambda x, a, b, y: ow.ops.aten.add.out(y, y, out=x),
    "scale_": lambda x, a, b, y: scale_(x, float(a)),
    "swap_": lambda x, a, b, y: swap_(x, y),
    "shift_all_": lambda x, a, b, y: shift_all_([x, y], None),
    "shift_all_by_": lambda x, a, b, y: shift_all_([x], y),
    "accumulate": lambda x, a, b, y: ow.ops.mutation.accumulate(x, y, float(a)),
    "halve_": lambda x, a, b, y: ow.ops.mutation.halve_(x)[1],
    "increment_": lambda x, a, b, y: ow.ops.mutation.increment_(x),
    "uniform_": lambda x, a, b, y: x.uniform_(),
    "rand": lambda x, a, b, y: x.copy_(ow.rand_like(x)),
}
OPERATIONS = [*VIEWS.items(), *READS.items(), *WRITES.items()]


def narrowed(size: int, a: int, b: int) -> tuple[int, int]:
    start, end = bounds(size, a, b)
    return start, end - start


def pick(parts: Sequence[ow.Tensor], b: int) -> ow.Tensor:
    return parts[b % len(parts)]


MOST_ELEMENTS = 200

# What eager supports and functionalize reports as unsupported.
REFUSALS = (
    "is written twice under functionalize",
    "as_strided: the view reaches elements",
    "a view by as_strided that reaches other elements",
    "which functionalize does not change",  # an empty view as `out`
    "is written and shares part of its memory",  # eager does not see this through DLPack
)


def run(program: list[Instruction], inputs: list[ow.Tensor]) -> list[ow.Tensor]:
    """Run a program; return the pool. What an instruction cannot do raises."""
    pool = list(inputs)
    for operation, a, b, c in program:
        _, function = OPERATIONS[operation % len(OPERATIONS)]
        result = function(pool[c % len(pool)], a, b, pool[(c // 7) % len(pool)])
        if isinstance(result, ow.Tensor) and result.numel() <= MOST_ELEMENTS:
            pool.append(result)
    return pool


def text(program: list[Instruction]) -> str:
    """Show which operations a program has."""
    return ", ".join(
        f"{OPERATIONS[o % len(OPERATIONS)][0]}({a}, {b}, {c})" for o, a, b, c in program
    )
