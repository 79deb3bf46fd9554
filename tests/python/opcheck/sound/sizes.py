"""Operators whose results have other sizes, or that are strict about their inputs' sizes."""

import numpy as np
import opwright as ow

from ..host import Host
from .case import Case, sound


@sound
def finds_positions(host: Host) -> Case:
    """As many results as the data says."""

    def kernel(x):
        return ow.from_numpy(np.stack(np.nonzero(x.numpy()), axis=1))

    def fake(x):
        count = ow.library.get_ctx().new_dynamic_size()
        return x.new_empty((count, x.dim()), dtype=ow.int64)

    op = host.define(
        "finds_positions(Tensor x) -> Tensor", kernel, fake=fake, tags=("dynamic_output_shape",)
    )
    return Case(op, (ow.tensor([[0, 1], [2, 0]]),), gives=ow.tensor([[0, 1], [1, 0]]))


@sound
def selects_positive(host: Host) -> Case:
    """A size in a range that the fake kernel states."""

    def fake(x):
        return x.new_empty((ow.library.get_ctx().new_dynamic_size(min=0),))

    op = host.define(
        "selects_positive(Tensor x) -> Tensor",
        lambda x: x[x > 0],
        fake=fake,
        tags=("dynamic_output_shape",),
    )
    return Case(op, (ow.tensor([1.0, -2.0, 3.0]),), gives=ow.tensor([1.0, 3.0]))


@sound
def takes_matrices_only(host: Host) -> Case:
    def kernel(x):
        if x.dim() != 2 or x.shape[0] < 2:
            raise ValueError(f"x must be a matrix of two rows or more, got {list(x.shape)}")
        return (x[1:] - x[:-1]).contiguous()

    op = host.define(
        "takes_matrices_only(Tensor x) -> Tensor",
        kernel,
        fake=lambda x: x.new_empty((x.shape[0] - 1, x.shape[1])),
    )
    x = host.matrix()
    return Case(op, (x,), gives=x[1:] - x[:-1])


@sound
def takes_one_size_only(host: Host) -> Case:
    def take(x):
        if tuple(x.shape) != (3, 4):
            raise ValueError(f"x must have the sizes (3, 4), got {tuple(x.shape)}")
        return x.new_empty((3,))

    def kernel(x):
        return take(x).copy_(x.sum(1))

    op = host.define("takes_one_size_only(Tensor x) -> Tensor", kernel, fake=take)
    x = host.matrix()
    return Case(op, (x,), gives=x.sum(1))


@sound
def takes_contiguous_only(host: Host) -> Case:
    def kernel(x):
        if not x.is_contiguous():
            raise ValueError("x must be contiguous")
        return x.view(-1).flip(0)

    def fake(x):
        if not x.is_contiguous():
            raise ValueError("x must be contiguous")
        return x.new_empty((x.numel(),))

    op = host.define("takes_contiguous_only(Tensor x) -> Tensor", kernel, fake=fake)
    x = host.matrix()
    return Case(op, (x,), gives=x.flatten().flip(0))


@sound
def broadcasts(host: Host) -> Case:
    op = host.define(
        "broadcasts(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x + y,
        fake=lambda x, y: x + y,
    )
    x, y = host.matrix(), ow.randn(4)
    return Case(op, (x, y), gives=x + y)


@sound
def reduces(host: Host) -> Case:
    op = host.define(
        "reduces(Tensor x) -> Tensor", lambda x: x.sum(0), fake=lambda x: x.new_empty(x.shape[1:])
    )
    x = host.matrix()
    return Case(op, (x,), gives=x.sum(0))


@sound
def gives_a_number(host: Host) -> Case:
    op = host.define(
        "gives_a_number(Tensor x) -> Tensor",
        lambda x: x.abs().sum(),
        fake=lambda x: x.abs().sum(),
    )
    x = host.matrix()
    return Case(op, (x,), gives=x.abs().sum())


@sound
def multiplies_matrices(host: Host) -> Case:
    """Equal sizes in the example have nothing to do with each other."""

    def check(x, y):
        if x.dim() != 2 or y.dim() != 2:
            raise ValueError("x and y must be matrices")
        ow.check(x.shape[1] == y.shape[0], lambda: "the columns of x must be the rows of y")

    def kernel(x, y):
        check(x, y)
        return ow.from_numpy(np.asarray(x.numpy() @ y.numpy(), order="C"))

    def fake(x, y):
        check(x, y)
        return x.new_empty((x.shape[0], y.shape[1]))

    op = host.define("multiplies_matrices(Tensor x, Tensor y) -> Tensor", kernel, fake=fake)
    x, y = host.matrix(3, 3), host.matrix(3, 3)
    return Case(op, (x, y), gives=x @ y)


@sound
def gives_columns_first(host: Host) -> Case:
    """Strides that are not contiguous, the same whatever the input has."""

    def kernel(x):
        return x.t().contiguous().t() * 2

    def fake(x):
        return x.new_empty((x.shape[1], x.shape[0])).t()

    op = host.define("gives_columns_first(Tensor x) -> Tensor", kernel, fake=fake)
    x = host.matrix()
    return Case(op, (x,), gives=x * 2)


@sound
def gives_channels_last(host: Host) -> Case:
    def shaped(x):
        return x.new_empty((x.shape[0], x.shape[2], x.shape[3], x.shape[1])).permute(0, 3, 1, 2)

    def kernel(x):
        return shaped(x).copy_(x * 2)

    op = host.define("gives_channels_last(Tensor x) -> Tensor", kernel, fake=shaped)
    x = ow.randn(2, 3, 4, 5)
    return Case(op, (x,), gives=x * 2)


@sound
def repeats_rows(host: Host) -> Case:
    def kernel(x, times):
        if times < 0:
            raise ValueError(f"times must not be negative, got {times}")
        return ow.from_numpy(np.repeat(x.numpy(), times, axis=0))

    op = host.define(
        "repeats_rows(Tensor x, SymInt times) -> Tensor",
        kernel,
        fake=lambda x, times: x.new_empty((x.shape[0] * times, x.shape[1])),
    )
    x = host.matrix()
    return Case(op, (x, 2), gives=ow.stack([x, x], 1).reshape(6, 4))


@sound
def halves_a_size(host: Host) -> Case:
    op = host.define(
        "halves_a_size(Tensor x) -> Tensor",
        lambda x: x[:, ::2].contiguous().clone(),
        fake=lambda x: x.new_empty((x.shape[0], (x.shape[1] + 1) // 2)),
    )
    x = host.matrix()
    return Case(op, (x,), gives=x[:, ::2])


@sound
def crops(host: Host) -> Case:
    def check(pic, box):
        left, top, right, bottom = box
        if pic.dim() != 3 or not (left <= right and top <= bottom):
            raise ValueError(f"pic must have three dimensions and box two corners, got {box}")

    def kernel(pic, box):
        check(pic, box)
        left, top, right, bottom = box
        if left < 0 or top < 0 or right > pic.shape[2] or bottom > pic.shape[1]:
            raise ValueError(f"box must lie inside of the picture, got {box}")
        return pic[:, top:bottom, left:right].contiguous().clone()

    def fake(pic, box):
        left, top, right, bottom = box
        return pic.new_empty((pic.shape[0], bottom - top, right - left))

    op = host.define("crops(Tensor pic, SymInt[] box) -> Tensor", kernel, fake=fake)
    pic = ow.randn(3, 16, 16)
    return Case(op, (pic, [2, 1, 8, 5]), gives=pic[:, 1:5, 2:8])
