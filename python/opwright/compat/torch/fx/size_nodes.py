"""Nodes that read and compute symbolic sizes, for code that adds calls to a graph."""

import ast
from typing import TYPE_CHECKING, Any

import opwright as ow

from .node import Node

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["add_property_node", "materialize"]

# Where tracers keep the value of a node.
_VALUES = ("val", "example_value")


def add_property_node(graph: "Graph", tensor: Node, name: str, *dim: int) -> Node:
    """Add a node that reads a property of a tensor: size, stride or storage_offset.

    It calls the operator `aten.sym_<name>` if there is one, else the method.
    """
    packet = getattr(ow.ops.aten, f"sym_{name}", None)
    if packet is None:
        made = graph.call_method(name, (tensor, *dim))
    else:
        made = graph.call_function(packet.int if dim else packet.default, (tensor, *dim))
    read = getattr(ow.Tensor, name)
    made.meta.update({key: read(tensor.meta[key], *dim) for key in _VALUES if key in tensor.meta})
    return made


def materialize(graph: "Graph", sizes: list[Any]) -> list[Any]:
    """Return each size as a node that computes it; a constant as a number."""
    writer = _SizeWriter(graph)
    return [writer.write(each) for each in sizes]


class _SizeWriter:
    """Adds nodes for expressions, each once, from the symbols that nodes of the graph have."""

    def __init__(self, graph: "Graph") -> None:
        self._graph = graph
        self._nodes: dict[str, Any] = {}  # by expression
        self._sizes: dict[str, tuple[Node, int]] = {}  # where a symbol is the size of a tensor
        for node in graph.nodes:
            value = next((node.meta[key] for key in _VALUES if key in node.meta), None)
            if isinstance(value, ow.SymInt):
                self._nodes.setdefault(str(value), node)
            elif isinstance(value, ow.Tensor):
                for dim, size in enumerate(value.shape):
                    if isinstance(size, ow.SymInt):
                        self._sizes.setdefault(str(size), (node, dim))

    def write(self, size: Any) -> Any:
        if not isinstance(size, ow.SymInt):
            return size
        return self._write(ast.parse(str(size), mode="eval").body)

    def _write(self, tree: ast.expr) -> Any:
        if isinstance(tree, ast.Constant):
            return tree.value
        text = ast.unparse(tree)
        if text not in self._nodes:
            self._nodes[text] = self._add(tree, text)
        return self._nodes[text]

    def _add(self, tree: ast.expr, text: str) -> Node:
        from .core_graph import _FUNCTIONS, _OPERATORS

        if text in self._sizes:
            owner, dim = self._sizes[text]
            return add_property_node(self._graph, owner, "size", dim)
        if isinstance(tree, ast.BinOp):
            return self._add_call(_OPERATORS[type(tree.op)], tree.left, tree.right)
        if isinstance(tree, ast.UnaryOp):
            return self._add_call(_OPERATORS[type(tree.op)], tree.operand)
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            return self._add_call(_FUNCTIONS[tree.func.id], *tree.args)
        raise AssertionError(
            f"materialize_symints: there is no producer for {text}; a node of the graph must have "
            "it as its value, or a tensor of that size"
        )

    def _add_call(self, function: Any, *operands: ast.expr) -> Node:
        args = tuple(self._write(each) for each in operands)
        made = self._graph.call_function(function, args)
        values = [_value_of(each) for each in args]
        if None not in values:
            made.meta["val"] = function(*values)
        return made


def _value_of(arg: Any) -> Any:
    if not isinstance(arg, Node):
        return arg
    return next((arg.meta[key] for key in _VALUES if key in arg.meta), None)
