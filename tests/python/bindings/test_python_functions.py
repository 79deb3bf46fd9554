"""_C.python_function: the Python function in a slot of an operator's row."""

import opwright as ow
import pytest
from opwright import _C


@pytest.fixture
def operator(scope):
    """Return an operator without functions."""
    return scope.define("stands::here(Tensor x) -> Tensor")


def first(x):
    return x


def second(x):
    return x


def test_the_newest_function_of_a_slot_is_found_under_all_names_of_the_slot(scope, operator):
    scope.implement("stands::here", "cpu", first)
    token = scope.implement("stands::here", "CPU", second)
    assert _C.python_function(operator, "cpu") is second
    assert _C.python_function(operator, "CPU") is second
    scope.remove(token)
    assert _C.python_function(operator, "CPU") is first


def test_a_slot_without_a_function_of_its_own_has_none(scope, operator):
    scope.implement("stands::here", "AllDevices", first)
    assert _C.python_function(operator, "AllDevices") is first
    assert _C.python_function(operator, "CPU") is None
    assert _C.python_function(operator, "Vmap") is None


def test_a_function_in_cpp_is_none(scope):
    assert _C.python_function(ow.ops.aten.sin.default, "CPU") is None
    scope.define("stands::written(Tensor(a!) x) -> ()")
    scope.implement_keep_old("stands::written", [0])
    assert _C.python_function(ow.ops.stands.written.default, "KeepOld") is None


def test_rules_are_found(scope, operator):
    scope.implement("stands::here", "Vmap", first)
    scope.implement("stands::here", "Autograd", second)
    assert _C.python_function(operator, "Vmap") is first
    assert _C.python_function(operator, "Autograd") is second


def test_what_is_no_operator_or_no_slot_is_refused(operator):
    with pytest.raises(TypeError, match="python_function: expected an Operator, got str"):
        _C.python_function("stands::here", "CPU")
    with pytest.raises(ValueError, match="nowhere"):
        _C.python_function(operator, "nowhere")
