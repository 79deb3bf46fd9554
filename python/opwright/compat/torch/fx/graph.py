"""torch.fx.graph: a list of nodes that becomes Python code."""

import contextlib
import copy
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from opwright.compat._absent import absent

from .code_writer import CodeWriter, PythonCode
from .codegen import CodeGen, TreeCodeGen
from .lint import lint
from .namespace import Namespace, snake_case
from .node import Argument, Node, Target, map_aggregate, map_arg
from .qualified_name import is_from_torch, qualified_name
from .size_nodes import add_property_node, materialize

if TYPE_CHECKING:
    from .graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode"]

_Namespace = Namespace
_snake_case = snake_case
_PyTreeCodeGen = TreeCodeGen
_NO_DEFAULT = object()


class NodeList:
    """The nodes of a graph in order; nodes may be inserted and erased during a loop over it."""

    def __init__(self, graph: "Graph", backwards: bool = False) -> None:
        self._graph = graph
        self._backwards = backwards

    def __len__(self) -> int:
        return self._graph._len

    def __iter__(self) -> Iterator[Node]:
        root = self._graph._root
        node = root._prev if self._backwards else root._next
        while node is not root:
            if not node._erased:
                yield node
            node = self._after(node, root)

    def _after(self, node: Node, root: Node) -> Node:
        # An erased node keeps its neighbours, so a loop that erases goes on.
        following = node._prev if self._backwards else node._next
        while following._erased and following is not root:
            following = following._prev if self._backwards else following._next
        return following

    def __reversed__(self) -> "NodeList":
        return NodeList(self._graph, not self._backwards)


class InsertPoint:
    """Where a graph inserts new nodes; a context manager that restores the place before it."""

    def __init__(self, graph: "Graph", insert: Callable[[Node], None]) -> None:
        self._graph = graph
        self._before, graph._insert = graph._insert, insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self._graph._insert = self._before


