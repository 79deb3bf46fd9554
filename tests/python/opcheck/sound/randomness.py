"""Operators that draw, and say so."""

import opwright as ow

from ..host import Host, same_form
from .case import Case, sound


def _draws(low: float, high: float):
    return lambda result: bool((result >= low).all()) and bool((result <= high).all())


@sound
def draws_from_a_generator(host: Host) -> Case:
    op = host.define(
        "draws_from_a_generator(Tensor x, *, Generator? generator=None) -> Tensor",
        lambda x, *, generator=None: ow.rand(x.shape, generator=generator, dtype=x.dtype),
        fake=lambda x, *, generator=None: x.new_empty(x.shape),
        tags=("nondeterministic_seeded",),
    )
    generator = ow.Generator()
    generator.manual_seed(3)
    return Case(op, (host.matrix(),), {"generator": generator}, holds=_draws(0, 1))


@sound
def draws_by_default(host: Host) -> Case:
    op = host.define(
        "draws_by_default(Tensor x) -> Tensor",
        lambda x: x + ow.rand_like(x),
        fake=same_form,
        tags=("nondeterministic_seeded",),
    )
    return Case(op, (ow.zeros(3, 4),), holds=_draws(0, 1))


@sound
def drops_some(host: Host) -> Case:
    def kernel(x, share):
        mask = ow.rand(x.shape) >= share
        return x * mask, mask

    op = host.define(
        "drops_some(Tensor x, float share) -> (Tensor, Tensor)",
        kernel,
        fake=lambda x, share: (
            x * x.new_empty(x.shape, dtype=ow.bool),
            x.new_empty(x.shape, dtype=ow.bool),
        ),
        backward=lambda ctx, grad, _: (grad * ctx.saved_tensors[0], None),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output[1]),
        tags=("nondeterministic_seeded",),
    )
    x = ow.ones(3, 4, requires_grad=True)
    return Case(op, (x, 0.5), holds=lambda result: ow.equal(result[0].detach(), result[1] * 1.0))


@sound
def differs_and_says_so(host: Host) -> Case:
    calls = []

    def kernel(x):
        calls.append(None)
        return x + len(calls) * 2.0**-20

    op = host.define(
        "differs_and_says_so(Tensor x) -> Tensor",
        kernel,
        fake=lambda x: same_form(x) + 0.5,
        tags=("nondeterministic",),
    )
    return Case(op, (ow.zeros(3, 4),), holds=_draws(0, 0.01))
