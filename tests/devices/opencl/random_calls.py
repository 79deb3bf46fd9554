"""Random calls on a device, compared with the CPU as the reference.

Tensors have odd shapes and strides, all real dtypes, and elements at the edges of what their dtype
holds. `python random_calls.py --seconds 300 --seed 1` looks for differences; the test runs a few.
"""

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
if __name__ == "__main__":
    sys.path.insert(0, str(BUILD / "python"))

import opwright as ow  # noqa: E402

HALVES = [ow.float16, ow.bfloat16]
FLOATS = [ow.float32, ow.float64, *HALVES]
INTS = [ow.int8, ow.uint8, ow.int16, ow.int32, ow.int64]
ALL = [*FLOATS, *INTS, ow.bool]
RANGES = {ow.int8: 8, ow.int16: 16, ow.int32: 32, ow.int64: 64}
# Relative to the element, and to the largest one: terms may cancel out.
TOLERANCES = {
    ow.float16: (2e-3, 2e-3),
    ow.bfloat16: (1.6e-2, 1.6e-2),
    ow.float32: (2e-5, 2e-6),
    ow.float64: (1e-11, 1e-13),
}
EDGES = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1.0, -1.0, 3.0, 1e-40, 1e10, -1e10, 6e4, 1e30]
NOT_FINITE = [float("nan"), float("inf"), float("-inf")]

Draw = random.Random


def words(text: str) -> list[str]:
    return text.split()


def draw_numbers(draw: Draw, dtype: ow.dtype, count: int) -> numpy.ndarray:
    """Elements of a dtype, many of them at its edges."""
    if dtype == ow.bool:
        return numpy.array([draw.random() < 0.5 for _ in range(count)], dtype=bool)
    if dtype in FLOATS:
        edges = EDGES + (NOT_FINITE if draw.random() < 0.5 else [])
        values = [
            draw.choice(edges) if draw.random() < 0.3 else draw.gauss(0, 3) for _ in range(count)
        ]
        return numpy.array(values, dtype="float64")
    low, high = (
        (0, 255) if dtype == ow.uint8 else (-(1 << RANGES[dtype] - 1), (1 << RANGES[dtype] - 1) - 1)
    )
    edges = [low, low + 1, high, high - 1, 0, 1, 2, 3, 7]
    values = [
        draw.choice(edges) if draw.random() < 0.3 else draw.randint(max(low, -9), 9)
        for _ in range(count)
    ]
    return numpy.array(values, dtype="int64")


def draw_sizes(draw: Draw, ndim: int | None = None) -> list[int]:
    ndim = draw.choice([0, 1, 1, 2, 2, 3, 4]) if ndim is None else ndim
    least = 0 if draw.random() < 0.1 else 1
    return [
        draw.choice([least, 1, 2, 3, 5, 7, 65]) if draw.random() < 0.8 else 4 for _ in range(ndim)
    ]


@dataclass
class Twins:
    """The same tensor on the CPU and on the device, by the same views of the same memory."""

    cpu: ow.Tensor
    there: ow.Tensor

    def both(self, change: Callable[[ow.Tensor], ow.Tensor]) -> "Twins":
        return Twins(change(self.cpu), change(self.there))


def make_twins(draw: Draw, device: str, dtype: ow.dtype, sizes: list[int]) -> Twins:
    layout = draw.choice(["plain", "plain", "turned", "stepped", "spread", "late"])
    if not sizes:
        layout = draw.choice(["plain", "late"])
    stored = list(sizes)
    if layout == "turned":
        stored = sizes[::-1]
    elif layout == "stepped":
        stored[-1] = stored[-1] * 2 + 1
    elif layout == "spread":
        at = draw.randrange(len(sizes))
        stored[at] = min(stored[at], 1)
        if sizes[at] == 0:
            layout = "plain"
    elif layout == "late":
        stored = [3, *sizes]
    count = int(numpy.prod(stored))
    values = draw_numbers(draw, dtype, count).reshape(stored)
    base = ow.from_numpy(values).to(dtype)
    made = Twins(base, base.to(device))
    if layout == "turned":
        return made.both(lambda x: x.permute(list(range(len(sizes)))[::-1]))
    if layout == "stepped":
        return made.both(lambda x: x[..., 1::2])
    if layout == "spread":
        return made.both(lambda x: x.expand(sizes))
    if layout == "late":
        return made.both(lambda x: x[1])
    return made


