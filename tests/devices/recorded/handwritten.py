"""Calls written by hand: the operators that every device is meant to have, in forms that kernels
take different ways for (dense, transposed, broadcast, sliced, by rows and by columns)."""

from collections.abc import Iterator

from .sample import Sample

FLOATS = ("float32", "float16", "bfloat16")
NUMBERS = (*FLOATS, "int64")


def tensor(dtype, sizes, low=-2.0, high=2.0, strides=None, seed=1) -> dict:
    """The form of a tensor with values of a range."""
    dense, step = [], 1
    for size in reversed(sizes):
        dense.insert(0, step)
        step *= max(size, 1)
    strides = dense if strides is None else strides
    count = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    if dtype in ("int64", "int32", "uint8"):
        low, high = int(low), int(high)
    content = {
        "dtype": dtype,
        "sizes": list(sizes),
        "strides": strides,
        "offset": 0,
        "count": max(count, 1) if all(sizes) else 0,
        "values": {"seed": seed, "range": [low, high]},
    }
    return {"tensor": content}


def call(name, dtype, *args, **kwargs) -> Sample:
    return Sample(f"aten.{name}", dtype, list(args), kwargs)


# Name -> (smallest, largest) of its argument.
UNARY = {
    "abs": (-2, 2),
    "neg": (-2, 2),
    "sign": (-2, 2),
}
UNARY_OF_FLOATS = {
    "exp": (-3, 3),
    "expm1": (-2, 2),
    "log": (0.1, 5),
    "log2": (0.1, 5),
    "log10": (0.1, 5),
    "log1p": (-0.5, 5),
    "sqrt": (0, 5),
    "rsqrt": (0.2, 5),
    "reciprocal": (0.5, 4),
    "sin": (-3, 3),
    "cos": (-3, 3),
    "tan": (-1, 1),
    "sinh": (-2, 2),
    "cosh": (-2, 2),
    "tanh": (-3, 3),
    "asinh": (-3, 3),
    "acosh": (1.1, 3),
    "atanh": (-0.8, 0.8),
    "sigmoid": (-4, 4),
    "erf": (-2, 2),
    "floor": (-4, 4),
    "ceil": (-4, 4),
    "round": (-4, 4),
    "trunc": (-4, 4),
    "relu": (-2, 2),
    "silu": (-3, 3),
    "gelu": (-3, 3),
    "leaky_relu": (-3, 3),
    "elu": (-3, 3),
    "hardswish": (-5, 5),
    "hardsigmoid": (-5, 5),
    "mish": (-4, 4),
    "softplus": (-4, 4),
    "isnan": (-1, 1),
}
BINARY = (
    "add.Tensor",
    "sub.Tensor",
    "mul.Tensor",
    "maximum.default",
    "minimum.default",
    "eq.Tensor",
    "ne.Tensor",
    "lt.Tensor",
    "le.Tensor",
    "gt.Tensor",
    "ge.Tensor",
    "logical_and.default",
    "logical_or.default",
    "logical_xor.default",
)
REDUCTIONS = (
    "sum.dim_IntList",
    "amax.default",
    "amin.default",
    "any.dims",
    "all.dims",
)


