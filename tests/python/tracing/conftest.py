"""Operators that several tests of tracing use."""

import opwright as ow
import pytest
from opwright import Tensor, library


@pytest.fixture
def gain() -> ow.Operator:
    @library.custom_op("trial_trace::gain", mutates_args=())
    def gain(x: Tensor, factor: float = 2.0) -> Tensor:
        return x * factor

    @gain.register_fake
    def _(x, factor=2.0):
        return ow.empty_like(x)

    return gain


@pytest.fixture
def nonzero() -> ow.Operator:
    @library.custom_op("trial_trace::nonzero", mutates_args=())
    def nonzero(x: Tensor) -> Tensor:
        return ow.nonzero(x)

    @nonzero.register_fake
    def _(x):
        count = library.get_ctx().new_dynamic_size()
        return x.new_empty([count, x.dim()], dtype=ow.int64)

    return nonzero


@pytest.fixture
def scale_() -> ow.Operator:
    @library.custom_op("trial_trace::scale_", mutates_args={"x"})
    def scale_(x: Tensor, factor: float) -> None:
        x.mul_(factor)

    @scale_.register_fake
    def _(x, factor):
        return None

    return scale_
