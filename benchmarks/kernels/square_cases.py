"""Cases on square matrices: reductions, norms, scans, sorting, copies, indexing."""

import math

import numpy


def fold_cases(package, size):
    """Return {name: function without arguments}; `package` is opwright or torch."""
    side = math.isqrt(size)
    generator = numpy.random.default_rng(2)
    x = package.from_numpy(generator.standard_normal((side, side), dtype=numpy.float32))
    weight, bias = (
        package.from_numpy(generator.standard_normal(side, dtype=numpy.float32)) for _ in range(2)
    )
    half = x.to(package.bfloat16)
    ops = package.ops.aten
    mean, softmax, max_of = ops.mean.dim, ops._softmax.default, ops.max.dim
    layer_norm = ops.native_layer_norm.default
    return {
        "sum": lambda: package.sum(x),
        "sum of rows": lambda: package.sum(x, [1]),
        "sum of columns": lambda: package.sum(x, [0]),
        "sum of bfloat16 rows": lambda: package.sum(half, [1]),
        "mean of rows": lambda: mean(x, [1]),
        "mean of columns": lambda: mean(x, [0]),
        "max of rows": lambda: max_of(x, 1),
        "max of columns": lambda: max_of(x, 0),
        "amax of rows": lambda: package.amax(x, [1]),
        "amax of columns": lambda: package.amax(x, [0]),
        "softmax of rows": lambda: softmax(x, 1, False),
        "softmax of columns": lambda: softmax(x, 0, False),
        "softmax of bfloat16 rows": lambda: softmax(half, 1, False),
        "layer_norm": lambda: layer_norm(x, [side], weight, bias, 1e-5),
        "layer_norm of bfloat16": lambda: layer_norm(half, [side], None, None, 1e-5),
        "cumsum of rows": lambda: package.cumsum(x, 1),
        "cumsum of columns": lambda: package.cumsum(x, 0),
        "sort of rows": lambda: package.sort(x, 1),
        "topk of rows": lambda: package.topk(x, min(8, side)),
    }


def movement_cases(package, size):
    """Return the cases of copies and indexing, as above."""
    side = math.isqrt(size)
    generator = numpy.random.default_rng(3)
    x, y = (
        package.from_numpy(generator.standard_normal((side, side), dtype=numpy.float32))
        for _ in range(2)
    )
    order = package.from_numpy(generator.permutation(side).astype(numpy.int64))
    places = package.from_numpy(generator.integers(0, side, (side, side)))
    mask = package.from_numpy(generator.random((side, side)) < 0.5)
    transposed = x.t()
    ops = package.ops.aten
    clone, embedding, index = ops.clone.default, ops.embedding.default, ops.index.Tensor
    contiguous = package.contiguous_format
    return {
        "index_select of rows": lambda: package.index_select(x, 0, order),
        "index_select of columns": lambda: package.index_select(x, 1, order),
        "gather along rows": lambda: package.gather(x, 1, places),
        "gather along columns": lambda: package.gather(x, 0, places),
        "cat of rows": lambda: package.cat([x, y], 0),
        "cat of columns": lambda: package.cat([x, y], 1),
        "transpose-copy": lambda: clone(transposed, memory_format=contiguous),
        "embedding": lambda: embedding(x, order),
        "index by rows": lambda: index(x, [order]),
        "index by a mask": lambda: index(x, [mask]),
    }
