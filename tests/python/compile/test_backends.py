"""Backends: by name, from Python, and those with invalid results."""

import itertools

import opwright as ow
import pytest

_names = (f"test_backend_{number}" for number in itertools.count())


def _register(fn):
    name = next(_names)
    ow.compiler.register_backend(name, fn)
    return name


@pytest.mark.parametrize("backend", ["llvm", "plan", "eager", "trace"])
def test_every_backend_gives_the_same(backend):
    def f(x, y):
        return ow.softmax(x @ y, -1), x.sum()

    x, y = ow.randn(3, 4), ow.randn(4, 5)
    compiled = ow.compile(f, backend=backend)

    for _ in range(2):
        for ours, theirs in zip(compiled(x, y), f(x, y), strict=True):
            assert ow.allclose(ours, theirs, atol=1e-6)


def test_the_backend_trace_prints_the_graph(capfd):
    ow.compile(lambda x: ow.sin(x), backend="trace")(ow.ones(2))

    assert "aten::sin(%x)" in capfd.readouterr().err


def test_a_backend_gets_the_graph_and_examples_of_its_inputs():
    seen = []

    def keep(graph_module, example_inputs):
        seen.append((graph_module, example_inputs))
        return graph_module

    compiled = ow.compile(lambda x, y: (x + y, 3, x), backend=_register(keep))

    x = ow.ones(2)
    total, number, same = compiled(x, ow.ones(2))
    assert total.tolist() == [2.0, 2.0]
    assert number == 3
    assert same is x
    graph_module, examples = seen[0]
    assert [node.name for node in graph_module.graph.nodes] == ["x", "y", "add", "output"]
    assert [tuple(each.shape) for each in examples] == [(2,), (2,)]


def test_a_function_is_a_backend_without_a_name():
    def plain(graph_module, example_inputs):
        return lambda *inputs: graph_module(*inputs)

    assert ow.compile(lambda x: x * 2, backend=plain)(ow.ones(1)).item() == 2.0


def test_a_backend_that_gives_nothing_to_call_is_named():
    name = _register(lambda graph_module, example_inputs: 3)

    with pytest.raises(TypeError) as error:
        ow.compile(lambda x: x + 1, backend=name)(ow.ones(1))
    assert str(error.value) == (
        f"compile: the backend '{name}' returned a int, a callable that takes the graph's inputs "
        "was expected"
    )


def test_a_backend_whose_results_are_too_many_is_named():
    name = _register(lambda graph_module, example_inputs: lambda x: (x, x))

    with pytest.raises(ValueError, match=f"'{name}' returned 2 values, the graph has 1"):
        ow.compile(lambda x: x + 1, backend=name)(ow.ones(1))


def test_a_backend_whose_results_are_of_another_kind_is_named():
    name = _register(lambda graph_module, example_inputs: lambda x: ("no",))

    with pytest.raises(TypeError) as error:
        ow.compile(lambda x: x + 1, backend=name)(ow.ones(1))
    assert str(error.value) == (
        f"compile: the callable of the backend '{name}' returned a str for output 0, a tensor was "
        "expected"
    )


def test_an_error_of_a_backend_is_the_callers():
    def failing(graph_module, example_inputs):
        raise LookupError("not here")

    with pytest.raises(LookupError, match="not here"):
        ow.compile(lambda x: x + 1, backend=_register(failing))(ow.ones(1))


def test_a_name_is_registered_once():
    name = _register(lambda graph_module, example_inputs: graph_module)

    with pytest.raises(ValueError, match=f"the backend '{name}' already exists"):
        ow.compiler.register_backend(name, lambda graph_module, example_inputs: graph_module)
    with pytest.raises(TypeError, match="must be a function"):
        ow.compiler.register_backend("test_backend_none", 3)