def broadcast_from(draw: Draw, sizes: list[int]) -> list[int]:
    """Sizes that broadcast to `sizes`."""
    kept = [1 if draw.random() < 0.2 else size for size in sizes]
    return kept[draw.randrange(len(kept) + 1) if draw.random() < 0.2 else 0 :]


@dataclass
class Call:
    """One call: the text names it, `run` gets the tensors of one of the two devices."""

    text: str
    run: Callable[..., object]
    twins: list[Twins]
    is_exact: bool = False


UNARY = words(
    "neg abs sign ceil floor round trunc reciprocal sqrt rsqrt exp expm1 log log2 log10 "
    "log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf relu sigmoid "
    "silu isnan isinf logical_not bitwise_not hardswish hardsigmoid mish selu relu6 celu "
    "logit"
)
BINARY = words(
    "add sub mul div floor_divide fmod remainder pow atan2 maximum minimum xlogy eq ne lt "
    "le gt ge bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor"
)
EXACT = set(
    words(
        "neg abs sign ceil floor round trunc relu isnan isinf logical_not bitwise_not add "
        "sub mul fmod remainder maximum minimum eq ne lt le gt ge bitwise_and bitwise_or "
        "bitwise_xor logical_and logical_or logical_xor clamp where floor_divide div"
    )
)
INT_DIVISIONS = {"floor_divide", "fmod", "remainder", "div_trunc", "div_floor"}
FOLDS = words(
    "sum mean prod amax amin max min argmax argmin any all var std norm count_nonzero "
    "logsumexp max_dim min_dim softmax log_softmax"
)


def function(name: str) -> Callable:
    return getattr(ow, name, None) or getattr(ow.ops.aten, name)


def draw_unary(draw: Draw, device: str) -> Call:
    name = draw.choice(UNARY)
    dtype = draw.choice(ALL)
    x = make_twins(draw, device, dtype, draw_sizes(draw))
    return Call(f"{name}({dtype})", function(name), [x], name in EXACT)


def draw_number(draw: Draw, is_zero_bad: bool) -> object:
    number = draw.choice(
        [0, 1, -1, 2, 7, -3, 0.5, -2.5, True, 127, 300, 1e10, float("nan"), float("inf")]
    )
    return 3 if is_zero_bad and number == 0 else number


def without_zeros(x: ow.Tensor) -> ow.Tensor:
    return ow.where(x == 0, ow.ones_like(x), x)


def draw_binary(draw: Draw, device: str) -> Call:
    name = draw.choice([*BINARY, "div_trunc", "div_floor", "in_place"])
    written = (
        draw.choice(["add_", "sub_", "mul_", "maximum", "fmod_", "remainder_"])
        if name == "in_place"
        else ""
    )
    shown = written or name
    divides = shown.rstrip("_") in INT_DIVISIONS
    sizes = draw_sizes(draw)
    left, right = draw.choice(ALL), draw.choice(ALL)
    x = make_twins(draw, device, left, sizes)
    kind = draw.choice(["tensor", "tensor", "tensor", "number", "zero-dim", "cpu"])

    def call(a, b):
        if name.startswith("div_"):
            return ow.div(a, b, rounding_mode=name[4:])
        if written.endswith("_"):
            return getattr(a.clone(), written)(b)
        return function(shown)(a, b)

    is_exact = shown.rstrip("_") in EXACT or divides
    if kind == "number":
        number = draw_number(draw, divides)
        return Call(f"{shown}({left}, {number!r})", lambda a: call(a, number), [x], is_exact)
    y = make_twins(draw, device, right, [] if kind != "tensor" else broadcast_from(draw, sizes))
    if divides:
        y = y.both(without_zeros)
    if kind == "cpu":
        y = Twins(y.cpu, y.cpu)
    return Call(f"{shown}({left}, {kind} {right})", call, [x, y], is_exact)


