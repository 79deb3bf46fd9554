"""torch.fx.passes.dialect.common.cse_pass: merges calls that compute the same."""

from typing import Any

import opwright as ow
from opwright import _C
from opwright.compat._absent import absent

from ....graph import Graph
from ....graph_module import GraphModule
from ....node import Node, map_arg
from ...infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]


def get_CSE_banned_ops() -> set[Any]:  # noqa: N802 (torch's name)
    """Return operators that are never merged; those that write or draw numbers never are anyway."""
    return set()


class CSEPass(PassBase):
    """Merges calls of the same function on the same arguments.

    Calls that write, draw random numbers or create uninitialized memory stay, and those of
    `banned_ops`.
    """

    def __init__(self, banned_ops: Any = None) -> None:
        super().__init__()
        self.banned_ops = set(banned_ops or ())

    def call(self, graph_module: GraphModule) -> PassResult:
        """Return a module with a new graph, and whether nodes were merged."""
        new = Graph()
        values: dict[Node, Any] = {}
        seen: dict[Any, Node] = {}
        changed = False
        for node in graph_module.graph.nodes:
            key = self._key(node, values)
            if key is not None and key in seen:
                values[node] = seen[key]
                changed = True
                continue
            made = new.node_copy(node, lambda each: values[each])
            values[node] = made
            if key is not None:
                seen[key] = made
        return PassResult(GraphModule(graph_module, new), changed)

    def _key(self, node: Node, values: dict[Node, Any]) -> Any:
        """Return what equal calls have in common; None for a node that stays."""
        if node.op not in ("call_function", "get_attr") or node.is_impure():
            return None
        if self._is_banned(node.target) or _is_unrepeatable(node.target):
            return None
        args = map_arg((node.args, node.kwargs), lambda each: ("node", id(values[each])))
        key = (node.op, node.target, _frozen(args))
        try:
            hash(key)
        except TypeError:
            return None
        return key

    def _is_banned(self, target: Any) -> bool:
        """Return whether `banned_ops` has the function, or the operator with all its overloads."""
        if target in self.banned_ops:
            return True
        if not isinstance(target, _C.Operator):
            return False
        return getattr(getattr(ow.ops, target.namespace), target.base) in self.banned_ops


def _is_unrepeatable(target: Any) -> bool:
    """Return whether two calls on equal arguments may differ: no tensor goes in."""
    if isinstance(target, _C.Operator):
        return "empty" in target.base
    return False


def _frozen(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(_frozen(each) for each in value))
    if isinstance(value, dict):
        return ("dict", tuple((key, _frozen(each)) for key, each in value.items()))
    if isinstance(value, slice):
        return ("slice", _frozen((value.start, value.stop, value.step)))
    return (type(value).__name__, value)


__getattr__ = absent(__name__)
