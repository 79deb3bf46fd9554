"""torch.fx.experimental.proxy_tensor: make_fx."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import opwright as ow
from opwright import nn, tracing
from opwright.compat._absent import absent
from opwright.compat.torch.utils import _pytree as pytree

from ..codegen import TreeCodeGen
from ..core_graph import CoreGraphReader
from ..graph_module import GraphModule
from ..size_check import SizeCheck
from . import shape_env_names  # noqa: F401 (adds names to ShapeEnv)
from .proxy_mode import ProxyTorchDispatchMode, PythonKeyTracer, track_tensor_tree

__all__ = [
    "ProxyTorchDispatchMode",
    "PythonKeyTracer",
    "get_isolated_graphmodule",
    "make_fx",
    "track_tensor_tree",
]


def make_fx(
    f: Callable[..., Any],
    decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    record_stack_traces: bool = False,
    **_private: Any,
) -> Callable[..., GraphModule]:
    """Return a function that runs `f` once and returns its operator calls as a GraphModule.

    The trace is that of `opwright.make_fx`; its graph becomes one of torch.fx. In symbolic mode a
    call of the module checks the sizes that the trace relied on. In the other modes it does not, as
    in PyTorch; that of `opwright.make_fx` does. `pre_dispatch` keeps operators that are composed of
    others, and where gradients are recorded. A backward() in `f` becomes the calls that compute the
    gradients; a call of the module does not change `.grad`, as in PyTorch.

    >>> import opwright.compat.torch as torch
    >>> from opwright.compat.torch.fx.experimental.proxy_tensor import make_fx
    >>> print(make_fx(lambda x: x.sin())(torch.ones(2)).code.strip())
    def forward(self, x_1):
        sin = torch.ops.aten.sin.default(x_1);  x_1 = None
        return sin
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise ValueError(
            f"make_fx: tracing_mode must be 'real', 'fake' or 'symbolic', got {tracing_mode!r}"
        )
    trace = tracing.tracer_of(
        f,
        decomposition_table,
        tracing_mode,  # type: ignore[arg-type]
        keep_composites=pre_dispatch,
        writes_gradients=False,
    )

    def wrapped(*args: Any) -> GraphModule:
        traced = trace(*args)
        names = _parameter_names(f, len(args))
        made = from_core(traced, names, args, pre_dispatch, _return_annotation(f))
        if tracing_mode == "symbolic":
            made.__dict__["_size_check"] = SizeCheck(traced)
        return made

    return wrapped


def _parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the arguments; arg0, arg1, ... where the function does not name them."""
    shown = f.forward if isinstance(f, nn.Module) else f
    try:
        parameters = list(inspect.signature(shown).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    plain = [each.name for each in parameters if each.kind == each.POSITIONAL_OR_KEYWORD]
    if len(plain) == len(parameters) and len(plain) >= count:
        return plain[:count]
    return [f"arg{index}" for index in range(count)]


def _return_annotation(f: Callable[..., Any]) -> Any:
    """Return the annotation of what the function returns, which its code shows, or None."""
    shown = f.forward if isinstance(f, nn.Module) else f
    return getattr(shown, "__annotations__", {}).get("return")


def from_core(
    traced: tracing.GraphModule,
    names: list[str],
    args: tuple[Any, ...],
    keeps_grad_mode: bool = False,
    return_annotation: Any = None,
) -> GraphModule:
    """Return a traced function of the core as a GraphModule of torch.fx."""
    root = nn.Module()
    reader = CoreGraphReader(traced.graph, root, keeps_grad_mode)
    inputs = iter(node for node in traced.graph.inputs if node.role == "argument")
    is_input = iter(traced._inputs._is_input)
    for name, argument in zip(names, args, strict=True):
        for number, leaf in enumerate(pytree.tree_leaves(argument), 1):
            node = next(inputs) if next(is_input) else None
            reader.add_input(f"{name}_{number}", node, leaf)
    outputs = reader.read()
    result = traced._outputs.restore(tuple(outputs))
    leaves, spec = pytree.tree_flatten(args)
    graph = reader.graph
    if len(leaves) == len(args) and all(a is b for a, b in zip(leaves, args, strict=True)):
        graph.output(result, return_annotation)
    else:
        flat, out_spec = pytree.tree_flatten(result)
        graph.set_codegen(TreeCodeGen(names, spec, out_spec))
        graph.output(flat)
    made = GraphModule(root, graph)
    made.__dict__["shape_env"] = traced.graph.shape_env
    return made


def get_isolated_graphmodule(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tracing_mode: str = "real",
    decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
) -> GraphModule:
    """Trace a call of a function outside of every trace that is active."""
    leaves, spec = pytree.tree_flatten((args, kwargs))

    def call(leaves: list[Any]) -> Any:
        own_args, own_kwargs = pytree.tree_unflatten(leaves, spec)
        return func(*own_args, **own_kwargs)

    return ow._C.run_eagerly(lambda: make_fx(call, decomposition_table, tracing_mode)(leaves))


__getattr__ = absent(__name__)
