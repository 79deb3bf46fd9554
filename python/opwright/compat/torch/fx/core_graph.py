"""Converts a traced graph of the core to a graph of this package: the same calls as nodes of fx.

Sizes, which the core holds as expressions, become nodes that read and compute them. The results of
a call with several of them are read with `[]`. Tensors that the function closed over become
attributes of the module.
"""

import ast
import linecache
import operator
from collections.abc import Callable, Sequence
from typing import Any

import opwright as ow
from opwright import nn
from opwright.compat._python_operators import find_operator
from opwright.graph import Graph as CoreGraph
from opwright.graph import Node as CoreNode
from opwright.graph import NodeValue

from .graph import Graph
from .graph_module import GraphModule, stack_trace_of_line
from .node import Node
from .passes.shape_prop import _extract_tensor_metadata
from .torch_calls import factory_options, torch_call

__all__ = ["CoreGraphReader", "module_of_graph"]

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.And: operator.and_,
    ast.Or: operator.or_,
    ast.Not: ow.sym_not,
}
_FUNCTIONS = {"max": ow.sym_max, "min": ow.sym_min}


# Operators whose arguments are graphs: PyTorch's operator, and the names of the modules.
_CONTROL_FLOW = {
    ow.ops.opwright.cond.default: (
        find_operator("higher_order.cond"),
        ("true_graph", "false_graph"),
    ),
    ow.ops.opwright.while_loop.default: (
        find_operator("higher_order.while_loop"),
        ("while_loop_cond_graph", "while_loop_body_graph"),
    ),
}
_SYM_SIZE = ow.ops.aten.sym_size.int


def module_of_graph(traced: Any) -> Any:
    """Return a captured graph of the core as a GraphModule that returns a tuple.

    A graph that takes the state of random numbers as an input stays as it is: a call of it reads
    and writes the generator.
    """
    core = traced.graph
    if any(node.role == "random_state" for node in core.inputs):
        return traced
    root = nn.Module()
    reader = CoreGraphReader(core, root)
    for node in core.inputs:
        if node.role == "argument":
            reader.add_input(node.name, node)
    reader.graph.output(tuple(reader.read()))
    return GraphModule(root, reader.graph)


def _show(file: str, line: str) -> str:
    """Return a line as a traceback shows it."""
    source = linecache.getline(file, int(line)).strip()
    place = f'  File "{file}", line {line}, in forward'
    return f"{place}\n    {source}" if source else place


def _as_power(tree: ast.BinOp) -> tuple[ast.expr, int] | None:
    """Return the base and the exponent of a product of at least three equal factors."""
    factors: list[ast.expr] = []
    left: ast.expr = tree
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult):
        factors.append(left.right)
        left = left.left
    is_power = len(factors) > 1 and len({ast.unparse(each) for each in (*factors, left)}) == 1
    return (left, len(factors) + 1) if is_power else None


class NoFormError(RuntimeError):
    """A graph of the core that torch.fx cannot express."""


