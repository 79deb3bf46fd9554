"""Compile functions: traced once for each kind of call, fused, and run without dispatch.

>>> @ow.compile
... def scaled(x, factor=2.0):
...     return ow.sin(x) * factor
>>> ow.equal(scaled(ow.ones(3)), ow.sin(ow.ones(3)) * 2.0)
True
"""

from __future__ import annotations

from functools import partial

from . import _C
from ._compile.control import disable, set_stance
from ._compile.phase import is_compiling

# Imported on the first call, so names that only types need are not imported here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .tracing import GraphModule

    Backend = str | Callable[[GraphModule, Sequence[Any]], Callable[..., Any]]

__all__ = [
    "GraphBreakError",
    "compile",
    "disable",
    "is_compiling",
    "register_backend",
    "reset",
    "set_recompile_hook",
    "set_stance",
]

GraphBreakError = _C.GraphBreakError


def compile(
    f: Callable[..., Any] | None = None,
    /,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Backend = "llvm",
) -> Any:
    """Return a function or module that behaves the same and runs as compiled graphs.

    >>> model = ow.nn.Linear(4, 2)
    >>> compiled = ow.compile(model, fullgraph=True)
    >>> x = ow.randn(3, 4)
    >>> with ow.no_grad():
    ...     print(ow.allclose(compiled(x), model(x)))
    True

    A call captures `f` by running it once, unless an earlier capture is valid for it. Guards check
    the arguments (structure, scalars by value, tensors by dtype, device, sizes, strides,
    requires_grad, aliasing), grad mode and autocast, and all Python state that `f` and the
    functions that it calls read: closures, defaults, globals, elements of containers, attributes
    of objects, classes and modules. Tensors of closures and globals are read again on each call. A
    function that changes such state runs eagerly. What cannot be guarded (files, time, random
    numbers of Python and NumPy, iterators from outside, other C functions) ends the graph.

    The result has `num_compiles`, `recompile_reasons`, `breaks`, `guards` and `graphs`; a compiled
    module has the attributes of the module. At most 64 guard sets are kept; the least recently used
    is evicted first.

    `dynamic`: None makes a size symbolic when it changes, True at once, False never. `fullgraph`
    raises GraphBreakError for anything a graph cannot represent; otherwise such a call continues
    eagerly from there, later calls of its kind run uncompiled, and a PerformanceWarning reports it.
    `backend` is a name, or a function as in `register_backend`.
    """
    if f is None:
        return partial(compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend)
    return _C.CompiledFunction(f, fullgraph, dynamic, backend)


def register_backend(name: str, fn: Callable[..., Any] | None = None, /) -> Any:
    """Register a backend: `fn(graph_module, example_inputs)` returns a callable for the graph.

    >>> @register_backend("docs_counting")
    ... def counting(graph_module, example_inputs):
    ...     print(len(example_inputs), "input")
    ...     return graph_module
    >>> ow.compile(lambda x: x * 2, backend="docs_counting")(ow.ones(2))
    1 input
    tensor([2., 2.])

    The callable takes one tensor for each input and returns a tuple of the outputs.
    """
    if fn is None:
        return partial(register_backend, name)
    _C.register_backend(name, fn)
    return fn


def set_recompile_hook(hook: Callable[[str], object] | None) -> None:
    """Call `hook(reason)` whenever a function is recompiled; None removes the hook.

    >>> reasons = []
    >>> set_recompile_hook(reasons.append)
    >>> twice = ow.compile(lambda x: x + x)
    >>> _ = twice(ow.ones(2)), twice(ow.ones(3))
    >>> reasons
    ['x.size(0) is 3, it was 2']
    >>> set_recompile_hook(None)
    """
    _C.set_recompile_hook(hook)


def reset() -> None:
    """Discard all compiled code of all functions.

    >>> twice = ow.compile(lambda x: x + x)
    >>> _ = twice(ow.ones(2))
    >>> reset()
    >>> twice.num_compiles
    0
    """
    _C.reset_compiled()


class _Flat:
    """Pass arguments and results of a graph through unchanged."""

    def read(self, args: tuple, kwargs: dict) -> tuple:
        if kwargs:
            raise TypeError(f"a graph takes no arguments by name, got {', '.join(kwargs)}")
        return args

    def restore(self, results: tuple) -> Any:
        return results


def _call_backend(fn: Callable[..., Any], graph: _C.Graph) -> Any:
    from .tracing import GraphModule

    flat: Any = _Flat()
    inputs = [node.meta["val"] for node in graph.inputs if node.role == "argument"]
    return fn(GraphModule(graph, flat, flat), inputs)