def pointwise_calls() -> Iterator[Sample]:
    for dtype in NUMBERS:
        for name, (low, high) in UNARY.items():
            yield call(f"{name}.default", dtype, tensor(dtype, (7, 33), low, high))
            yield call(f"{name}.default", dtype, tensor(dtype, (7, 33), low, high, [1, 8]))
        for name in BINARY:
            x, y = tensor(dtype, (5, 64)), tensor(dtype, (5, 64), seed=2)
            yield call(name, dtype, x, y)
            yield call(name, dtype, x, tensor(dtype, (64,), seed=2))
            yield call(name, dtype, tensor(dtype, (5, 64), strides=[1, 5]), y)
        yield call("div.Tensor", dtype, tensor(dtype, (40,)), tensor(dtype, (40,), 1, 3, seed=2))
        for form in ("add.Scalar", "mul.Scalar", "sub.Scalar", "eq.Scalar", "gt.Scalar"):
            yield call(form, dtype, tensor(dtype, (4099,)), 2)
        yield call("add.Tensor", dtype, tensor(dtype, (9,)), tensor("int64", (9,), seed=2))
        yield call("add_.Tensor", dtype, tensor(dtype, (9, 8)), tensor(dtype, (8,), seed=2))
        yield call("clamp.default", dtype, tensor(dtype, (100,), -9, 9), -3, 4)
        yield call(
            "where.self", dtype, tensor("bool", (6, 5)), tensor(dtype, (6, 5)), tensor(dtype, ())
        )
        yield call("masked_fill.Scalar", dtype, tensor(dtype, (6, 5)), tensor("bool", (6, 5)), 3)
    for dtype in FLOATS:
        for name, (low, high) in UNARY_OF_FLOATS.items():
            yield call(f"{name}.default", dtype, tensor(dtype, (300,), low, high))
        yield call("pow.Tensor_Tensor", dtype, tensor(dtype, (30,), 0.2, 3), tensor(dtype, (30,)))
        yield call("pow.Tensor_Scalar", dtype, tensor(dtype, (30,), 0.2, 3), 2.5)
        for name in ("remainder.Tensor", "fmod.Tensor", "floor_divide.default"):
            yield call(name, dtype, tensor(dtype, (50,), -9, 9), tensor(dtype, (50,), 1, 3, seed=2))
        three = [tensor(dtype, (12,), seed=seed) for seed in (1, 2, 3)]
        yield call("addcmul.default", dtype, *three, value=2)
        yield call("lerp.Scalar", dtype, *three[:2], 0.3)
    for name in ("bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor"):
        yield call(
            name, "int64", tensor("int64", (9,), -99, 99), tensor("int64", (9,), 0, 9, seed=2)
        )


def reduction_calls() -> Iterator[Sample]:
    for dtype in NUMBERS:
        for name in REDUCTIONS:
            for dims in ([0], [1], [2], [0, 2], [0, 1, 2]):
                yield call(name, dtype, tensor(dtype, (6, 70, 35)), dims)
        yield call("sum.default", dtype, tensor(dtype, (50000,), -1, 1))
        yield call("prod.default", dtype, tensor(dtype, (9,), 1, 2))
        for name in ("max.dim", "min.dim", "argmax.default", "argmin.default"):
            yield call(name, dtype, tensor(dtype, (40, 50), -3, 3), 1)
            yield call(name, dtype, tensor(dtype, (40, 50), -3, 3), 0)
    for dtype in FLOATS:
        for dims in ([0], [1], [0, 1]):
            yield call("mean.dim", dtype, tensor(dtype, (60, 70)), dims)
            yield call("var.correction", dtype, tensor(dtype, (60, 70)), dims, correction=1)
            yield call("std.correction", dtype, tensor(dtype, (60, 70)), dims, correction=0)
            yield call("logsumexp.default", dtype, tensor(dtype, (60, 70)), dims)
        yield call("linalg_vector_norm.default", dtype, tensor(dtype, (600,)), 2)
        yield call("cumsum.default", dtype, tensor(dtype, (6, 7)), 1)


def matrix_calls() -> Iterator[Sample]:
    for dtype in FLOATS:
        left, right = tensor(dtype, (17, 33), -1, 1), tensor(dtype, (33, 20), -1, 1, seed=2)
        bias = tensor(dtype, (20,), seed=3)
        yield call("mm.default", dtype, left, right)
        yield call("mm.default", dtype, left, tensor(dtype, (33, 20), -1, 1, [1, 33], seed=2))
        yield call("addmm.default", dtype, bias, left, right)
        batches = tensor(dtype, (4, 8, 16), -1, 1), tensor(dtype, (4, 16, 5), -1, 1, seed=2)
        yield call("bmm.default", dtype, *batches)
        yield call("mv.default", dtype, left, tensor(dtype, (33,), seed=2))
        image, weight = (
            tensor(dtype, (2, 3, 8, 8), -1, 1),
            tensor(dtype, (4, 3, 3, 3), -1, 1, seed=2),
        )
        options = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        yield call("convolution.default", dtype, image, weight, None, *options)
        yield call("max_pool2d_with_indices.default", dtype, image, [2, 2], [2, 2])


