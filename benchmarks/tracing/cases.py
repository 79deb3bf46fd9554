"""The traced programs: the same chains of operators in Opwright and in the peers.

A chain is a Python loop over one value. "custom" chains call a custom operator with a C++ fake
kernel; "pointwise" chains alternate sin, multiplication and addition.
"""

from itertools import cycle, islice

import numpy
from harness import build_torch_library, find_peer, release_build

from .timing import Case

LENGTHS = (10, 100, 1000)
CHAINS = ("custom", "pointwise")
FAKE_CALLS = 50


def chain_of(steps, length):
    """Return a factory of functions that apply `length` operators, cycling through `steps`.

    Each call makes a new function, because jax caches the traces of functions.
    """
    chain = tuple(islice(cycle(steps), length))

    def make():
        def run(x):
            for step in chain:
                x = step(x)
            return x

        return run

    return make


def steps_of(package, scale):
    return {
        "custom": [lambda x: scale(x, 0.5)],
        "pointwise": [package.sin, lambda x: x * 2.0, lambda x: x + x],
    }


def trace_cases(steps, trace, example):
    """Return the cases of chains; `trace(function)` returns a function that traces `example`."""

    def case(chain, length):
        make = chain_of(steps[chain], length)
        return Case(lambda: trace(make())(example), parts=length)

    return {(chain, length): case(chain, length) for chain in CHAINS for length in LENGTHS}


def fake_case(operator, mode, fake):
    def run():
        with mode:
            for _ in range(FAKE_CALLS):
                operator(fake, 0.5)

    return Case(run, parts=FAKE_CALLS)


def python_operator(package):
    """Return the custom operator with a Python fake kernel."""
    library = package.library

    def scale(x, factor):
        return x * factor

    operator = library.custom_op(
        "tracing_kernels::scale",
        scale,
        mutates_args=(),
        schema="(Tensor x, float factor) -> Tensor",
    )
    library.register_fake("tracing_kernels::scale", lambda x, factor: package.empty_like(x))
    return operator


def cases_with_operators(package, make_fx, mode):
    """Return the cases that Opwright and torch share; the operator must be loaded."""
    example = package.ones(4, 8)
    scale = package.ops.tracing.scale.default
    fake = mode.from_tensor(example)
    python_scale = python_operator(package)
    return {
        **trace_cases(
            steps_of(package, scale),
            lambda function: make_fx(function, tracing_mode="symbolic"),
            example,
        ),
        "fake call, C++": fake_case(scale, mode, fake),
        "fake call, Python": fake_case(python_scale, mode, fake),
        "fake call, mul": fake_case(package.mul, mode, fake),
    }


def our_cases(opwright):
    opwright.load_library(release_build() / "operators" / "libtracing.so")
    return cases_with_operators(opwright, opwright.make_fx, opwright.FakeTensorMode())


def torch_cases():
    """Return the cases of torch; empty without torch."""
    library = build_torch_library(__file__, "torch_operators.cpp")
    if library is None:
        return {}
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    torch.ops.load_library(str(library))
    torch.set_num_threads(1)
    return cases_with_operators(torch, make_fx, FakeTensorMode())


def jax_cases():
    """Return the chains of jax, whose custom operator is an ffi_call; empty without jax."""
    if find_peer("jax") is None:
        return {}
    import jax

    def scale(x, factor):
        call = jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct(x.shape, x.dtype))
        return call(x, factor=numpy.float32(factor))

    example = jax.numpy.ones((4, 8))
    return {
        **trace_cases(steps_of(jax.numpy, scale), jax.make_jaxpr, example),
        "primitive": bare_primitive_case(jax, example),
    }


def bare_primitive_case(jax, example):
    """Return the cheapest node in jax: a primitive that is bound directly."""
    from jax.extend.core import Primitive

    primitive = Primitive("scale")
    primitive.def_abstract_eval(lambda x, *, factor: x)
    make = chain_of([lambda x: primitive.bind(x, factor=0.5)], 1000)
    return Case(lambda: jax.make_jaxpr(make())(example), parts=1000)
