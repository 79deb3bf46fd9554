"""Kernels that give something else when they are called again, by more threads or in several."""

import random
import time

from ..host import Example, Host, binary_operator, number, same_form
from .fault import fault


@fault("determinism/differs-between-runs")
def counts_its_calls(host: Host) -> Example:
    """Adds the number of calls so far to its result."""
    calls = []

    def kernel(x):
        calls.append(None)
        return x + len(calls)

    op = host.define("counts_its_calls(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("determinism/differs-between-runs")
def throws_dice(host: Host) -> Example:
    """Draws from Python's random numbers."""
    dice = random.Random(0)
    op = host.define("throws_dice(Tensor x) -> Tensor", lambda x: x * dice.random(), fake=same_form)
    return Example(op, (host.matrix(),))


@fault("determinism/differs-between-runs", words=r"seed")
def draws_untagged(host: Host) -> Example:
    """Draws from the default generator and does not say so by a tag."""

    def kernel(x):
        return x + host.tensors.rand(x.shape, dtype=x.dtype)

    op = host.define(
        "draws_untagged(Tensor x) -> Tensor", kernel, fake=lambda x: x + x.new_empty(x.shape)
    )
    return Example(op, (host.matrix(),))


@fault("determinism/differs-between-runs", "schema/undeclared-alias")
def keeps_a_total(host: Host) -> Example:
    """Adds to a total that outlives the call."""
    totals = {}

    def kernel(x):
        key = (tuple(x.shape), x.dtype)
        totals[key] = totals.get(key, 0) + x.detach()
        return totals[key].clone()

    op = host.define("keeps_a_total(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


def _add_by_arrival_in_torch(host: Host) -> Example:
    def kernel(x):
        places = list(range(x.numel()))
        random.shuffle(places)
        values = x.flatten()
        total = x.new_zeros(())
        for place in places:
            total = total + values[place]
        return total

    op = host.define("add_by_arrival(Tensor x) -> Tensor", kernel, fake=number)
    return Example(op, (host.matrix(),))


@fault("determinism/differs-between-runs", twin=_add_by_arrival_in_torch)
def add_by_arrival(host: Host) -> Example:
    """Sums in the order in which threads arrive."""
    return Example(binary_operator("faulty", "add_by_arrival"), (host.matrix(),))


@fault(
    "determinism/differs-by-threads",
    "determinism/differs-between-runs",
    words=r"thread",
    twin=False,
)
def average_chunks(host: Host) -> Example:
    """Averages the averages of chunks, whose number is that of the threads."""
    return Example(binary_operator("faulty", "average_chunks"), (host.matrix(),))


def _share_a_buffer_in_python(host: Host, name: str) -> Example:
    state = {}

    def kernel(x):
        state["x"] = x
        for _ in range(20):
            time.sleep(0)
        return state["x"] * 2

    op = host.define(f"{name}(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))


@fault("threads/differs-in-threads", words=r"thread")
def shares_a_variable(host: Host) -> Example:
    """Keeps its input in a variable that all calls share, in Python."""
    return _share_a_buffer_in_python(host, "shares_a_variable")


@fault(
    "threads/differs-in-threads",
    words=r"thread",
    twin=lambda host: _share_a_buffer_in_python(host, "share_a_buffer"),
)
def share_a_buffer(host: Host) -> Example:
    """Keeps its input in a buffer that all calls share, in C++."""
    return Example(binary_operator("faulty", "share_a_buffer"), (host.matrix(),))
