"""torch.fx.interpreter: runs a graph node by node; derive from it to change what nodes do."""

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from opwright import nn
from opwright.compat._absent import absent

from . import traceback as fx_traceback
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument, Node, Target, map_aggregate, map_arg
from .proxy import Proxy

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a GraphModule; each method runs one kind of node and may be overridden.

    >>> from opwright.compat.torch import fx
    >>> class Traced(fx.Interpreter):
    ...     def run_node(self, n):
    ...         result = super().run_node(n)
    ...         print(n.op, n.name, result)
    ...         return result
    >>> Traced(fx.symbolic_trace(lambda x: x + 1)).run(2)
    placeholder x 2
    call_function add 3
    output output 3
    3
    """

    def __init__(
        self,
        module: nn.Module,
        garbage_collect_values: bool = True,
        graph: Graph | None = None,
    ) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph = graph if graph is not None else module.graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            seen: set[Node] = set()
            for node in reversed(self.graph.nodes):
                for used in node._input_nodes:
                    if used not in seen:
                        seen.add(used)
                        self.user_to_last_uses.setdefault(node, []).append(used)

    # ---- A run ----

    def run(
        self,
        *args: Any,
        initial_env: dict[Node, Any] | None = None,
        enable_io_processing: bool = True,
    ) -> Any:
        """Run the graph and return its result.

        `initial_env` gives the values of nodes that are not run.
        """
        self.env = dict(initial_env) if initial_env is not None else {}
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    _note_node(error, node)
                raise
            for unused in self.user_to_last_uses.get(node, ()):
                del self.env[unused]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run the graph on a list of arguments, which it empties, so that they are freed early."""
        wanted = self.graph.find_nodes(op="placeholder")
        if len(args_list) != len(wanted):
            kind = "extra" if len(args_list) > len(wanted) else "missing"
            raise RuntimeError(
                f"Interpreter.boxed_run: {kind} arguments: the graph has {len(wanted)} "
                f"placeholders, got {len(args_list)}"
            )
        env = dict(zip(wanted, args_list, strict=True))
        args_list.clear()
        return self.run(initial_env=env)

    @contextlib.contextmanager
    def _set_current_node(self, node: Node) -> Iterator[None]:
        with fx_traceback.set_current_meta(node, f"Interpreter_{type(self).__name__}"):
            yield

    def run_node(self, n: Node) -> Any:
        """Run one node with the values of the nodes that it uses."""
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    # ---- The kinds of nodes ----

    def placeholder(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return the next argument of the run, or the default."""
        if str(target).startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return an attribute of the module."""
        return self.fetch_attr(str(target))

    def call_function(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a function."""
        return target(*args, **kwargs)  # type: ignore[operator]

    def call_method(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a method of the first argument."""
        owner, *rest = args
        return getattr(owner, str(target))(*rest, **kwargs)

    def call_module(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a submodule."""
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return what the graph returns."""
        return args[0]

    # ---- Values ----

    def fetch_attr(self, target: str) -> Any:
        """Return an attribute of the module by its path."""
        value: Any = self.module
        parts = target.split(".")
        for index, part in enumerate(parts):
            if not hasattr(value, part):
                raise RuntimeError(
                    f"Node referenced nonexistent target {'.'.join(parts[: index + 1])}"
                )
            value = getattr(value, part)
        return value

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        """Return the arguments of a node with values instead of nodes."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Argument:
        """Return an argument with values instead of nodes."""

        def value_of(node: Node) -> Any:
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose "
                    "such issues"
                )
            return self.env[node]

        return map_arg(args, value_of)


def _note_node(error: Exception, node: Node) -> None:
    """Add to an error which node raised it, once."""
    text = f"While executing {node.format_node()}"
    if node.stack_trace:
        text += f"\nOriginal traceback:\n{node.stack_trace}"
    if not any(note.startswith("While executing") for note in getattr(error, "__notes__", ())):
        error.add_note(text)


class _TransformerTracer(Tracer):
    """Adds to an existing graph; every module is a leaf."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.tensor_attrs: dict[int, str] = {}

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return True


class Transformer(Interpreter):
    """An interpreter whose values are proxies: `transform` returns the new graph.

    >>> from opwright.compat.torch import fx
    >>> import opwright.compat.torch as torch
    >>> class SinToCos(fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         new = torch.cos if target is torch.sin else target
    ...         return super().call_function(new, args, kwargs)
    >>> traced = fx.symbolic_trace(lambda x: torch.sin(x))
    >>> SinToCos(traced).transform()(torch.zeros(1))
    tensor([1.])
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        self.tracer = _TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Proxy:
        """Add an argument to the new graph."""
        default = args[0] if args else inspect.Signature.empty
        given = () if default is inspect.Signature.empty else (default,)
        return Proxy(self.new_graph.create_node("placeholder", target, given), self.tracer)

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """Add a read of an attribute to the new graph."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Add a call of a submodule, or what its forward does if it is no leaf."""
        module = self.fetch_attr(str(target))
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Add a call of a function."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Run on proxies and return the new graph as a module."""
        with fx_traceback.preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:

            def node_of(value: Any) -> Argument:
                return value.node if isinstance(value, Proxy) else value

            output = self.new_graph.output(map_aggregate(result, node_of))
            output.type = self.graph.output_node().type
            output.meta = dict(self.graph.output_node().meta)
        made = GraphModule(self.module, self.new_graph)
        _keep_placeholder_meta(self.graph, self.new_graph)
        _mark_wrapped(self.graph, self.new_graph)
        if any(node.meta.get("is_wrapped") for node in made.graph.nodes):
            made.recompile()
        return made


def _keep_placeholder_meta(old: Graph, new: Graph) -> None:
    for before, after in zip(
        old.find_nodes(op="placeholder"), new.find_nodes(op="placeholder"), strict=False
    ):
        after.type = before.type
        after.meta = {**before.meta, **after.meta}


def _mark_wrapped(old: Graph, new: Graph) -> None:
    wrapped = {id(node.target) for node in old.nodes if node.meta.get("is_wrapped")}
    for node in new.nodes:
        if node.op == "call_function" and id(node.target) in wrapped:
            node.meta["is_wrapped"] = True


__getattr__ = absent(__name__)
