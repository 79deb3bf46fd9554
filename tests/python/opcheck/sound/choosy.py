"""Operators that accept some dtypes only, or return a fixed one."""

import numpy as np
import opwright as ow

from ..host import Host, same_form
from .case import Case, sound


def _only(*dtypes: object):
    def check(x: ow.Tensor) -> None:
        if x.dtype not in dtypes:
            raise TypeError(f"x must be of {', '.join(map(str, dtypes))}, got {x.dtype}")

    return check


@sound
def takes_float32_only(host: Host) -> Case:
    check = _only(ow.float32)

    def kernel(x):
        check(x)
        return x * 2

    op = host.define("takes_float32_only(Tensor x) -> Tensor", kernel, fake=same_form)
    x = host.matrix()
    return Case(op, (x,), gives=x * 2)


@sound
def takes_ints_only(host: Host) -> Case:
    check = _only(ow.int32, ow.int64)

    def kernel(x):
        check(x)
        return x.bitwise_and(1)

    op = host.define("takes_ints_only(Tensor x) -> Tensor", kernel, fake=same_form)
    x = ow.arange(12).reshape(3, 4)
    return Case(op, (x,), gives=x % 2)


@sound
def takes_bools(host: Host) -> Case:
    check = _only(ow.bool)

    def kernel(x):
        check(x)
        return x.logical_not()

    op = host.define("takes_bools(Tensor x) -> Tensor", kernel, fake=same_form)
    x = host.matrix() > 0
    return Case(op, (x,), gives=~x)


@sound
def takes_complex(host: Host) -> Case:
    check = _only(ow.complex64, ow.complex128)

    def kernel(x):
        check(x)
        return x * 1j

    op = host.define("takes_complex(Tensor x) -> Tensor", kernel, fake=same_form)
    x = ow.randn(3, 4, dtype=ow.complex64)
    return Case(op, (x,), gives=x * 1j)


@sound
def compares(host: Host) -> Case:
    op = host.define(
        "compares(Tensor x, Tensor y) -> Tensor", lambda x, y: x > y, fake=lambda x, y: x > y
    )
    x, y = host.matrix(), host.matrix()
    return Case(op, (x, y), gives=x > y)


@sound
def counts_per_row(host: Host) -> Case:
    op = host.define(
        "counts_per_row(Tensor x) -> Tensor",
        lambda x: (x > 0).sum(1),
        fake=lambda x: x.new_empty((x.shape[0],), dtype=ow.int64),
    )
    return Case(op, (ow.tensor([[1.0, -1.0], [2.0, 3.0]]),), gives=ow.tensor([1, 2]))


@sound
def always_gives_float32(host: Host) -> Case:
    op = host.define(
        "always_gives_float32(Tensor x) -> Tensor",
        lambda x: x.to(ow.float32, copy=True),
        fake=lambda x: x.to(ow.float32, copy=True),
    )
    x = ow.arange(12).reshape(3, 4)
    return Case(op, (x,), gives=x.to(ow.float32))


@sound
def looks_up(host: Host) -> Case:
    """Indices must be inside of the table: most other numbers are refused."""

    def kernel(table, indices):
        if indices.dtype != ow.int64 or indices.dim() != 1:
            raise TypeError("indices must be a vector of int64")
        if indices.numel() and not 0 <= int(indices.min()) <= int(indices.max()) < table.shape[0]:
            raise IndexError("an index is outside of the table")
        return ow.from_numpy(table.numpy()[indices.numpy()])

    op = host.define(
        "looks_up(Tensor table, Tensor indices) -> Tensor",
        kernel,
        fake=lambda table, indices: table.new_empty((indices.shape[0], table.shape[1])),
    )
    table = host.matrix()
    return Case(op, (table, ow.tensor([2, 0])), gives=ow.stack([table[2], table[0]]))


@sound
def uses_numpy(host: Host) -> Case:
    op = host.define(
        "uses_numpy(Tensor x) -> Tensor",
        lambda x: ow.from_numpy(np.sort(np.ascontiguousarray(x.numpy()), axis=-1)),
        fake=lambda x: x.new_empty(x.shape),
    )
    x = ow.tensor([[3.0, 1.0, 2.0]])
    return Case(op, (x,), gives=ow.tensor([[1.0, 2.0, 3.0]]))
