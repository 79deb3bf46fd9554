"""Tensors that a traced function closes over, and those that leave it."""

import opwright as ow
import pytest
from opwright import make_fx

MODES = ["real", "fake", "symbolic"]


@pytest.mark.parametrize("mode", MODES)
def test_a_captured_tensor_is_an_input_that_is_read_anew(mode):
    weight = ow.ones(3)
    traced = make_fx(lambda x: x * weight, tracing_mode=mode)(ow.full([3], 2.0))

    assert ow.equal(traced(ow.full([3], 2.0)), ow.full([3], 2.0))
    weight.fill_(5.0)
    assert ow.equal(traced(ow.full([3], 2.0)), ow.full([3], 10.0))


def test_a_captured_tensor_used_twice_is_one_input():
    weight = ow.ones(3)
    traced = make_fx(lambda x: x * weight + weight)(ow.ones(3))

    assert len(traced.graph.inputs) == 2


@pytest.mark.parametrize("mode", MODES)
def test_a_write_to_a_captured_tensor_happens_in_each_run(mode):
    total = ow.zeros(2)

    def f(x):
        total.add_(x)
        return total * 1

    traced = make_fx(f, tracing_mode=mode)(ow.ones(2))
    before = total.clone()

    traced(ow.full([2], 3.0))

    assert ow.equal(total, before + 3)


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
def test_a_fake_trace_writes_nothing(mode):
    total = ow.zeros(2)

    make_fx(lambda x: total.add_(x), tracing_mode=mode)(ow.ones(2))

    assert ow.equal(total, ow.zeros(2))


def test_captured_tensors_in_lists_are_inputs():
    other = ow.ones(2)
    traced = make_fx(lambda x: ow.cat([x, other]))(ow.zeros(2))

    assert ow.equal(traced(ow.zeros(2)), ow.tensor([0.0, 0.0, 1.0, 1.0]))


def test_a_captured_tensor_that_is_returned_is_an_input():
    other = ow.ones(2)
    traced = make_fx(lambda x: (x + 1, other))(ow.zeros(2))

    assert traced(ow.zeros(2))[1] is other


@pytest.mark.parametrize("mode", MODES)
def test_a_tensor_that_escapes_is_caught(mode):
    kept = []

    def f(x):
        kept.append(x + 1)
        return x

    make_fx(f, tracing_mode=mode)(ow.ones(2))

    with pytest.raises(RuntimeError) as error:
        kept[0] + 1
    assert "a tensor made inside make_fx was used after it ended" in str(error.value)
    assert "Return it from the traced function" in str(error.value)


def test_an_error_in_the_function_leaves_nothing_active():
    def f(x):
        raise KeyError("inside")

    with pytest.raises(KeyError):
        make_fx(f)(ow.ones(2))

    assert ow.equal(ow.ones(2) + 1, ow.full([2], 2.0))
