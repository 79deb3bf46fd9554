"""torch.fx.experimental.proxy_tensor: the mode that records calls on tensors of the caller."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import opwright as ow
from opwright import nn
from opwright.compat.torch.utils import _pytree as pytree
from opwright.compat.torch.utils._python_dispatch import TorchDispatchMode

from .._symbolic_trace import Tracer
from ..graph import Graph
from ..node import Argument
from ..proxy import Proxy

__all__ = ["ProxyTorchDispatchMode", "PythonKeyTracer", "track_tensor_tree"]


class PythonKeyTracer(Tracer):
    """A tracer that knows the proxies of tensors; ProxyTorchDispatchMode records into it."""

    def __init__(self) -> None:
        super().__init__(autowrap_modules=())
        self.root = nn.Module()
        self.graph = Graph()
        # By id; the tensor is kept, so that its id stays its own.
        self.tensor_tracker: dict[int, tuple[ow.Tensor, Proxy]] = {}

    def call_module(
        self, m: nn.Module, forward: Callable[..., Any], args: tuple, kwargs: dict
    ) -> Any:
        """Run the module: its operators are recorded, not its call."""
        return forward(*args, **kwargs)

    def create_arg(self, a: Any) -> Argument:
        """Return an argument of a node; a tensor that has no proxy becomes an attribute."""
        if not isinstance(a, ow.Tensor):
            return super().create_arg(a)
        if id(a) in self.tensor_tracker:
            return self.tensor_tracker[id(a)][1].node
        kind = "_param_constant" if isinstance(a, nn.Parameter) else "_tensor_constant"
        number = 0
        while hasattr(self.root, f"{kind}{number}"):
            number += 1
        setattr(self.root, f"{kind}{number}", a)
        proxy = self.create_proxy("get_attr", f"{kind}{number}", (), {})
        self.tensor_tracker[id(a)] = (a, proxy)
        return proxy.node


def track_tensor_tree(
    inner_res: Any, proxy_res: Any, *, constant: Any = None, tracer: PythonKeyTracer
) -> Any:
    """Make a proxy stand for a tensor, or its elements for the tensors of a tuple or list."""
    if isinstance(inner_res, ow.Tensor):
        proxy_res.node.meta["val"] = inner_res
        tracer.tensor_tracker[id(inner_res)] = (inner_res, proxy_res)
    elif isinstance(inner_res, (tuple, list)):
        for index, each in enumerate(inner_res):
            if any(isinstance(leaf, ow.Tensor) for leaf in pytree.tree_leaves(each)):
                track_tensor_tree(each, proxy_res[index], constant=None, tracer=tracer)
    return inner_res


class ProxyTorchDispatchMode(TorchDispatchMode):
    """A `with` statement whose operator calls become nodes of the tracer's graph, and run.

    `decomposition_table` maps operators to functions that are recorded in their place, unless the
    function returns NotImplemented.

    >>> tracer = PythonKeyTracer()
    >>> x = ow.ones(2)
    >>> proxy = tracer.create_proxy("placeholder", "x", (), {})
    >>> _ = track_tensor_tree(x, proxy, tracer=tracer)
    >>> with ProxyTorchDispatchMode(tracer, "real"):
    ...     y = x.sin()
    >>> [node.name for node in tracer.graph.nodes]
    ['x', 'sin']
    """

    def __init__(
        self,
        tracer: PythonKeyTracer,
        tracing_mode: str,
        pre_dispatch: bool = False,
        _allow_fake_constant: bool = False,
        _error_on_data_dependent_ops: bool = True,
        *,
        decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
    ) -> None:
        super().__init__()
        self.tracer = tracer
        self.tracing_mode = tracing_mode
        self.pre_dispatch = pre_dispatch
        self.decomposition_table = decomposition_table

    @contextlib.contextmanager
    def enable_decompositions(
        self, decomposition_table: Mapping[Any, Callable[..., Any]]
    ) -> Iterator[None]:
        """Use another table of decompositions in the block."""
        outer = self.decomposition_table
        self.decomposition_table = decomposition_table
        try:
            yield
        finally:
            self.decomposition_table = outer

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        rule = (self.decomposition_table or {}).get(func)
        if rule is not None:
            with self:
                result = rule(*args, **kwargs)
            if result is not NotImplemented:
                return result
        proxy = self.tracer.create_proxy("call_function", func, args, kwargs, func.base)
        result = func(*args, **kwargs)
        return track_tensor_tree(result, proxy, constant=None, tracer=self.tracer)
