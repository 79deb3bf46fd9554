"""Cases of order and statistics: selection, unique elements, searches, histograms."""

import math

import numpy


def order_cases(package, size):
    """Return {name: function without arguments}; `package` is opwright or torch."""
    side = math.isqrt(size)
    generator = numpy.random.default_rng(4)
    x = package.from_numpy(generator.standard_normal((side, side), dtype=numpy.float32))
    flat = x.reshape(-1)
    classes = package.from_numpy(generator.integers(0, 100, side * side))
    rows = package.from_numpy(generator.standard_normal((side * side // 2, 2), dtype=numpy.float32))
    edges = package.from_numpy(numpy.linspace(-3, 3, 65, dtype=numpy.float32))
    few = package.from_numpy(generator.integers(0, 100, 40))
    places = package.from_numpy(generator.permutation(side).astype(numpy.int64))
    ops = package.ops.aten
    median, kthvalue, unique = ops.median.default, ops.kthvalue.default, ops._unique2.default
    unique_dim, consecutive = ops.unique_dim.default, ops.unique_consecutive.default
    histogram, reduce_rows = ops.histogram.bin_ct, ops.index_reduce.default
    histogramdd, nonzero_static = ops.histogramdd.int_bins, ops.nonzero_static.default
    return {
        "median": lambda: median(x),
        "median of rows": lambda: ops.median.dim(x, 1),
        "nanmedian of columns": lambda: ops.nanmedian.dim(x, 0),
        "kthvalue of rows": lambda: kthvalue(x, side // 3 + 1, 1),
        "mode of rows": lambda: ops.mode.default(classes.reshape(side, side), 1),
        "cummax of rows": lambda: ops.cummax.default(x, 1),
        "cummin of columns": lambda: ops.cummin.default(x, 0),
        "unique floats": lambda: unique(flat),
        "unique classes, inverse": lambda: unique(classes, True, True, True),
        "unique rows": lambda: unique_dim(x, 0),
        "unique_consecutive": lambda: consecutive(classes, True, True),
        "searchsorted": lambda: ops.searchsorted.Tensor(edges, x),
        "bucketize": lambda: ops.bucketize.Tensor(flat, edges),
        "isin few": lambda: ops.isin.Tensor_Tensor(classes, few),
        "isin many": lambda: ops.isin.Tensor_Tensor(flat, flat),
        "bincount": lambda: ops.bincount.default(classes),
        "bincount of weights": lambda: ops.bincount.default(classes, flat),
        "histc": lambda: ops.histc.default(x, 64, -3, 3),
        "histogram": lambda: histogram(x, 64),
        "histogram of edges": lambda: ops.histogram.bins_tensor(x, edges),
        "histogramdd": lambda: histogramdd(rows, 8),
        "nonzero_static": lambda: nonzero_static(x, size=side),
        "aminmax": lambda: ops.aminmax.default(x),
        "argsort of rows": lambda: ops.argsort.default(x, 1),
        "index_reduce": lambda: reduce_rows(x, 0, places, x, "amax"),
    }
