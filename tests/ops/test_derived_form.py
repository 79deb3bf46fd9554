"""Aliases, and forms that write the results of another operator (src/ops/rule/derived_form.cpp)."""

import opwright as ow
import pytest
from opwright import tracing
from opwright.testing import assert_close


def names_of_calls(function, *args) -> list[str]:
    graph = tracing.make_fx(function)(*args).graph
    return [str(node.target) for node in graph.nodes if node.op == "call_function"]


def test_an_alias_is_its_operator_in_every_form():
    x = ow.tensor([-1.5, 2.0])

    assert_close(ow.absolute(x), x.abs())
    assert_close(x.clone().absolute_(), x.abs())
    assert_close(ow.absolute(x, out=ow.empty(0)), x.abs())


def test_a_trace_shows_the_operator_that_an_alias_calls():
    calls = names_of_calls(lambda x: ow.greater_equal(ow.absolute(x), 1), ow.ones(2))

    assert calls == ["aten.abs.default", "aten.ge.Scalar"]


def test_an_in_place_form_returns_its_argument_and_raises_the_version():
    x = ow.tensor([3.0])
    before = x._version

    assert x.square_() is x
    assert x.tolist() == [9.0]
    assert x._version > before


def test_an_in_place_form_is_differentiated():
    x = ow.tensor([3.0], requires_grad=True)
    y = x * 1
    y.square_()
    y.sum().backward()

    assert x.grad.tolist() == [6.0]


def test_an_in_place_form_is_mapped():
    x = ow.tensor([[1.0, 2.0], [3.0, 4.0]])

    assert_close(ow.vmap(lambda row: row.clone().square_())(x), x * x)


def test_an_empty_out_gets_the_sizes_of_the_result():
    out = ow.empty(0)

    assert ow.cumsum(ow.ones(3), 0, out=out) is out
    assert out.tolist() == [1.0, 2.0, 3.0]


def test_a_form_writes_several_results():
    values, indices = ow.empty(2), ow.empty(2, dtype=ow.int64)

    ow.ops.aten.sort.values(ow.tensor([2.0, 1.0]), values=values, indices=indices)

    assert values.tolist() == [1.0, 2.0]
    assert indices.tolist() == [1, 0]


def test_the_results_are_computed_before_an_operand_is_written():
    x = ow.tensor([1.0, 2.0, 3.0])

    ow.cumsum(x, 0, out=x)

    assert x.tolist() == [1.0, 3.0, 6.0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: ow.ones(1).clamp_min_(ow.ones(2)),
            ValueError,
            r"clamp_min_: self of sizes \[1\] cannot hold a result of sizes \[2\]",
        ),
        (
            lambda: ow.cumsum(ow.ones(3), 0, out=ow.empty(2)),
            ValueError,
            r"cumsum: out of sizes \[2\] cannot hold a result of sizes \[3\]",
        ),
        (
            lambda: ow.square(ow.ones(2), out=ow.empty(2, dtype=ow.int64)),
            TypeError,
            "square: a result of float32 cannot be stored in self of int64",
        ),
        (
            lambda: ow.square(ow.ones(2, requires_grad=True), out=ow.empty(2)),
            RuntimeError,
            "don't support automatic differentiation",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
