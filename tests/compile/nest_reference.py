"""The NumPy reference of a nest, from its text."""

import math
import re

import numpy as np

UNARY = {
    "negate": np.negative,
    "absolute": np.absolute,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "erf": np.vectorize(math.erf, otypes=[float]),
}
BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "less": np.less,
}
FOLDS = {
    "fold_sum": np.sum,
    "fold_product": np.prod,
    "fold_minimum": np.min,
    "fold_maximum": np.max,
    "fold_and": np.bitwise_and.reduce,
    "fold_or": np.bitwise_or.reduce,
}


def run_reference(text, operands, numbers=(), strides=()):
    """Compute the nest on the arrays, floats in double; write results to the written ones."""
    lines = [line for line in text.strip().splitlines() if line]
    extents = {"rows": [], "depth": [], "columns": []}
    loop = None
    for word in lines[0].split():
        if word in extents:
            loop = extents[word]
        elif word != "folded":
            loop.append(numbers[int(word[1:])] if word[0] == "n" else int(word))
    shape = (*extents["rows"], *extents["depth"], *extents["columns"])
    inner = tuple(range(len(extents["rows"]), len(shape)))
    axes = inner if lines[0].endswith("folded") else inner[:-1]
    views, lanes = [], []
    for line in lines[1:]:
        words = re.sub(r"[\[\],]", " ", line).split()
        if words[0] == "operand":
            given = words[-len(shape) :]
            steps = [
                strides[len(views) * len(shape) + i] if step == "?" else int(step)
                for i, step in enumerate(given)
            ]
            array = operands[len(views)]
            size = array.itemsize
            views.append(
                np.lib.stride_tricks.as_strided(array, shape, [step * size for step in steps])
            )
        elif words[0] == "store":
            values = np.broadcast_to(lanes[int(words[2][1:])], shape)
            if all(shape):
                views[int(words[1])][...] = values
        else:
            lanes.append(value_of(words, lanes, views, axes, numbers))


def value_of(words, lanes, views, axes, numbers):
    dtype, op = words[1], words[3]
    wide = "float64" if dtype.startswith("float") else dtype
    if op == "load":
        return views[int(words[4])].astype(wide)
    if op == "constant":
        return np.array(float(words[4])).astype(wide)
    if op == "number":
        return np.array(numbers[int(words[4][1:])], np.int64)
    args = [lanes[int(word[1:])] for word in words[4:]]
    if op == "select":
        return np.where(*args)
    if op == "fma":
        return args[0] * args[1] + args[2]
    if op == "cast":
        return args[0].astype(wide)
    if op in FOLDS:
        shape = np.broadcast_shapes(args[0].shape, views[0].shape)
        whole = np.broadcast_to(args[0], shape)
        for axis in axes:
            empty = fold_of_nothing(op, wide) if whole.shape[axis] == 0 else None
            if empty is not None:
                folded = list(whole.shape)
                folded[axis] = 1
                whole = np.full(folded, empty, wide)
            else:
                whole = FOLDS[op](whole, axis=axis, keepdims=True)
        return whole.astype(wide)
    function = UNARY.get(op) or BINARY[op]
    return function(*args)


def fold_of_nothing(op, dtype):
    if op == "fold_minimum":
        return np.inf if dtype.startswith("float") else np.iinfo(dtype).max
    if op == "fold_maximum":
        return -np.inf if dtype.startswith("float") else np.iinfo(dtype).min
    return {"fold_sum": 0, "fold_product": 1, "fold_or": 0, "fold_and": -1}[op]
