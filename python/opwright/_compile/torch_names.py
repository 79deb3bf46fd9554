"""The arguments of torch.compile and the names of torch.compiler, for `opwright.compile`."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any

from .. import compiler
from .phase import is_exporting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# PyTorch's names of backends, and ours that do the same.
BACKENDS = {"inductor": "llvm", "aot_eager": "trace"}
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """`opwright.compile` with the arguments of torch.compile.

    >>> import opwright.compat.torch as torch
    >>> twice = torch.compile(lambda x: x + x, backend="inductor", mode="max-autotune")
    >>> twice(torch.ones(2))
    tensor([2., 2.])

    `mode` and `options` tune PyTorch's Inductor; they change no result, and here nothing. A backend
    that is a function receives those given as keyword arguments. With `disable`, `model` is
    returned as it is.
    """
    if mode is not None and options is not None:
        raise RuntimeError("compile: give mode or options, not both")
    if mode is not None and backend == "inductor" and mode not in MODES:
        raise RuntimeError(f"compile: there is no mode {mode!r}, only {', '.join(MODES)}")
    if model is None:
        return functools.partial(
            compile,
            fullgraph=fullgraph,
            dynamic=dynamic,
            backend=backend,
            mode=mode,
            options=options,
            disable=disable,
        )
    if is_exporting():
        warnings.warn(
            "torch.compile is ignored when called inside torch.export region", stacklevel=2
        )
        return model
    if disable:
        return model
    own = BACKENDS.get(backend, backend) if isinstance(backend, str) else backend
    given = {"mode": mode, "options": options}
    given = {name: value for name, value in given.items() if value is not None}
    if not isinstance(own, str):
        own = _with_fx_graphs(own, given)
    return compiler.compile(model, fullgraph=fullgraph, dynamic=dynamic, backend=own)


def _with_fx_graphs(backend: Callable[..., Any], given: dict[str, Any]) -> Callable[..., Any]:
    """Return a backend that gives `backend` a GraphModule of torch.fx, as PyTorch does.

    A backend with the attribute `takes_core_graphs` converts the core's graph itself.
    """
    if getattr(backend, "takes_core_graphs", False):
        return functools.partial(backend, **given) if given else backend

    @functools.wraps(backend, updated=())
    def call(gm: Any, example_inputs: Any) -> Any:
        from ..compat.torch.fx.core_graph import module_of_graph

        return backend(module_of_graph(gm), example_inputs, **given)

    return call


def list_backends(exclude_tags: object = ("debug", "experimental")) -> list[str]:
    """Return PyTorch's names of the backends; backends have no tags.

    >>> from opwright.compat.torch import compiler
    >>> compiler.list_backends()
    ['aot_eager', 'inductor']
    """
    del exclude_tags
    return sorted(BACKENDS)


def allow_in_graph(fn: Any) -> Any:
    """Return `fn` as it is: a capture records the operators that it calls.

    >>> from opwright.compat.torch import compiler
    >>> @compiler.allow_in_graph
    ... def twice(x):
    ...     return x + x
    """
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError(f"allow_in_graph: expected a function, got {type(fn).__name__}")
    return fn


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return `fn` as it is: what it reads is guarded, so its result may change.

    >>> from opwright.compat.torch import compiler
    >>> @compiler.assume_constant_result
    ... def scale():
    ...     return 2.0
    """
    return fn


def cudagraph_mark_step_begin() -> None:
    """Do nothing: there are no CUDA graphs to separate.

    >>> from opwright.compat.torch import compiler
    >>> compiler.cudagraph_mark_step_begin()
    """


def is_dynamo_supported() -> bool:
    """Return True: functions can be compiled wherever the package runs.

    >>> from opwright.compat.torch import _dynamo
    >>> _dynamo.is_dynamo_supported()
    True
    """
    return True


def graph_break(msg: str = "") -> None:
    """Break the graph of the function that is being captured; the rest runs eagerly.

    >>> from opwright.compat.torch import _dynamo
    >>> _dynamo.graph_break()
    """
    from .. import _C

    _C.end_trace(f"graph_break({msg!r})" if msg else "graph_break() was called")
