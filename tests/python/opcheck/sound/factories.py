"""Operators without a tensor among their arguments."""

import opwright as ow

from ..host import Host
from .case import Case, sound


@sound
def makes_a_tensor(host: Host) -> Case:
    def make(count):
        if count < 0:
            raise ValueError(f"count must not be negative, got {count}")
        return ow.arange(count, dtype=ow.float32)

    op = host.define(
        "makes_a_tensor(SymInt count) -> Tensor",
        make,
        fake=lambda count: ow.empty(count, dtype=ow.float32),
        devices="default",
    )
    return Case(op, (4,), gives=ow.tensor([0.0, 1.0, 2.0, 3.0]))


@sound
def makes_on_a_device(host: Host) -> Case:
    op = host.define(
        "makes_on_a_device(SymInt[] size, *, ScalarType? dtype=None, Device? device=None)"
        " -> Tensor",
        lambda size, *, dtype=None, device=None: ow.ones(size, dtype=dtype, device=device),
        fake=lambda size, *, dtype=None, device=None: ow.empty(size, dtype=dtype, device=device),
    )
    return Case(
        op,
        ([2, 3],),
        {"dtype": ow.float64, "device": ow.device("cpu")},
        gives=ow.ones(2, 3, dtype=ow.float64),
    )


@sound
def makes_like_another(host: Host) -> Case:
    op = host.define(
        "makes_like_another(Tensor x, float value) -> Tensor",
        lambda x, value: x.new_empty(x.shape).fill_(value),
        fake=lambda x, value: x.new_empty(x.shape),
    )
    return Case(op, (host.matrix(), 7.0), gives=ow.full((3, 4), 7.0))
