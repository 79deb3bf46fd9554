"""Pointwise cases: the same operators of Opwright and torch on the same inputs."""

import numpy

SIZES = (4, 1024, 1 << 20)


def operands(size):
    generator = numpy.random.default_rng(1)
    x, y = (generator.standard_normal(size, dtype=numpy.float32) for _ in range(2))
    return {"x": x, "y": y, "condition": x > y, "ints": numpy.arange(size, dtype=numpy.int64)}


def pointwise_cases(package, size):
    """Return {name: function without arguments}; `package` is opwright or torch."""
    values = {name: package.from_numpy(each.copy()) for name, each in operands(size).items()}
    x, y, condition, ints = values.values()
    half, other_half = x.to(package.bfloat16), y.to(package.bfloat16)
    ops = package.ops.aten
    gelu = ops.gelu.default
    return {
        "add": lambda: package.add(x, y),
        "mul": lambda: package.mul(x, y),
        "mul by a number": lambda: package.mul(x, 1.5),
        "div": lambda: package.div(x, y),
        "lt": lambda: package.lt(x, y),
        "where": lambda: package.where(condition, x, y),
        "maximum": lambda: package.maximum(x, y),
        "abs": lambda: package.abs(x),
        "relu": lambda: package.relu(x),
        "exp": lambda: package.exp(x),
        "log": lambda: package.log(x),
        "sin": lambda: package.sin(x),
        "tanh": lambda: package.tanh(x),
        "sigmoid": lambda: package.sigmoid(x),
        "erf": lambda: package.erf(x),
        "gelu": lambda: gelu(x),
        "pow": lambda: package.pow(x, y),
        "atan2": lambda: package.atan2(x, y),
        "remainder": lambda: package.remainder(x, y),
        "add of int64": lambda: package.add(ints, ints),
        "add of bfloat16": lambda: package.add(half, other_half),
        "exp of bfloat16": lambda: package.exp(half),
    }
