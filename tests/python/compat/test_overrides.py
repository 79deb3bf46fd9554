"""torch.overrides: values with __torch_function__ replace functions, as in torch."""

import opwright.compat.torch as torch
import opwright.compat.torch.nn.functional as F  # noqa: N812 (torch's name)
import pytest
from opwright.compat.torch import fx, overrides
from opwright.compat.torch.fx.proxy import TraceError


class Base:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls.__name__, func.__name__, args[1:], kwargs


class Derived(Base):
    pass


class Shy:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


@overrides.wrap_torch_function(lambda x, y=None: (x, y))
def scale(x, y=None):
    return x * 2


def test_a_wrapped_function_runs_on_plain_values():
    assert scale(3) == 6


def test_a_value_with_an_override_takes_the_call():
    assert scale(Base(), y=1) == ("Base", "scale", (), {"y": 1})


def test_a_subclass_is_asked_before_its_base():
    assert scale(Base(), Derived())[0] == "Derived"


def test_an_override_may_leave_the_call_to_the_next():
    assert scale(Shy(), Base())[0] == "Base"


def test_a_call_that_no_override_takes_is_refused():
    with pytest.raises(TypeError, match="returned NotImplemented, or none has one: Shy"):
        scale(Shy())


def test_tensors_and_values_with_an_override_are_like_tensors():
    values = (torch.ones(1), Base(), 3)

    assert [overrides.is_tensor_like(each) for each in values] == [True, True, False]


def test_a_trace_of_a_function_of_nn_functional_records_its_call():
    traced = fx.symbolic_trace(F.relu)

    (node,) = traced.graph.find_nodes(op="call_function")
    assert node.target is F.relu
    assert traced(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]


def test_without_overrides_a_trace_runs_the_function(monkeypatch):
    monkeypatch.setattr(F, "has_torch_function", lambda args: False)

    with pytest.raises(TraceError, match="cannot be used as inputs to control flow"):
        fx.symbolic_trace(F.relu)


def test_the_functions_of_nn_functional_have_types_as_annotations():
    import inspect

    assert inspect.signature(F.relu).parameters["input"].annotation is torch.Tensor
