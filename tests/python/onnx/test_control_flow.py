"""cond and while_loop become If and Loop, whose bodies read outer values by name."""

import opwright as ow
import pytest
from opwright.export import Dim

from .exported import Exported, check_export

ROWS = {"x": {0: Dim("rows")}}


def flip_where_any(x: ow.Tensor) -> tuple[ow.Tensor, ...]:
    return ow.cond(x.any(), lambda x: (x.flip(0), x.sum()), lambda x: (x, x.sum()), (x,))


def test_both_branches_run_in_onnx_runtime_at_other_sizes() -> None:
    check_export(
        flip_where_any,
        ow.randn(4, 3),
        dynamic_shapes=ROWS,
        at=[(ow.zeros(2, 3),), (ow.randn(7, 3),)],
    )


def test_a_branch_reads_tensors_that_it_closes_over() -> None:
    weight = ow.randn(3)

    def f(x: ow.Tensor) -> tuple[ow.Tensor, ...]:
        y = x.flip(1)
        return ow.cond(
            x.any(), lambda x: (x.sum(1), y), lambda x: (weight.sum() + x.sum(1), x), (x,)
        )

    check_export(f, ow.randn(4, 3), dynamic_shapes=ROWS, at=[(ow.zeros(5, 3),)], opsets=(13, 20))


def test_a_branch_uses_sizes() -> None:
    def f(x: ow.Tensor) -> tuple[ow.Tensor, ...]:
        rows = x.shape[0]
        return ow.cond(
            x.any(), lambda x: (x.reshape(rows * 3),), lambda x: (x.flip(0).reshape(-1),), (x,)
        )

    check_export(f, ow.randn(4, 3), dynamic_shapes=ROWS, at=[(ow.zeros(5, 3),)], opsets=(13, 20))


def test_an_output_may_be_read_by_a_branch_too() -> None:
    def f(x: ow.Tensor) -> tuple[ow.Tensor, ...]:
        y = x.flip(0)
        (z,) = ow.cond(x.any(), lambda y: (y.sum(0),), lambda y: (y.amax(0),), (y,))
        return y, z

    exported = Exported(f, (ow.randn(4, 3),), 18, ROWS)
    assert exported.node_types.count("If") == 1
    check_export(f, ow.randn(4, 3), dynamic_shapes=ROWS, at=[(ow.zeros(6, 3),)], opsets=(18,))


def test_a_loop_runs_as_long_as_its_condition_holds() -> None:
    def f(left: ow.Tensor, x: ow.Tensor) -> tuple[ow.Tensor, ...]:
        return ow.while_loop(
            lambda left, y: left.any(),
            lambda left, y: (ow.cat([left[1:], left[:1].ne(left[:1])]), y.cumsum(0)),
            (left, x),
        )

    left = ow.tensor([True, True, False])
    check_export(
        f,
        left,
        ow.randn(4, 2),
        dynamic_shapes={"left": None, "x": {0: Dim("rows")}},
        at=[
            (ow.tensor([False, False, False]), ow.randn(3, 2)),
            (ow.tensor([True, False, True]), ow.randn(6, 2)),
        ],
        opsets=(14, 20),
        rtol=1e-5,
    )


@pytest.mark.parametrize("opset", [13, 20])
def test_a_branch_inside_of_a_loop(opset: int) -> None:
    def body(left: ow.Tensor, y: ow.Tensor) -> tuple[ow.Tensor, ...]:
        (turned,) = ow.cond(y.sum().gt(0), lambda y: (y.flip(0),), lambda y: (y.cumsum(0),), (y,))
        return ow.cat([left[1:], left[:1].ne(left[:1])]), turned

    def f(left: ow.Tensor, x: ow.Tensor) -> tuple[ow.Tensor, ...]:
        return ow.while_loop(lambda left, y: left.any(), body, (left, x))

    given = (ow.tensor([True, True, True]), ow.randn(4, 2))
    check_export(f, *given, at=[(given[0], -given[1])], opsets=(opset,), rtol=1e-5)