class CoreGraphReader:
    """One conversion: `add_input` for each placeholder, then `read`."""

    def __init__(self, core: CoreGraph, root: nn.Module, keeps_grad_mode: bool = False) -> None:
        self.core = core
        self.root = root
        self.keeps_grad_mode = keeps_grad_mode
        self.graph = Graph()
        self._nodes: dict[Any, Node] = {}  # by node of the core, or by its value
        self._results: dict[tuple[CoreNode, int], Node] = {}
        self._expressions: dict[str, Any] = {}  # by text
        self._sizes: dict[str, tuple[Node, int]] = {}  # where a symbol can be read

    # ---- Inputs ----

    def add_input(self, name: str, node: CoreNode | None, value: Any = None) -> Node:
        """Add a placeholder for an input of the core, or for a constant argument."""
        made = self.graph.placeholder(name)
        if node is None:
            made.meta["val"] = value
            return made
        self._nodes[node] = made
        self._describe(made, node)
        value = node.meta["val"]
        if isinstance(value, ow.SymInt):
            self._expressions.setdefault(str(value), made)
        self._note_sizes(made, value)
        return made

    def _add_attribute(self, node: CoreNode) -> Node:
        """Add a read of a tensor that the function closed over."""
        tensor = node.bound
        kind = "_param_constant" if isinstance(tensor, nn.Parameter) else "_tensor_constant"
        number = 0
        while hasattr(self.root, f"{kind}{number}"):
            number += 1
        setattr(self.root, f"{kind}{number}", tensor)
        made = self.graph.get_attr(f"{kind}{number}")
        made.meta["val"] = node.meta["val"]
        self._note_sizes(made, node.meta["val"])
        return made

    def _note_sizes(self, made: Node, value: Any) -> None:
        if isinstance(value, ow.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, ow.SymInt):
                    self._sizes.setdefault(str(size), (made, dim))

    # ---- Calls ----

    def read(self) -> list[Any]:
        """Add the calls; return the outputs of the core's graph as arguments."""
        records = True
        for node in self.core.nodes:
            if node.op != "call_function":
                continue
            if self.keeps_grad_mode and node.grad_mode != records:
                records = node.grad_mode
                self.graph.call_function(ow.set_grad_enabled, (records,))
            self._add_call(node)
        if not records:
            self.graph.call_function(ow.set_grad_enabled, (True,))
        return [self._argument(output) for output in self.core.outputs]

    def _add_call(self, node: CoreNode) -> None:
        name = node.target.base
        if node.target in _CONTROL_FLOW:
            made = self._add_control_flow(node)
        else:
            args = tuple(self._argument(each) for each in node.args)
            kwargs = {key: self._argument(value) for key, value in node.kwargs.items()}
            kwargs.update(factory_options(node))
            target, args, kwargs = torch_call(node.target, args, kwargs)
            made = self.graph.create_node("call_function", target, args, kwargs, name)
        self._nodes[node] = made
        self._describe(made, node)
        value = node.meta.get("val")
        results = node.results
        if len(results) == 1 and not isinstance(results[0], list):
            self._note_sizes(made, value)
            if isinstance(value, ow.SymInt):
                self._expressions.setdefault(str(value), made)
            return
        if len(results) == 1:
            self._add_items(made, results[0])
        elif results:
            for index, result in enumerate(results):
                if isinstance(result, list):
                    inner = self.graph.call_function(operator.getitem, (made, index))
                    self._add_items(inner, result)
                elif result is not None:
                    self._add_item(made, index, result)

    def _add_control_flow(self, node: CoreNode) -> Node:
        """Add a cond or while_loop: its graphs are modules, sizes are operands."""
        target, names = _CONTROL_FLOW[node.target]
        given = [each for each in node.args if not isinstance(each, CoreGraph)]
        graphs = [each for each in node.args if isinstance(each, CoreGraph)]
        modules = [self._add_branch(each, name) for each, name in zip(graphs, names, strict=True)]
        values = [self._argument(each) for each in (*given, *node.kwargs.values())]
        first = [each for each in values if not isinstance(each, (list, tuple))]
        lists = [tuple(each) for each in values if isinstance(each, (list, tuple))]
        *tensors, sizes = lists
        operands = [*tensors[:-1], (*tensors[-1], *sizes)]
        args = (*first, *modules, *operands)
        return self.graph.create_node("call_function", target, args, {}, node.target.base)

    def _add_items(self, owner: Node, values: Sequence[NodeValue]) -> None:
        for index, value in enumerate(values):
            self._add_item(owner, index, value)

    def _add_item(self, owner: Node, index: int, value: NodeValue) -> None:
        made = self.graph.call_function(operator.getitem, (owner, index))
        self._results[value.node, value.index] = made
        made.meta = {key: each for key, each in owner.meta.items() if key != "tensor_meta"}
        self._set_value(made, value.val)
        self._note_sizes(made, value.val)
        if isinstance(value.val, ow.SymInt):
            self._expressions.setdefault(str(value.val), made)

    def _describe(self, made: Node, node: CoreNode) -> None:
        meta = node.meta
        if "val" in meta:
            self._set_value(made, meta["val"])
        if made.op == "placeholder":
            return
        if node.location:
            file, _, line = node.location.rpartition(":")
            made.meta["stack_trace"] = stack_trace_of_line(file, int(line)) or _show(file, line)
        if node.module_path:
            parts = node.module_path.split(".")
            paths = [".".join(parts[: index + 1]) for index in range(len(parts))]
            made.meta["nn_module_stack"] = {path: (path, None) for path in paths}

    def _set_value(self, made: Node, value: Any) -> None:
        made.meta["val"] = value
        if isinstance(value, ow.Tensor):
            made.meta["tensor_meta"] = _extract_tensor_metadata(value)

    # ---- Arguments ----

    def _argument(self, given: Any) -> Any:
        if isinstance(given, CoreNode):
            if given not in self._nodes:
                self._nodes[given] = self._add_attribute(given)
            return self._nodes[given]
        if isinstance(given, NodeValue):
            return self._results[given.node, given.index]
        if isinstance(given, (list, tuple)):
            return type(given)(self._argument(each) for each in given)
        if isinstance(given, (ow.SymInt, ow.SymBool)):
            return self._compute(ast.parse(str(given), mode="eval").body)
        return given

    def _add_branch(self, core: CoreGraph, kind: str) -> Node:
        """Add a branch of cond, or the condition or body of while_loop, as a module."""
        root = nn.Module()
        reader = CoreGraphReader(core, root)
        for node in core.inputs:
            reader.add_input(node.name, node)
        outputs = reader.read()
        reader.graph.output(tuple(outputs))
        number = 0
        while hasattr(self.root, f"{kind}_{number}"):
            number += 1
        setattr(self.root, f"{kind}_{number}", GraphModule(root, reader.graph))
        return self.graph.get_attr(f"{kind}_{number}")

    def _compute(self, tree: ast.expr) -> Any:
        """Return the node that computes an expression of sizes."""
        if isinstance(tree, ast.Constant):
            return tree.value
        text = ast.unparse(tree)
        if text not in self._expressions:
            made = self._compute_new(tree, text)
            self._expressions[text] = made
            values = [each.meta["val"] if isinstance(each, Node) else each for each in made.args]
            made.meta["val"] = (
                values[0].shape[values[1]] if made.target is _SYM_SIZE else made.target(*values)
            )
        return self._expressions[text]

    def _compute_new(self, tree: ast.expr, text: str) -> Node:
        if isinstance(tree, ast.Name):
            if text not in self._sizes:
                raise NoFormError(f"make_fx: the symbol {text} is not a size of an input")
            owner, dim = self._sizes[text]
            return self.graph.call_function(_SYM_SIZE, (owner, dim), name="sym_size_int")
        if isinstance(tree, ast.BinOp):
            if (power := _as_power(tree)) is not None:
                return self.graph.call_function(operator.pow, (self._compute(power[0]), power[1]))
            operands = (self._compute(tree.left), self._compute(tree.right))
            if isinstance(tree.op, ast.Mult) and not isinstance(operands[0], Node):
                operands = (operands[1], operands[0])  # n * 2, as it is usually written
            return self.graph.call_function(_OPERATORS[type(tree.op)], operands)
        if isinstance(tree, ast.BoolOp):
            *first, last = tree.values
            left = first[0] if len(first) == 1 else ast.BoolOp(tree.op, first)
            operands = (self._compute(left), self._compute(last))
            return self.graph.call_function(_OPERATORS[type(tree.op)], operands)
        if isinstance(tree, ast.UnaryOp):
            operand = self._compute(tree.operand)
            return self.graph.call_function(_OPERATORS[type(tree.op)], (operand,))
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
            operands = (self._compute(tree.left), self._compute(tree.comparators[0]))
            return self.graph.call_function(_OPERATORS[type(tree.ops[0])], operands)
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            operands = tuple(self._compute(each) for each in tree.args)
            return self.graph.call_function(_FUNCTIONS[tree.func.id], operands)
        raise NoFormError(f"make_fx: the expression {text} of sizes has no form as nodes")
