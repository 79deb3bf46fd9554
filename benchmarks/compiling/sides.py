"""The compiled functions of Opwright, torch and jax, on the same inputs.

The custom operator of (h) is the same binary in all three. torch and jax load it through our
bridges, which are faster than their own ways to add operators (torch_bridge.py).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy
from harness import find_peer, release_build

from .functions import BATCH, CLASSES, INPUTS, PARAMETER_SHAPES, SHAPES, functions_of, training_of

LIBRARY = release_build() / "operators" / "libcompiling.so"
# Inductor's cache: its first function takes 12 s to compile, 2 s from the cache.
INDUCTOR_CACHE = release_build() / "peers" / "inductor"


@dataclass
class Side:
    """The timed functions by letter; each returns its result."""

    runs: dict[str, Callable[[], object]]
    small: Callable[[], object] | None = None  # (a) on 4 elements
    extra: dict[str, Callable[[], object]] = field(default_factory=dict)
    to_numpy: Callable[[object], numpy.ndarray] = lambda result: result.detach().numpy()


def numbers_of(shapes):
    generator = numpy.random.default_rng(1)
    numbers = (generator.standard_normal(shape, dtype=numpy.float32) for shape in shapes)
    # Weights are scaled as for training, so that values do not grow from layer to layer.
    return [n if len(n.shape) < 2 or n.shape[0] == BATCH else n * 0.05 for n in numbers]


def operands(letter):
    numbers = numbers_of(SHAPES[letter])
    return numbers if letter in "df" else [n / abs(n).max() * 4 for n in numbers]


def training_operands():
    generator = numpy.random.default_rng(2)
    x = generator.standard_normal((BATCH, INPUTS), dtype=numpy.float32)
    return x, generator.integers(0, CLASSES, BATCH), numbers_of(PARAMETER_SHAPES)


def small_operands():
    return [numpy.ones(4, numpy.float32), numpy.ones(4, numpy.float32)]


def is_there(name):
    return find_peer(name) is not None


def side_of(package, squash, transform):
    """Works for Opwright and torch; `transform` compiles a function or returns it unchanged."""

    def run_of(letter, function):
        inputs = [package.from_numpy(each) for each in operands(letter)]
        compiled = transform(function)

        def run():
            with package.no_grad():
                return compiled(*inputs)

        return run

    functions = functions_of(package, squash)
    runs = {letter: run_of(letter, function) for letter, function in functions.items()}
    runs["g"] = training_run(package, transform)
    small_inputs = [package.from_numpy(each) for each in small_operands()]
    small = transform(functions_of(package, squash)["a"])
    x, y = (package.from_numpy(each) for each in operands("a2"))
    return Side(runs, small=lambda: small(*small_inputs), extra={"multiply": lambda: x * y})


def training_run(package, transform):
    """Run a compiled loss, its gradients, and a compiled update of the parameters."""
    loss, update = (transform(each) for each in training_of(package))
    x, target, numbers = training_operands()
    x, target = package.from_numpy(x), package.from_numpy(target)
    parameters = [package.from_numpy(each.copy()).requires_grad_() for each in numbers]

    def run():
        value = loss(x, target, *parameters)
        gradients = package.autograd.grad(value, parameters)
        with package.no_grad():
            update(parameters, gradients)
        return value

    return run


def our_side(opwright):
    opwright.load_library(LIBRARY)
    return side_of(opwright, opwright.ops.compiling.squash.default, opwright.compile)


def torch_sides(opwright):
    """Return the compiled and the eager side; empty without torch."""
    if not is_there("torch"):
        return {}
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(INDUCTOR_CACHE))
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    import torch

    opwright.torch.load(LIBRARY)
    squash = torch.ops.compiling.squash.default

    def compiled(function):
        return torch.compile(function, fullgraph=True)

    return {
        "torch.compile": side_of(torch, squash, compiled),
        "torch": side_of(torch, squash, lambda function: function),
    }


def jax_side(opwright):
    """Return the jax side; empty without jax."""
    if not is_there("jax"):
        return {}
    import jax
    import jax.numpy as jnp

    from . import jax_functions

    opwright.jax.load(LIBRARY)
    functions = jax_functions.functions_of(opwright.jax.ops.compiling.squash)

    def run_of(function, inputs):
        inputs = [jnp.asarray(each) for each in inputs]
        compiled = jax.jit(function)
        return lambda: compiled(*inputs).block_until_ready()

    runs = {letter: run_of(each, operands(letter)) for letter, each in functions.items()}
    runs["g"] = jax_training_run(jax, jnp, jax_functions.training_step())
    small = run_of(functions["a"], small_operands())
    return {"jax.jit": Side(runs, small=small, to_numpy=numpy.asarray)}


def jax_training_run(jax, jnp, step):
    compiled = jax.jit(step, donate_argnums=0)  # the parameters are written in place, as by others
    x, target, numbers = training_operands()
    x, target = jnp.asarray(x), jnp.asarray(target)
    state = [jnp.asarray(each) for each in numbers]

    def run():
        nonlocal state
        value, state = compiled(state, x, target)
        return jax.block_until_ready((value, state))[0]

    return run