def row_calls() -> Iterator[Sample]:
    for dtype in FLOATS:
        for sizes, dim in (((9, 10), 1), ((5, 64), 1), ((3, 1000), -1), ((4, 6, 5), 1)):
            x = tensor(dtype, sizes)
            yield call("_softmax.default", dtype, x, dim, False)
            yield call("_log_softmax.default", dtype, x, dim, False)
            name = {"dtype": dtype}
            y = tensor(dtype, sizes, 0.1, 0.9, seed=2)
            yield call("_softmax_backward_data.default", dtype, x, y, dim, name)
            yield call("_log_softmax_backward_data.default", dtype, x, y, dim, name)
        for length in (10, 64, 1000):
            x, weight = tensor(dtype, (12, length)), tensor(dtype, (length,), 0.5, 1.5, seed=2)
            bias = tensor(dtype, (length,), seed=3)
            yield call("native_layer_norm.default", dtype, x, [length], weight, bias, 1e-5)
            mean, rstd = tensor(dtype, (12, 1), 0, 0.1), tensor(dtype, (12, 1), 0.5, 1)
            gradient = tensor(dtype, (12, length), seed=4)
            rest = ([length], mean, rstd, weight, bias, [True, True, True])
            yield call("native_layer_norm_backward.default", dtype, gradient, x, *rest)


def index_calls() -> Iterator[Sample]:
    for dtype in NUMBERS:
        table, index = tensor(dtype, (30, 16)), tensor("int64", (12,), 0, 29, seed=2)
        yield call("index_select.default", dtype, table, 0, index)
        yield call("index.Tensor", dtype, table, [tensor("int64", (12,), -30, 29, seed=2)])
        yield call("embedding.default", dtype, table, index)
        along = tensor("int64", (30, 4), 0, 15, seed=2)
        yield call("gather.default", dtype, table, 1, along)
        yield call("scatter_add.default", dtype, table, 1, along, tensor(dtype, (30, 4), seed=3))
        yield call("index_add.default", dtype, table, 0, index, tensor(dtype, (12, 16), seed=3))
        yield call("index_fill.int_Scalar", dtype, table, 0, index, 2)
        yield call("cat.default", dtype, [table, tensor(dtype, (3, 16), seed=5)], 0)
        yield call("stack.default", dtype, [table, tensor(dtype, (30, 16), seed=5)], 1)
        yield call("clone.default", dtype, tensor(dtype, (40, 50), strides=[1, 40]))
        yield call("copy_.default", dtype, tensor("float32", (6, 5)), tensor(dtype, (5,)))
        yield call("fill_.Scalar", dtype, tensor(dtype, (6, 5), strides=[1, 7]), 3)
        yield call("tril.default", dtype, tensor(dtype, (6, 5)))
        yield call("flip.default", dtype, tensor(dtype, (6, 5)), [0, 1])
    for dtype in FLOATS:
        gradient = tensor(dtype, (12, 16))
        index = tensor("int64", (12,), 0, 29, seed=2)
        yield call("embedding_dense_backward.default", dtype, gradient, index, 30, -1, False)


def random_calls() -> Iterator[Sample]:
    for dtype in FLOATS:
        yield call("uniform_.default", dtype, tensor(dtype, (333,)), 0.0, 1.0)
        yield call("normal_.default", dtype, tensor(dtype, (333,)), 1.0, 2.0)
        yield call("bernoulli_.float", dtype, tensor(dtype, (333,)), 0.3)
    yield call("random_.from", "int64", tensor("int64", (333,)), -5, 1000)


def handwritten_samples() -> Iterator[Sample]:
    yield from pointwise_calls()
    yield from reduction_calls()
    yield from matrix_calls()
    yield from row_calls()
    yield from index_calls()
    yield from random_calls()