def draw_choice(draw: Draw, device: str) -> Call:
    name = draw.choice(
        [
            "where",
            "clamp",
            "clamp_tensor",
            "addcmul",
            "addcdiv",
            "lerp",
            "masked_fill",
            "to",
            "fill",
        ]
    )
    sizes = draw_sizes(draw)
    dtype = draw.choice(ALL)
    x = make_twins(draw, device, dtype, sizes)
    if name == "where":
        other = draw.choice(ALL)
        mask = make_twins(draw, device, ow.bool, broadcast_from(draw, sizes))
        y = make_twins(draw, device, other, broadcast_from(draw, sizes))
        return Call(f"where({dtype}, {other})", ow.where, [mask, x, y], True)
    if name == "clamp":
        low, high = draw.choice(
            [(0, 2), (None, 1), (-1.5, None), (3, -3), (float("nan"), 1), (0, float("inf"))]
        )
        return Call(f"clamp({dtype}, {low}, {high})", lambda a: ow.clamp(a, low, high), [x], True)
    if name == "clamp_tensor":
        low, high = draw.choice(ALL), draw.choice(ALL)
        bounds = [
            make_twins(draw, device, each, broadcast_from(draw, sizes)) for each in (low, high)
        ]
        return Call(
            f"clamp({dtype}, {low}, {high})", lambda a, b, c: ow.clamp(a, b, c), [x, *bounds], True
        )
    if name == "masked_fill":
        mask = make_twins(draw, device, ow.bool, broadcast_from(draw, sizes))
        number = draw_number(draw, False)
        return Call(
            f"masked_fill({dtype}, {number!r})",
            lambda a, m: a.masked_fill(m, number),
            [x, mask],
            True,
        )
    if name == "fill":
        number = draw_number(draw, False)
        return Call(f"fill({dtype}, {number!r})", lambda a: a.clone().fill_(number), [x], True)
    if name == "to":
        to = draw.choice([ow.float32, ow.float64, *HALVES, *INTS, ow.bool, ow.complex64])
        if dtype in FLOATS and to in INTS:
            most = 100 if to in (ow.int8, ow.uint8) else 30000
            x = x.both(lambda a: ow.where(abs(a) < most, a, ow.ones_like(a)))
        return Call(f"to({dtype}, {to})", lambda a: a.to(to), [x], True)
    others = [draw.choice(ALL) for _ in range(2)]
    y, z = (make_twins(draw, device, each, broadcast_from(draw, sizes)) for each in others)
    number = draw.choice([1, 2, -0.5])
    if name == "lerp":
        return Call(
            f"lerp({dtype}, {others}, {number})", lambda a, b, c: ow.lerp(a, b, number), [x, y, z]
        )
    return Call(
        f"{name}({dtype}, {others}, {number})",
        lambda a, b, c: function(name)(a, b, c, value=number),
        [x, y, z],
    )


def draw_fold(draw: Draw, device: str) -> Call:
    name = draw.choice(FOLDS)
    dtype = draw.choice(ALL)
    sizes = draw_sizes(draw)
    if draw.random() < 0.15:
        sizes = draw.choice([[5000], [2, 4099], [4099, 2], [3, 70, 70]])
    x = make_twins(draw, device, dtype, sizes)
    dim = draw.randrange(-len(sizes), len(sizes)) if sizes else -1
    keep = draw.random() < 0.5
    one = draw.random() < 0.6
    text = f"{name}({dtype}{sizes}, dim={dim if one else None}, keepdim={keep})"
    if name in ("max_dim", "min_dim"):
        return Call(text, lambda a: getattr(ow, name[:3])(a, dim, keep), [x], True)
    if name in ("max", "min"):
        return Call(text, lambda a: function(name)(a), [x], True)
    if name in ("softmax", "log_softmax"):
        return Call(text, lambda a: function(name)(a, dim), [x])
    if name == "logsumexp":
        return Call(text, lambda a: ow.logsumexp(a, [dim], keep), [x])
    if name == "count_nonzero":
        return Call(
            text, lambda a: ow.count_nonzero(a, dim) if one else ow.count_nonzero(a), [x], True
        )
    if name in ("norm", "var", "std") and dtype in FLOATS:  # squares are float32 there
        x = x.both(lambda a: a.clamp(-1e9, 1e9))
    if name == "norm":
        order = draw.choice([0, 1, 2, 3, 0.5, float("inf"), float("-inf"), -1])
        return Call(
            f"{text} order {order}",
            lambda a: ow.ops.aten.linalg_vector_norm(a, order, [dim] if one else None, keep),
            [x],
        )
    if name in ("var", "std"):
        correction = draw.choice([0, 1, 2, 0.5, 100])
        return Call(
            f"{text} correction {correction}",
            lambda a: function(name)(
                a, [dim] if one else None, correction=correction, keepdim=keep
            ),
            [x],
        )
    if name in ("amax", "amin"):
        return Call(text, lambda a: function(name)(a, [dim] if one else [], keep), [x], True)
    is_exact = name in ("argmax", "argmin", "any", "all") or dtype in INTS
    return Call(
        text, lambda a: function(name)(a, dim, keep) if one else function(name)(a), [x], is_exact
    )


