"""Errors passing through C++: the same Python object, the right kind, the full text."""
# Covers: python/bindings/interpreter/*.

import pickle
import threading
import traceback

import opwright as ow
import pytest


class MineError(ValueError):
    pass


def frames(error):
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("name", ["inner", "through"])
def test_a_python_exception_arrives_as_the_same_object_with_its_traceback(probe, inner, name):
    error = MineError("here")

    def kernel(x):
        raise error

    inner.function = kernel
    with pytest.raises(MineError) as caught:
        getattr(probe, name)(ow.ones(1))

    assert caught.value is error
    assert frames(error)[0].startswith("test_")
    assert frames(error)[-1] == "kernel"


def test_a_python_exception_of_a_worker_thread_arrives_as_the_same_object(probe, inner):
    error = MineError("of a worker")

    def kernel(x):
        raise error

    inner.function = kernel
    with pytest.raises(MineError) as caught:
        probe.through_loop(ow.ones(1), 64)

    assert caught.value is error
    assert frames(error)[-1] == "kernel"


def test_workers_may_call_python_while_their_caller_waits(probe, inner):
    seen = set()

    def kernel(x):
        seen.add(threading.get_ident())
        total = sum(range(2000))  # long enough for a second thread to run
        return x if total else None

    inner.function = kernel
    for _ in range(20):
        probe.through_loop(ow.ones(1), 64)
    assert seen


def test_an_error_of_cpp_has_its_kind_and_the_call(probe):
    with pytest.raises(ValueError, match=r"limit must be positive") as caught:
        probe.fail(ow.ones(2), -1.0)
    assert str(caught.value) == (
        "probe::fail: limit must be positive, got -1 for float32[2]\n"
        "  in probe::fail(x=float32[2], limit=-1.0)"
    )


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (ValueError, lambda: ow.ones(2, 3).view(7)),
        (IndexError, lambda: ow.ones(2)[5]),
        (TypeError, lambda: ow.ones(2) & 1.5),
        (OverflowError, lambda: ow.tensor(300, dtype=ow.uint8)),
    ],
)
def test_an_error_of_the_core_is_its_kind_and_a_runtime_error(kind, call):
    with pytest.raises(kind) as precise:
        call()
    with pytest.raises(RuntimeError) as general:
        call()

    assert type(precise.value) is type(general.value)
    first_line = traceback.format_exception_only(precise.value)[0].splitlines()[0]
    assert first_line.startswith(f"{kind.__name__}: ")
    assert repr(precise.value).startswith(f"{kind.__name__}(")


def test_an_error_of_the_core_can_be_pickled_with_its_attributes():
    with pytest.raises(ValueError, match="view: sizes") as caught:
        ow.ones(2, 3).view(7)
    caught.value.add_note("a note")

    copy = pickle.loads(pickle.dumps(caught.value))

    assert type(copy) is type(caught.value)
    assert copy.args == caught.value.args
    assert copy.__notes__ == ["a note"]


def test_an_exception_with_arguments_keeps_them(probe, inner):
    class OddError(Exception):
        def __init__(self, code, *, hint):
            super().__init__(code)
            self.hint = hint

    def kernel(x):
        raise OddError(7, hint="h")

    inner.function = kernel
    with pytest.raises(OddError) as caught:
        probe.through(ow.ones(1))
    assert (caught.value.args, caught.value.hint) == ((7,), "h")


def test_keyboard_interrupt_passes_through(probe, inner):
    def kernel(x):
        raise KeyboardInterrupt

    inner.function = kernel
    with pytest.raises(KeyboardInterrupt):
        probe.through(ow.ones(1))


@pytest.mark.parametrize(
    ("schema", "function", "text"),
    [
        (
            "-> Tensor",
            lambda x: 3,
            "odd::f: result 1 of the Python function must be Tensor, but it returned int",
        ),
        (
            "-> Tensor",
            lambda x: None,
            "odd::f: result 1 of the Python function must be Tensor, but it returned None",
        ),
        (
            "-> (Tensor, Tensor)",
            lambda x: x,
            "odd::f: the Python function must return a tuple of 2 results, "
            "but it returned opwright.Tensor",
        ),
        (
            "-> (Tensor, Tensor)",
            lambda x: (x, x, x),
            "odd::f: the Python function must return a tuple of 2 results, "
            "but it returned 3 results",
        ),
        (
            "-> ()",
            lambda x: x,
            "odd::f: the Python function must return None, since the schema has no result, "
            "but it returned opwright.Tensor",
        ),
        (
            "-> Tensor[]",
            lambda x: [x, 1],
            "odd::f: result 1 of the Python function must be Tensor[], but element 1 is int",
        ),
    ],
)
def test_a_wrong_return_names_operator_and_result(scope, schema, function, text):
    op = scope.define(f"odd::f(Tensor x) {schema}")
    scope.implement("odd::f", "cpu", function)
    with pytest.raises(TypeError) as caught:
        op(ow.ones(1))
    assert str(caught.value).splitlines()[0] == text


def test_every_kind_of_result_comes_back(scope):
    values = {
        "int": 3,
        "float": 2.5,
        "bool": True,
        "str": "a\u00e9",
        "int[]": [1, 2],
        "float[]": [0.5],
        "bool[]": [True, False],
        "str[]": ["a", "b"],
        "int?": None,
        "ScalarType": ow.float64,
        "Device": ow.device("cuda", 1),
        "Scalar": 7,
        "complex": 1 + 2j,
    }
    for number, (kind, value) in enumerate(values.items()):
        op = scope.define(f"kinds::k{number}() -> {kind}")
        scope.implement(f"kinds::k{number}", "CompositeExplicitAutograd", lambda value=value: value)
        assert op() == value, kind


def test_an_int_is_a_float_where_the_schema_says_float(scope):
    op = scope.define("kinds::half() -> float")
    scope.implement("kinds::half", "CompositeExplicitAutograd", lambda: 2)
    assert type(op()) is float
