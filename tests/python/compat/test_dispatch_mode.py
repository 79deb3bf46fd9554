"""TorchDispatchMode: every operator call of a block goes to a method."""

import opwright
import opwright.compat.torch as torch
import pytest
from opwright.compat.torch.utils._python_dispatch import TorchDispatchMode


class Calls(TorchDispatchMode):
    """Keeps what was called, and runs it."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append((func, args, kwargs))
        return func(*args, **(kwargs or {}))


def test_a_mode_gets_the_operators_and_the_arguments_that_were_given():
    x = torch.ones(2, 3)

    with Calls() as mode:
        torch.sum(x, 1, keepdim=True)
        torch.zeros(2, dtype=torch.int64)

    assert [call[0] for call in mode.seen] == [
        torch.ops.aten.sum.dim_IntList,
        torch.ops.aten.zeros.default,
    ]
    assert mode.seen[0][1][1:] == ([1], True)
    assert mode.seen[1][1:] == (([2],), {"dtype": torch.int64})


def test_a_composite_operator_arrives_as_the_operators_in_it():
    with Calls() as mode:
        torch.matmul(torch.ones(2, 2), torch.ones(2))

    assert torch.ops.aten.mv.default in [call[0] for call in mode.seen]


def test_a_mode_may_return_another_result():
    class Ones(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return torch.ones_like(func(*args, **(kwargs or {})))

    with Ones():
        result = torch.zeros(2).sin()

    assert result.tolist() == [1.0, 1.0]


def test_gradients_flow_through_calls_of_a_mode():
    x = torch.ones(2, requires_grad=True)

    with Calls():
        y = (x * 3).sum()
    y.backward()

    assert x.grad.tolist() == [3.0, 3.0]


def test_calls_of_an_inner_mode_go_to_the_outer_one():
    with Calls() as outer, Calls() as inner:
        torch.zeros(2)

    assert [call[0] for call in outer.seen] == [call[0] for call in inner.seen]


def test_a_mode_inside_of_a_fake_mode_gets_fake_tensors():
    with opwright.FakeTensorMode(), Calls() as mode:
        result = torch.zeros(2).sin()

    assert result.is_fake
    assert mode.seen[1][1][0].is_fake


def test_an_error_of_a_mode_is_the_error_of_the_call():
    class Refuses(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise KeyError("refused")

    with pytest.raises(KeyError, match="refused"), Refuses():
        torch.zeros(2)
    assert torch.zeros(2).tolist() == [0.0, 0.0]


def test_not_implemented_is_an_error_that_names_the_operator():
    class Nothing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    expected = r"aten::zeros: Nothing\.__torch_dispatch__ returned"
    with pytest.raises(TypeError, match=expected), Nothing():
        torch.zeros(2)


def test_modes_are_left_innermost_first():
    outer, inner = Calls(), Calls()
    outer.__enter__()
    inner.__enter__()

    try:
        with pytest.raises(RuntimeError, match="the innermost first"):
            outer._entered[-1].__exit__(None, None, None)
    finally:
        inner.__exit__(None, None, None)
        outer.__exit__(None, None, None)