def draw_indices(draw: Draw, device: str, sizes: list[int], size: int, meets: bool) -> Twins:
    count = int(numpy.prod(sizes))
    if meets or count > size:
        values = [draw.randrange(-size, size) if size else 0 for _ in range(count)]
    else:
        values = draw.sample(range(size), count)
    made = ow.from_numpy(numpy.array(values, dtype="int64").reshape(sizes))
    return Twins(made, made.to(device))


def draw_index(draw: Draw, device: str) -> Call:
    name = draw.choice(
        words(
            "index index_put index_put_add index_select gather scatter scatter_add "
            "index_add index_fill mask cat flip roll tril cumsum nonzero masked_select "
            "embedding take_along_dim pad repeat diagonal"
        )
    )
    dtype = draw.choice(ALL)
    sizes = draw_sizes(draw, draw.choice([1, 2, 3]))
    x = make_twins(draw, device, dtype, sizes)
    dim = draw.randrange(len(sizes))
    size = sizes[dim]
    text = f"{name}({dtype}{sizes}, dim={dim})"
    some = [draw.choice([1, 2, 4])]
    if name in ("index", "index_put", "index_put_add"):
        meets = name != "index_put"
        index = draw_indices(draw, device, some if meets else [min(1, size)], size, meets)
        before = (slice(None),) * dim
        if name == "index":
            return Call(text, lambda a, i: a[(*before, i)], [x, index], True)

        def put(a, i, v):
            written = a.clone()
            written.index_put_((None,) * dim + (i,), v, name == "index_put_add")
            return written

        values = make_twins(draw, device, dtype, [])
        return Call(text, put, [x, index, values], name == "index_put" or dtype in INTS)
    if name in ("index_select", "index_add", "index_fill"):
        index = draw_indices(draw, device, some, size, True).both(lambda i: i % max(size, 1))
        if name == "index_select":
            return Call(text, lambda a, i: ow.index_select(a, dim, i), [x, index], True)
        if name == "index_fill":
            return Call(text, lambda a, i: a.index_fill(dim, i, 3), [x, index], True)
        source = make_twins(draw, device, dtype, sizes[:dim] + some + sizes[dim + 1 :])
        alpha = 2 if dtype != ow.bool else True
        return Call(
            text,
            lambda a, i, s: a.index_add(dim, i, s, alpha=alpha),
            [x, index, source],
            dtype in INTS,
        )
    if name in ("gather", "take_along_dim"):
        shape = [*sizes[:dim], *some, *sizes[dim + 1 :]]
        index = draw_indices(draw, device, shape, size, True).both(lambda i: i % max(size, 1))
        if name == "gather":
            return Call(text, lambda a, i: ow.gather(a, dim, i), [x, index], True)
        return Call(text, lambda a, i: ow.take_along_dim(a, i, dim), [x, index], True)
    if name in ("scatter", "scatter_add"):
        index = draw_indices(draw, device, sizes, size, True).both(lambda i: i % max(size, 1))
        if name == "scatter":  # of several writes to one element, any may win
            return Call(text, lambda a, i: a.scatter(dim, i, 3), [x, index], True)
        source = make_twins(draw, device, dtype, sizes)
        return Call(
            text, lambda a, i, s: a.scatter_add(dim, i, s), [x, index, source], dtype in INTS
        )
    if name in ("mask", "masked_select"):
        mask = make_twins(draw, device, ow.bool, sizes)
        if name == "mask":
            return Call(text, lambda a, m: a[m], [x, mask], True)
        return Call(text, ow.masked_select, [x, mask], True)
    if name == "embedding":
        weight = make_twins(draw, device, dtype, [5, 3])
        index = draw_indices(draw, device, draw_sizes(draw), 5, True).both(lambda i: i % 5)
        return Call(text, lambda w, i: ow.ops.aten.embedding(w, i), [weight, index], True)
    if name == "cat":
        other = draw.choice(ALL)
        y = make_twins(draw, device, other, sizes)
        return Call(f"{text} with {other}", lambda a, b: ow.cat([a, b, a], dim), [x, y], True)
    runs = {
        "flip": lambda a: a.flip([dim]),
        "roll": lambda a: a.roll([2], [dim]),
        "tril": lambda a: ow.tril(a, -1) if a.dim() > 1 else a.clone(),
        "cumsum": lambda a: a.cumsum(dim),
        "nonzero": ow.nonzero,
        "pad": lambda a: ow.ops.aten.constant_pad_nd(a, [1, 2], 3),
        "repeat": lambda a: a.repeat([2] * a.dim()),
        "diagonal": lambda a: a.unsqueeze(0).expand([4, *a.shape]).diagonal(1, 0, 1) * 2,
    }
    return Call(text, runs[name], [x], name != "cumsum" or dtype in INTS)