class Graph:
    """A function as a list of nodes that call Python functions, methods and modules.

    >>> from opwright.compat.torch import fx
    >>> import opwright.compat.torch as torch
    >>> graph = fx.Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(torch.relu, (x,))
    >>> _ = graph.output(y)
    >>> fx.GraphModule(torch.nn.Module(), graph)(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(
        self,
        owning_module: "GraphModule | None" = None,
        tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self._order_is_known = False
        self._positions: dict[Node, int] = {}
        self._len = 0
        self._graph_namespace = Namespace()
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._owning_module = owning_module
        self._owners = 0
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()

    # ---- Reading ----

    @property
    def owning_module(self) -> "GraphModule | None":
        """The GraphModule of this graph; None if it has several, or none."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module: "GraphModule | None") -> None:
        self._owning_module = module

    @property
    def nodes(self) -> NodeList:
        """The nodes in order."""
        return NodeList(self)

    def output_node(self) -> Node:
        """Return the output node."""
        node = self._root._prev
        if node.op != "output":
            raise AssertionError("Graph.output_node: the graph has no output yet")
        return node

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """Return the nodes of a kind, and of a target if one is given.

        >>> from opwright.compat.torch import fx
        >>> fx.symbolic_trace(lambda x: x.sin()).graph.find_nodes(op="call_method", target="sin")
        [sin]
        """
        if op == "call_function" and target is None:
            return [node for node in self.nodes if node.op == op]
        return [
            node
            for node in self.nodes
            if node.op == op and (target is None or node.target == target)
        ]

    def _position(self, node: Node) -> int:
        if not self._order_is_known:
            self._positions = {each: index for index, each in enumerate(self.nodes)}
            self._order_is_known = True
        return self._positions[node]

    def _same_place(self, node: Node) -> Node:
        """Return the node of this copy that is where `node` is in the original."""
        index = node.graph._position(node)
        return next(each for place, each in enumerate(self.nodes) if place == index)

    # ---- New nodes ----

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a node at the insertion point, which is the end unless `inserting_*` changed it."""
        if args is not None and not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args).__name__}")
        if kwargs is not None and not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs).__name__}")
        candidate = name if name is not None else self._target_to_str(target)
        unique = self._graph_namespace.create_name(candidate, None)
        node = Node(self, unique, op, target, args or (), kwargs or {}, type_expr)
        self._graph_namespace.associate_name_with_obj(unique, node)
        self._insert(node)
        self._order_is_known = False
        self._len += 1
        self._call_hooks("_create_node_hooks", node)
        return node

    def placeholder(
        self, name: str, type_expr: Any | None = None, default_value: Any = _NO_DEFAULT
    ) -> Node:
        """Add an argument of the function."""
        args = () if default_value is _NO_DEFAULT else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any | None = None) -> Node:
        """Add a read of an attribute of the module."""
        if self.owning_module is not None and not _has_attribute(
            self.owning_module, qualified_name
        ):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule, "
                "GraphModule.add_parameter to add the necessary Parameter, or "
                "nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a call of a submodule."""
        if self.owning_module is not None and not _has_attribute(self.owning_module, module_name):
            warnings.warn(
                "Attempted to insert a call_module Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule",
                stacklevel=2,
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any | None = None,
        name: str | None = None,
    ) -> Node:
        """Add a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Argument, type_expr: Any | None = None) -> Node:
        """Add the output: a node, or nodes in tuples, lists and dicts."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(
        self, node: Node, arg_transform: Callable[[Node], Argument] = lambda node: node
    ) -> Node:
        """Add a copy of a node of another graph; `arg_transform` maps the nodes it uses."""
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(
        self, g: "Graph", val_map: dict[Node, Node], return_output_node: bool = False
    ) -> Any:
        """Add copies of all nodes of `g`; return what its output returns, in this graph.

        `val_map` gets each node's copy; nodes that it has already are not copied.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda each: val_map[each])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda each: val_map[each])
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> "Graph":
        memo = memo if memo is not None else {}
        made = Graph(tracer_cls=self._tracer_cls, tracer_extras=self._tracer_extras)
        memo[id(self)] = made
        values: dict[Node, Node] = {}
        result = made.graph_copy(self, values, return_output_node=True)
        made._codegen = copy.copy(self._codegen)
        if result is not None:
            value, old = result
            output = made.output(value, type_expr=old.type)
            output.meta = copy.copy(old.meta)
        for node in made.nodes:
            node.meta = {key: _copy_meta(value) for key, value in node.meta.items()}
        return made

    # ---- Changes ----

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node that no other node uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} "
                f"users in the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        self._call_hooks("_erase_node_hooks", to_erase)
        before, after = to_erase._prev, to_erase._next
        to_erase._remove_from_list()
        # A running loop over the nodes continues from the erased node.
        to_erase._prev, to_erase._next = before, after
        to_erase._erased = True
        self._len -= 1
        to_erase._set_arguments((), {})

    def inserting_before(self, n: Node | None = None) -> InsertPoint:
        """Insert new nodes before a node; without one, at the beginning.

        >>> from opwright.compat.torch import fx
        >>> traced = fx.symbolic_trace(lambda x: x + 1)
        >>> output = traced.graph.output_node()
        >>> with traced.graph.inserting_before(output):
        ...     doubled = traced.graph.call_method("__mul__", (output.args[0], 2))
        >>> output.args = (doubled,)
        >>> _ = traced.recompile()
        >>> traced(3)
        8
        """
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("inserting_before: the node is of another graph")
        return InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> InsertPoint:
        """Insert new nodes after a node, in the order in which they are made; without one, last."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("inserting_after: the node is of another graph")
        last = [n]

        def insert(node: Node) -> None:
            last[0].append(node)
            last[0] = node

        return InsertPoint(self, insert)

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erase the nodes that nothing uses and that have no effect; return whether some were.

        `is_impure_node` says which nodes stay. Nodes with a write in them stay, in-place methods
        among them.
        """
        self.lint()
        is_impure = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not is_impure(node) and node.op not in ("placeholder", "output"):
                self.erase_node(node)
                changed = True
        from .graph_module import GraphModule

        if self.owning_module is not None:
            for child in self.owning_module.children():
                if isinstance(child, GraphModule):
                    changed |= child.graph.eliminate_dead_code(is_impure_node)
        return changed

    def lint(self) -> None:
        """Raise RuntimeError if the graph is not valid: names, order, targets in the module."""
        lint(self)

    # ---- Sizes ----

    def create_size_node(self, tensor_node: Node, dim: int) -> Node:
        """Add a node that reads a size of a tensor."""
        return add_property_node(self, tensor_node, "size", dim)

    def create_stride_node(self, tensor_node: Node, dim: int) -> Node:
        """Add a node that reads a stride of a tensor."""
        return add_property_node(self, tensor_node, "stride", dim)

    def create_storage_offset_node(self, tensor_node: Node) -> Node:
        """Add a node that reads where a tensor starts in its storage."""
        return add_property_node(self, tensor_node, "storage_offset")

    def materialize_symints(self, symints: list[Any]) -> list[Any]:
        """Add nodes that compute these sizes from the values of other nodes; return them.

        A number, or a size that is constant, is returned as a number.

        >>> from opwright.compat.torch import fx
        >>> from opwright.symbolic import ShapeEnv
        >>> size = ShapeEnv().make_backed(8)
        >>> graph = fx.Graph()
        >>> n = graph.placeholder("n")
        >>> n.meta["val"] = size
        >>> graph.materialize_symints([size + 1, 5])
        [add, 5]
        """
        return materialize(self, symints)

    # ---- Code ----

    def process_inputs(self, *args: Any) -> Any:
        """Return the values of the placeholders, given the arguments of `forward`."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Return the result of `forward`, given the value of the output node."""
        return self._codegen.process_outputs(out)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Set how the graph becomes code."""
        self._codegen = codegen

    def on_generate_code(
        self, make_transformer: Callable[[Any], Any]
    ) -> contextlib.AbstractContextManager[None]:
        """Change the lines of generated code: `make_transformer(previous)` returns the function.

        The result is a context manager; at its end the previous function is back.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def restore() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return restore()

    def python_code(self, root_module: str, **options: Any) -> PythonCode:
        """Return the source of `forward` and its globals; `root_module` names the module in it."""
        namespace = Namespace()
        before = {node: node._repr_fn for node in self.nodes}
        for node in self.nodes:
            node._repr_fn = lambda each: namespace.create_name(each.name, each)
        keep = ("verbose", "include_stride", "include_device", "additional_meta")
        try:
            writer = CodeWriter(
                self._codegen,
                list(self.nodes),
                root_module,
                namespace,
                **{key: value for key, value in options.items() if key in keep},
            )
            return writer.write()
        finally:
            for node, function in before.items():
                node._repr_fn = function

    # ---- Text ----

    def _target_to_str(self, target: Target | None) -> str:
        if callable(target):
            name = getattr(target, "__name__", type(target).__name__)
            op = qualified_name(target) if not isinstance(name, str) else name
        else:
            op = str(target)
            if op.startswith("__") and op.endswith("__") and len(op) > 4:
                op = op[2:-2]
        return snake_case(op)

    def __str__(self) -> str:
        return "graph():" + "".join(f"\n    {node.format_node()}" for node in self.nodes)

    def print_tabular(self) -> None:
        """Print a table of the nodes."""
        rows = [
            (node.op, node.name, Node._pretty_print_target(node.target), node.args, node.kwargs)
            for node in self.nodes
        ]
        head = ("opcode", "name", "target", "args", "kwargs")
        table = [head, *[tuple(str(cell) for cell in row) for row in rows]]
        widths = [max(len(row[index]) for row in table) for index in range(len(head))]
        table.insert(1, tuple("-" * width for width in widths))
        for row in table:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(cells).rstrip())

    def _call_hooks(self, kind: str, *args: Any, **kwargs: Any) -> None:
        for hook in getattr(self._owning_module, kind, ()):
            hook(*args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        # Flat, because a long list of nodes that refer to each other is too deep for pickle.
        # Metadata stays behind: it may hold fake tensors, symbols and local classes.
        order = {node: index for index, node in enumerate(self.nodes)}
        flat = [
            (
                *(node.op, _pickled_target(node.target), node.name, node.type),
                map_arg(node.args, lambda each: _Reference(order[each])),
                map_arg(node.kwargs, lambda each: _Reference(order[each])),
            )
            for node in self.nodes
        ]
        return {
            "nodes": flat,
            "codegen": self._codegen,
            "tracer_cls": self._tracer_cls,
            "tracer_extras": self._tracer_extras,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(tracer_cls=state["tracer_cls"], tracer_extras=state["tracer_extras"])
        self._codegen = state["codegen"]
        made: list[Node] = []

        def restore(leaf: Any) -> Any:
            return made[leaf.index] if isinstance(leaf, _Reference) else leaf

        for op, target, name, kind, args, kwargs in state["nodes"]:
            args, kwargs = map_aggregate(args, restore), map_aggregate(kwargs, restore)
            target = target.find() if isinstance(target, _TorchPath) else target
            made.append(self.create_node(op, target, args, kwargs, name, kind))


class _Reference:
    """A node in a pickled graph."""

    def __init__(self, index: int) -> None:
        self.index = index


class _TorchPath:
    """A function of PyTorch in a pickled graph."""

    def __init__(self, path: str) -> None:
        self.path = path

    def find(self) -> Any:
        import opwright.compat.torch as found

        for part in self.path.split(".")[1:]:
            found = getattr(found, part)
        return found


def _pickled_target(target: Target) -> Any:
    if callable(target) and is_from_torch(target):
        return _TorchPath(qualified_name(target))
    return target


def _copy_meta(value: Any) -> Any:
    return copy.copy(value) if isinstance(value, (dict, list, set)) else value


def _has_attribute(module: Any, path: str) -> bool:
    value = module
    for part in path.split("."):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


__getattr__ = absent(__name__)
