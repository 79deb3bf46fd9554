"""Calls with tensors of another library: a handler gets them, and nothing else."""

import threading

import opwright as ow
import pytest
from opwright import _C


class Foreign:
    """A tensor of another library."""


class FakeForeign(Foreign):
    """A subclass counts as well."""


class Handler:
    """Keeps the calls that it gets."""

    def __init__(self):
        self.calls = []

    def __call__(self, callable, args, kwargs):
        self.calls.append((callable.name, args, kwargs))
        return "handled"


@pytest.fixture
def handler():
    """Return the handler of Foreign, for the length of a test."""
    made = Handler()
    _C.set_foreign_type(Foreign, made)
    yield made
    _C.set_foreign_type(Foreign, None)


@pytest.mark.parametrize("kind", [Foreign, FakeForeign])
def test_a_function_an_operator_and_a_packet_give_the_call_away(handler, kind):
    x = kind()
    assert ow.sin(x) == "handled"
    assert ow.ops.aten.add(x, 2, alpha=3) == "handled"
    assert ow.ops.aten.mul.Tensor(x, other=x) == "handled"
    assert handler.calls == [
        ("aten::sin", (x,), {}),
        ("aten::add", (x, 2), {"alpha": 3}),
        ("aten::mul.Tensor", (x,), {"other": x}),
    ]


def test_an_element_of_a_list_counts(handler):
    x = Foreign()
    assert ow.cat([ow.ones(2), x]) == "handled"
    assert ow.ops.aten.stack((x,), 0) == "handled"
    assert [name for name, *_ in handler.calls] == ["aten::cat", "aten::stack"]


def test_an_operator_of_a_python_author_gives_the_call_away(handler, scope):
    scope.define("foreign_calls::gain(Tensor x, float factor=2.0) -> Tensor")
    x = Foreign()
    assert ow.ops.foreign_calls.gain(x, 0.5) == "handled"
    assert handler.calls == [("foreign_calls::gain", (x, 0.5), {})]


def test_calls_with_our_tensors_and_factories_stay_ours(handler):
    assert ow.sin(ow.zeros(2)).tolist() == [0, 0]
    assert ow.ops.aten.add(ow.ones(1), 2).tolist() == [3]
    assert handler.calls == []


def test_the_exception_of_a_handler_reaches_the_caller():
    def refuse(callable, args, kwargs):
        raise KeyError(callable.name)

    _C.set_foreign_type(Foreign, refuse)
    try:
        with pytest.raises(KeyError, match="aten::sin"):
            ow.sin(Foreign())
    finally:
        _C.set_foreign_type(Foreign, None)


def test_a_type_without_a_handler_is_refused_by_the_binder():
    _C.set_foreign_type(Foreign, Handler())
    _C.set_foreign_type(Foreign, None)
    with pytest.raises(TypeError, match="Foreign"):
        ow.sin(Foreign())


def test_a_scope_gives_factories_away_on_its_thread_alone():
    handler = Handler()
    made = []
    with _C.ForeignScope(handler):
        assert ow.zeros((2,), dtype=ow.float64) == "handled"
        assert ow.ops.aten.ones.default([2]) == "handled"
        thread = threading.Thread(target=lambda: made.append(ow.zeros(2)))
        thread.start()
        thread.join()
    assert [name for name, *_ in handler.calls] == ["aten::zeros", "aten::ones"]
    assert handler.calls[0][1:] == (((2,),), {"dtype": ow.float64})
    assert made[0].tolist() == [0, 0]
    assert ow.zeros(1).tolist() == [0]


def test_calls_with_our_tensors_stay_ours_in_a_scope():
    handler = Handler()
    x = ow.ones(2)
    with _C.ForeignScope(handler):
        assert ow.sin(x).shape == (2,)
        assert ow.cat([x, x]).shape == (4,)
        assert ow.tensor([1.0]).tolist() == [1]
        assert ow.ops.aten.add.Tensor(x, other=x).tolist() == [2, 2]
    assert handler.calls == []


def test_scopes_nest_and_one_object_may_be_entered_twice():
    outer, inner = Handler(), Handler()
    scope = _C.ForeignScope(outer)
    with scope:
        with _C.ForeignScope(inner), scope:
            ow.zeros(1)
        ow.ones(1)
    assert [name for name, *_ in outer.calls] == ["aten::zeros", "aten::ones"]
    assert inner.calls == []


def test_a_scope_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError), _C.ForeignScope(Handler()):
        1 / 0  # noqa: B018
    assert ow.zeros(1).tolist() == [0]


def test_a_scope_is_off_while_its_handler_runs():
    with _C.ForeignScope(lambda callable, args, kwargs: callable(*args, **kwargs)):
        assert ow.zeros(2).tolist() == [0, 0]


def test_a_scope_is_off_in_python_functions_that_the_core_calls(scope):
    op = scope.define("foreign_calls::shifted(Tensor x) -> Tensor")
    scope.implement("foreign_calls::shifted", "cpu", lambda x: x + ow.ones(1))
    handler = Handler()
    x = ow.zeros(1)
    with _C.ForeignScope(handler):
        assert op(x).tolist() == [1]
        assert ow.zeros(1) == "handled"
    assert len(handler.calls) == 1


def test_what_is_no_type_or_no_function_is_refused():
    with pytest.raises(TypeError, match="set_foreign_type: expected a type, got int"):
        _C.set_foreign_type(1, Handler())
    with pytest.raises(TypeError, match="set_foreign_type: expected a function or None, got int"):
        _C.set_foreign_type(Foreign, 1)
    with pytest.raises(TypeError, match="Tensor is a Tensor of opwright"):
        _C.set_foreign_type(ow.Tensor, Handler())
    with pytest.raises(TypeError, match="ForeignScope: expected a function, got int"):
        _C.ForeignScope(1)


def test_tensors_of_torch_reach_operators_of_torch():
    torch = pytest.importorskip("torch")

    def call_in_torch(callable, args, kwargs):
        return getattr(torch.ops.aten, callable.name.removeprefix("aten::"))(*args, **kwargs)

    _C.set_foreign_type(torch.Tensor, call_in_torch)
    try:
        x = torch.tensor([0.0, 1.0])
        assert torch.equal(ow.sin(x), x.sin())
        assert torch.equal(ow.cat([x, torch.nn.Parameter(x)]), torch.cat([x, x]))
        assert torch.equal(ow.add(x, x, alpha=2), 3 * x)
    finally:
        _C.set_foreign_type(torch.Tensor, None)