def draw_product(draw: Draw, device: str) -> Call:
    dtype = draw.choice([*FLOATS, *INTS])
    rows, depth, columns = (draw.choice([0, 1, 3, 33, 40]) for _ in range(3))
    batch = draw.choice([None, None, 1, 3])
    lead = [] if batch is None else [batch]
    x = make_twins(draw, device, dtype, [*lead, rows, depth])
    y = make_twins(draw, device, dtype, [*lead, depth, columns])
    if dtype in FLOATS:  # huge values cancel differently
        x, y = (each.both(lambda a: a.clamp(-9, 9)) for each in (x, y))
    if batch is None and draw.random() < 0.5:
        added = make_twins(
            draw, device, dtype, draw.choice([[columns], [rows, columns], [1, columns]])
        )
        if dtype in FLOATS:
            added = added.both(lambda a: a.clamp(-9, 9))
        alpha, beta = draw.choice([(1, 1), (2, 0), (-1, 3), (0, 1)])
        return Call(
            f"addmm({dtype}, {rows}x{depth}x{columns}, beta={beta}, alpha={alpha})",
            lambda a, b, c: ow.addmm(a, b, c, beta=beta, alpha=alpha),
            [added, x, y],
        )
    return Call(f"matmul({dtype}, {lead}{rows}x{depth}x{columns})", ow.matmul, [x, y])


COMPOSED = {
    "layer_norm": lambda x, y: ow.nn.functional.layer_norm(x, x.shape[-1:]),
    "rms_norm": lambda x, y: ow.ops.aten.rms_norm(x, x.shape[-1:]),
    "mse_loss": lambda x, y: ow.ops.aten.mse_loss(x, y),
    "smooth_l1_loss": lambda x, y: ow.ops.aten.smooth_l1_loss(x, y, 0, 0.5),
    "huber_loss": lambda x, y: ow.ops.aten.huber_loss(x, y, 0, 0.5),
    "l1_loss": lambda x, y: ow.ops.aten.l1_loss(x, y, 0),
    "binary_cross_entropy": lambda x, y: ow.ops.aten.binary_cross_entropy(x.sigmoid(), y),
    "with_logits": lambda x, y: ow.ops.aten.binary_cross_entropy_with_logits(x, y, None, None, 0),
    "glu": lambda x, y: ow.ops.aten.glu(x, 0),
    "prelu": lambda x, y: ow.ops.aten.prelu(x, y.reshape(-1)[:1]),
    "cosine_similarity": lambda x, y: ow.ops.aten.cosine_similarity(x, y, 0),
    "pairwise_distance": lambda x, y: ow.ops.aten.pairwise_distance(x, y),
    "var_mean": lambda x, y: ow.ops.aten.var_mean(x),
    "std_mean": lambda x, y: ow.ops.aten.std_mean(x, [0]),
    "diff": lambda x, y: ow.ops.aten.diff(x),
    "gelu": lambda x, y: ow.ops.aten.gelu(x),
    "tanh gelu": lambda x, y: ow.ops.aten.gelu(x, approximate="tanh"),
    "elu": lambda x, y: ow.ops.aten.elu(x, 1.5),
    "leaky_relu": lambda x, y: ow.ops.aten.leaky_relu(x, 0.1),
    "hardtanh": lambda x, y: ow.ops.aten.hardtanh(x, -2, 2),
    "threshold": lambda x, y: ow.ops.aten.threshold(x, 1, 7),
    "softplus": lambda x, y: ow.ops.aten.softplus(x, 2),
    "softshrink": lambda x, y: ow.ops.aten.softshrink(x),
    "hardshrink": lambda x, y: ow.ops.aten.hardshrink(x),
    "rsub": lambda x, y: ow.ops.aten.rsub(x, 3, 2),
    "max_pool2d": lambda x, y: ow.ops.aten.max_pool2d(x, 2, 1),
    "avg_pool2d": lambda x, y: ow.ops.aten.avg_pool2d(x, 2, 1),
    "cross_entropy": lambda x, y: ow.nn.functional.cross_entropy(x, y.softmax(-1)),
    "log_sigmoid": lambda x, y: ow.ops.aten.log_sigmoid(x),
    "trace": lambda x, y: ow.ops.aten.trace(x),
    "equal": lambda x, y: ow.tensor(ow.equal(x, y)),
    "allclose": lambda x, y: ow.tensor(ow.allclose(x, y)),
}


