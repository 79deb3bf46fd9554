"""Reads the graph of a program: conditions on numbers from data become nodes, draws plain calls.

The core keeps the conditions as assertions of the graph, and passes the state of the random number
generator from one draw to the next; graphs of PyTorch call `aten._assert_scalar` and the operators
that draw.
"""

from __future__ import annotations

import ast
import itertools
import re
from typing import Any

import opwright as ow
from opwright import _C, nn
from opwright.compat._python_operators import find_operator
from opwright.graph import Node as CoreNode
from opwright.graph import NodeValue

from ..fx.core_graph import CoreGraphReader
from ..fx.node import Node

__all__ = ["ProgramReader"]

_ASSERT = find_operator("aten._assert_scalar.default")
# A second read of the same value gives the same number: the graph has no writes.
_READS = {ow.ops.aten.item.default, ow.ops.aten._local_scalar_dense.default}
_BOUND = re.compile(r"(\w+) (>=|<=) (-?\d+)")
_SYMBOL = re.compile(r"[A-Za-z_]\w*")
_WORDS = {"max", "min", "and", "or", "not"}
_FUNCTIONAL = "_functional_"


class ProgramReader(CoreGraphReader):
    """A reader of the graph of an exported program."""

    def __init__(self, core: _C.Graph, root: nn.Module, keeps_grad_mode: bool = False) -> None:
        super().__init__(core, root, keeps_grad_mode)
        self._numbers: dict[tuple[Any, ...], Node] = {}  # reads of data, by operator and tensor
        self._same: dict[str, str] = {}  # symbols of numbers that were read before
        self._states = {node for node in core.inputs if node.role == "random_state"}
        self.draws_plainly = all(
            _drawing_operator(node) is not None for node in core.nodes if self._takes_state(node)
        )
        if not self.draws_plainly:
            self._states = set()
        self._waiting = self._read_conditions()
        self.grad_modes: dict[Node, bool] = {}

    # ---- Calls ----

    def _add_call(self, node: CoreNode) -> None:
        before = len(self.graph.nodes)
        self._add_one(node)
        new = len(self.graph.nodes) - before
        last = itertools.islice(reversed(self.graph.nodes), new)
        self.grad_modes.update((made, node.grad_mode) for made in last)

    def _add_one(self, node: CoreNode) -> None:
        if node.args and self._is_state(node.args[0]):
            self._add_draw(node)
        elif not self._read_again(node):
            super()._add_call(node)
        self._add_conditions()

    def _read_again(self, node: CoreNode) -> bool:
        """Use the number that an earlier call read from the same tensor."""
        value = node.meta.get("val")
        if node.target not in _READS or not isinstance(value, ow.SymInt):
            return False
        key = (node.target, *map(self._argument, node.args))
        known = self._numbers.get(key)
        if known is None:
            super()._add_call(node)
            self._numbers[key] = self._nodes[node]
        else:
            self._nodes[node] = known
            self._expressions.setdefault(str(value), known)
        return True

    def replace_values(self, replaced: dict[Node, Node]) -> None:
        """Let later reads of values give other nodes."""
        for known in (self._nodes, self._results, self._expressions):
            for key, value in known.items():
                if isinstance(value, Node) and value in replaced:
                    known[key] = replaced[value]

    def _argument(self, given: Any) -> Any:
        return None if self._is_state(given) else super()._argument(given)

    # ---- Draws ----

    def _takes_state(self, node: CoreNode) -> bool:
        if node.op != "call_function" or not node.args or not self._is_state(node.args[0]):
            return False
        self._states.add(_key(node.results[-1]))
        return True

    def _is_state(self, argument: Any) -> bool:
        return isinstance(argument, (CoreNode, NodeValue)) and _key(argument) in self._states

    def _add_draw(self, node: CoreNode) -> None:
        target = _drawing_operator(node)
        assert target is not None
        args = tuple(self._argument(each) for each in node.args[1:])
        kwargs = {key: self._argument(value) for key, value in node.kwargs.items()}
        made = self.graph.create_node("call_function", target, args, kwargs, target.base)
        self._nodes[node] = made
        self._describe(made, node)
        results = node.results[:-1]
        if len(results) == 1:
            self._results[node, 0] = made
            self._set_value(made, results[0].val)
            self._note_sizes(made, results[0].val)
        else:
            self._add_items(made, results)

    # ---- Conditions ----

    def _read_conditions(self) -> list[str]:
        """Return the conditions on numbers from data, without those that others imply."""
        env = self.core.shape_env
        if env is None:
            return []
        self._same = self._find_same_numbers()
        bounds: dict[tuple[str, str], int] = {}
        others: dict[str, None] = {}
        for each in env.runtime_asserts:
            text = _SYMBOL.sub(lambda found: self._same.get(found[0], found[0]), each.text)
            match = _BOUND.fullmatch(text)
            if match is None:
                others[text] = None
                continue
            key, bound = (match[1], match[2]), int(match[3])
            known = bounds.get(key, bound)
            bounds[key] = max(known, bound) if match[2] == ">=" else min(known, bound)
        return [*(f"{name} {sign} {bound}" for (name, sign), bound in bounds.items()), *others]

    def _find_same_numbers(self) -> dict[str, str]:
        """Return for each symbol of a number that was read before the symbol of that read."""
        first: dict[tuple[Any, ...], str] = {}
        same = {}
        for node in self.core.nodes:
            value = node.meta.get("val") if node.op == "call_function" else None
            if isinstance(value, ow.SymInt) and node.target in _READS:
                key = (node.target, *map(_hashable, node.args))
                same[str(value)] = first.setdefault(key, str(value))
        return {name: before for name, before in same.items() if name != before}

    def _add_conditions(self) -> None:
        """Add the conditions whose symbols are known by now.

        One on a symbol that no size of the graph is stays with the program, which checks them all.
        """
        for text in list(self._waiting):
            names = set(_SYMBOL.findall(text)) - _WORDS
            if any(name not in self._sizes and name not in self._expressions for name in names):
                continue
            self._waiting.remove(text)
            condition = self._compute(ast.parse(text, mode="eval").body)
            message = f"Runtime assertion failed for expression {text} on node '{condition}'"
            made = self.graph.call_function(
                _ASSERT, (condition, message), name="_assert_scalar_default"
            )
            made.meta["val"] = None


def _key(argument: CoreNode | NodeValue) -> Any:
    if isinstance(argument, NodeValue):
        return argument.node, argument.index
    return argument


def _hashable(argument: Any) -> Any:
    return _key(argument) if isinstance(argument, (CoreNode, NodeValue)) else repr(argument)


def _drawing_operator(node: CoreNode) -> Any:
    """Return the operator that draws, if a call of it says the same; it may write nothing."""
    space, _, rest = node.target.name.partition("::")
    if not rest.startswith(_FUNCTIONAL):
        return None
    operator = _C.require_operator(f"{space}::{rest.removeprefix(_FUNCTIONAL)}")
    arguments = operator.schema.arguments
    is_plain = not any(each.is_write for each in arguments)
    generators = [index for index, each in enumerate(arguments) if str(each.type) == "Generator?"]
    is_last = all(arguments[index].kwarg_only for index in generators)
    return operator if is_plain and is_last else None
