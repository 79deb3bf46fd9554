"""Every order of the transforms to depth three, against closed forms under torch.func."""

import itertools
import os
import random
import warnings
from collections.abc import Callable

import opwright as ow
import pytest
import torch
from opwright import make_fx, vmap
from opwright.fake import FakeTensorMode
from opwright.func import functionalize, grad, jvp

from .order_programs import PROGRAMS

POINT = [0.7, 1.3, 0.4]


def gradient(f: Callable) -> Callable:
    return grad(lambda x: f(x).sum())


def tangent(f: Callable) -> Callable:
    return lambda x: jvp(f, (x,), (ow.arange(1.0, 4.0, dtype=ow.float64),))[1]


def two_samples(f: Callable) -> Callable:
    return lambda x: vmap(f)(ow.stack([x, x * 0.5])).sum(0)


def traced(mode: str) -> Callable:
    return lambda f: lambda x: make_fx(f, tracing_mode=mode)(x)(x)


def with_fake(f: Callable) -> Callable:
    """The same, after a run on a fake that must have the same sizes and dtype."""

    def run(x: ow.Tensor) -> ow.Tensor:
        found = f(x)
        with FakeTensorMode():
            fake = f(ow.empty(len(POINT), dtype=x.dtype))
        assert fake.shape == found.shape
        assert fake.dtype == found.dtype
        return found

    return run


TRANSFORMS: dict[str, Callable] = {
    "grad": gradient,
    "jvp": tangent,
    "vmap": two_samples,
    "make_fx": traced("real"),
    "make_fx(fake)": traced("fake"),
    "make_fx(symbolic)": traced("symbolic"),
    "functionalize": functionalize,
    "fake": with_fake,
}


def torch_gradient(f: Callable) -> Callable:
    return torch.func.grad(lambda x: f(x).sum())


def torch_tangent(f: Callable) -> Callable:
    return lambda x: torch.func.jvp(f, (x,), (torch.arange(1.0, 4.0, dtype=torch.float64),))[1]


def torch_samples(f: Callable) -> Callable:
    return lambda x: torch.func.vmap(f)(torch.stack([x, x * 0.5])).sum(0)


# The others change nothing.
IN_TORCH = {"grad": torch_gradient, "jvp": torch_tangent, "vmap": torch_samples}


def orders() -> list[tuple[str, ...]]:
    every = [o for depth in (1, 2, 3) for o in itertools.product(TRANSFORMS, repeat=depth)]
    if os.environ.get("OPWRIGHT_ALL") == "1":
        return every
    short = [order for order in every if len(order) < 3]
    return short + random.Random(8).sample([o for o in every if len(o) == 3], 24)


def run_both(name: str, order: tuple[str, ...]) -> tuple[ow.Tensor, torch.Tensor]:
    ours, theirs = PROGRAMS[name]
    for transform in reversed(order):
        ours = TRANSFORMS[transform](ours)
        theirs = IN_TORCH.get(transform, lambda f: f)(theirs)
    found = ours(ow.tensor(POINT, dtype=ow.float64))
    return found, theirs(torch.tensor(POINT, dtype=torch.float64))


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_order_gives_the_closed_form(name):
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for order in orders():
            shown = "(".join(order)
            try:
                found, wanted = run_both(name, order)
            except Exception as error:  # noqa: BLE001: all that fail are shown
                wrong.append(f"{shown}: {type(error).__name__}: {error}")
                continue
            if not torch.allclose(torch.from_numpy(found.numpy()), wanted, rtol=1e-8, atol=1e-8):
                wrong.append(f"{shown}: {found.tolist()}, but {wanted.tolist()} was expected")

    assert not wrong, "\n".join(wrong)


def calls_in(graph: ow.Graph) -> set[str]:
    return {node.target.name.split("::")[0] for node in graph.nodes if node.op == "call_function"}


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_vmap_of_grad_is_traced_as_a_plain_graph(name, mode):
    f = PROGRAMS[name][0]
    x = ow.tensor([POINT, [0.1, 0.2, 0.3]], dtype=ow.float64)
    mapped = vmap(gradient(f))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph_module = make_fx(mapped, tracing_mode=mode)(x)
        found, wanted = graph_module(x), mapped(x)

    assert calls_in(graph_module.graph) <= {"aten", "orders", "formulas"}
    assert ow.allclose(found, wanted)