def draw_composed(draw: Draw, device: str) -> Call:
    name = draw.choice(list(COMPOSED))
    dtype = draw.choice(ALL) if draw.random() < 0.5 else ow.float32
    sizes = draw_sizes(draw)
    twins = [make_twins(draw, device, dtype, sizes) for _ in range(2)]
    if dtype in FLOATS:  # terms that are huge cancel out differently
        twins = [each.both(lambda a: a.clamp(-99, 99)) for each in twins]
    return Call(f"{name}({dtype}{sizes})", COMPOSED[name], twins)


KINDS = [
    draw_composed,
    draw_unary,
    draw_binary,
    draw_binary,
    draw_choice,
    draw_fold,
    draw_fold,
    draw_index,
    draw_product,
]


def run(call: Call, side: str) -> object:
    """The result, or the error."""
    try:
        return call.run(*(getattr(each, side) for each in call.twins))
    except Exception as error:
        return error


def as_numpy(x: ow.Tensor) -> numpy.ndarray:
    if x.dtype in HALVES:
        x = x.to(ow.float32)
    return x.cpu().numpy()


def compare_tensors(actual: ow.Tensor, expected: ow.Tensor, is_exact: bool) -> str:
    if actual.dtype != expected.dtype or list(actual.shape) != list(expected.shape):
        return f"{actual.dtype}{list(actual.shape)} for {expected.dtype}{list(expected.shape)}"
    got, wanted = as_numpy(actual), as_numpy(expected)
    if expected.dtype in TOLERANCES:
        rtol, atol = (1e-6, 0) if is_exact else TOLERANCES[expected.dtype]
        finite = numpy.abs(wanted[numpy.isfinite(wanted)])
        atol = atol * max(1.0, float(finite.max())) if finite.size else atol
        is_same = numpy.isclose(got, wanted, rtol, atol, equal_nan=True)
        if is_exact:
            is_number = ~numpy.isnan(wanted)
            is_same &= (numpy.signbit(got) == numpy.signbit(wanted)) | ~is_number
    else:
        is_same = (got == wanted) | ((got != got) & (wanted != wanted))
    if is_same.all():
        return ""
    at = tuple(int(each[0]) for each in numpy.nonzero(~numpy.atleast_1d(is_same)))
    count = int((~is_same).sum())
    one, other = (numpy.atleast_1d(each)[at] for each in (got, wanted))
    return f"{count} of {is_same.size} elements differ, at {at} {one!r} for {other!r}"


def compare(call: Call) -> tuple[str, str]:
    """The outcome of the call ("same", "missing", "different"), and the difference."""
    expected = run(call, "cpu")
    actual = run(call, "there")
    if isinstance(actual, NotImplementedError):
        return "missing", str(actual).splitlines()[0]
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        if type(expected) is type(actual):
            return "same", ""
        return "different", f"{actual!r} for {expected!r}"
    pairs = zip(
        actual if isinstance(actual, tuple) else [actual],
        expected if isinstance(expected, tuple) else [expected],
        strict=True,
    )
    problem = next((text for a, b in pairs if (text := compare_tensors(a, b, call.is_exact))), "")
    return ("different", problem) if problem else ("same", "")


def find_differences(
    device: str, seed: int, seconds: float, most: int
) -> Iterator[tuple[str, str]]:
    """The outcome of each call, with its text and the difference."""
    begin = time.monotonic()
    for number in range(most):
        if time.monotonic() - begin > seconds:
            return
        draw = random.Random(seed * 1_000_000 + number)
        call = draw.choice(KINDS)(draw, device)
        state, problem = compare(call)
        shown = f"#{number} {call.text}: {problem}" if problem else call.text
        if problem:
            shown += "".join(
                f"\n      {each.cpu!r} strides {each.cpu.stride()}" for each in call.twins
            )[:600]
        yield state, shown


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="opencl")
    chosen = parser.parse_args()
    counts, shown_before = Counter(), Counter()
    for state, text in find_differences(chosen.device, chosen.seed, chosen.seconds, 10**9):
        counts[state] += 1
        name = text.split(" ", 1)[1].split("(")[0] if state != "same" else ""
        shown_before[state, name] += 1
        if state != "same" and shown_before[state, name] <= (4 if state == "different" else 1):
            print(state, text, flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
