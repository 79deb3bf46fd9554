"""Operators with lists, optional tensors, several results and non-tensor arguments."""

import opwright as ow

from ..host import Host, same_form
from .case import Case, sound


@sound
def takes_a_list(host: Host) -> Case:
    op = host.define(
        "takes_a_list(Tensor[] xs) -> Tensor",
        lambda xs: ow.stack(list(xs)).sum(0),
        fake=lambda xs: xs[0].new_empty(xs[0].shape),
    )
    xs = [host.matrix(), host.matrix(), host.matrix()]
    return Case(op, (xs,), gives=xs[0] + xs[1] + xs[2])


@sound
def gives_a_list(host: Host) -> Case:
    op = host.define(
        "gives_a_list(Tensor[] xs) -> Tensor[]",
        lambda xs: [x * 2 for x in xs],
        fake=lambda xs: [same_form(x) for x in xs],
    )
    xs = [host.matrix(), host.matrix(2, 5)]
    return Case(op, (xs,), gives=[x * 2 for x in xs])


@sound
def joins_a_list(host: Host) -> Case:
    op = host.define(
        "joins_a_list(Tensor[] xs) -> Tensor",
        lambda xs: ow.cat(list(xs), 1),
        fake=lambda xs: ow.cat(list(xs), 1),
    )
    xs = [host.matrix(3, 4), host.matrix(3, 2)]
    return Case(op, (xs,), gives=ow.cat(xs, 1))


@sound
def takes_an_optional(host: Host) -> Case:
    op = host.define(
        "takes_an_optional(Tensor x, Tensor? bias=None) -> Tensor",
        lambda x, bias=None: x * 2 if bias is None else x * 2 + bias,
        fake=lambda x, bias=None: same_form(x) if bias is None else same_form(x) + bias,
    )
    x, bias = host.matrix(), host.matrix()
    return Case(op, (x, bias), gives=x * 2 + bias)


@sound
def misses_an_optional(host: Host) -> Case:
    op = host.define(
        "misses_an_optional(Tensor x, Tensor? bias=None) -> Tensor",
        lambda x, bias=None: x * 2 if bias is None else x * 2 + bias,
        fake=lambda x, bias=None: same_form(x) if bias is None else same_form(x) + bias,
    )
    x = host.matrix()
    return Case(op, (x,), gives=x * 2)


@sound
def gives_three(host: Host) -> Case:
    op = host.define(
        "gives_three(Tensor x) -> (Tensor, Tensor, Tensor)",
        lambda x: (x * 2, x.sum(), x > 0),
        fake=lambda x: (same_form(x), x.new_empty(()), same_form(x) > 0),
    )
    x = host.matrix()
    return Case(op, (x,), gives=(x * 2, x.sum(), x > 0))


@sound
def gives_nothing(host: Host) -> Case:
    seen = []

    def kernel(x):
        seen.append(tuple(x.shape))

    op = host.define("gives_nothing(Tensor x) -> ()", kernel, fake=lambda x: None)
    return Case(op, (host.matrix(),), holds=lambda result: result is None and len(seen) > 0)


@sound
def gives_numbers(host: Host) -> Case:
    op = host.define(
        "gives_numbers(Tensor x) -> (int, float, bool)",
        lambda x: (x.dim(), 0.5, True),
        fake=lambda x: (x.dim(), 0.5, True),
    )
    return Case(op, (host.matrix(),), gives=(2, 0.5, True))


@sound
def takes_a_string(host: Host) -> Case:
    modes = {"double": 2.0, "half": 0.5}

    def kernel(x, mode):
        if mode not in modes:
            raise ValueError(f"mode is one of {', '.join(modes)}, got {mode!r}")
        return x * modes[mode]

    op = host.define(
        "takes_a_string(Tensor x, str mode) -> Tensor", kernel, fake=lambda x, mode: x * 0.5
    )
    x = host.matrix()
    return Case(op, (x, "half"), gives=x * 0.5)


@sound
def takes_a_dtype(host: Host) -> Case:
    op = host.define(
        "takes_a_dtype(Tensor x, ScalarType dtype) -> Tensor",
        lambda x, dtype: x.to(dtype, copy=True),
        fake=lambda x, dtype: x.to(dtype, copy=True),
    )
    x = host.matrix()
    return Case(op, (x, ow.float64), gives=x.to(ow.float64))


@sound
def takes_a_scalar(host: Host) -> Case:
    op = host.define(
        "takes_a_scalar(Tensor x, Scalar factor) -> Tensor",
        lambda x, factor: x * factor,
        fake=lambda x, factor: x * factor,
    )
    x = host.matrix()
    return Case(op, (x, 3), gives=x * 3)


@sound
def takes_floats(host: Host) -> Case:
    def kernel(x, factors):
        if len(factors) != 2:
            raise ValueError(f"factors must be two numbers, got {len(factors)}")
        return x * factors[0] + factors[1]

    op = host.define("takes_floats(Tensor x, float[] factors) -> Tensor", kernel, fake=kernel)
    x = host.matrix()
    return Case(op, (x, [2.0, 1.0]), gives=x * 2 + 1)


@sound
def takes_a_dim(host: Host) -> Case:
    op = host.define(
        "takes_a_dim(Tensor x, int dim=-1) -> Tensor",
        lambda x, dim=-1: x.sum(dim),
        fake=lambda x, dim=-1: x.sum(dim),
    )
    x = host.matrix()
    return Case(op, (x, 0), gives=x.sum(0))


@sound
def takes_keywords(host: Host) -> Case:
    op = host.define(
        "takes_keywords(Tensor x, *, Tensor scale, float shift=0.0) -> Tensor",
        lambda x, *, scale, shift=0.0: x * scale + shift,
        fake=lambda x, *, scale, shift=0.0: x * scale + shift,
    )
    x, scale = host.matrix(), host.matrix()
    return Case(op, (x,), {"scale": scale, "shift": 1.0}, gives=x * scale + 1)
