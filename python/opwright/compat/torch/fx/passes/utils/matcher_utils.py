"""torch.fx.passes.utils.matcher_utils: finds a pattern in a graph."""

import dataclasses
from typing import Any

import opwright as ow
from opwright import _C
from opwright.compat._absent import absent

from ...graph import Graph
from ...node import Node

__all__ = ["InternalMatch", "SubgraphMatcher"]

Mapping = dict[Node, Any]


@dataclasses.dataclass
class InternalMatch:
    """A place where the pattern is: the graph's nodes for those of the pattern."""

    anchors: list[Node]
    nodes_map: dict[Node, Any] = dataclasses.field(default_factory=dict)
    placeholder_nodes: list[Any] = dataclasses.field(default_factory=list)
    returning_nodes: list[Node] = dataclasses.field(default_factory=list)
    name_node_map: dict[str, Node] = dataclasses.field(default_factory=dict)


class SubgraphMatcher:
    """Finds the places where a graph computes what a pattern computes.

    `match_output` and `match_placeholder` make these nodes part of the pattern; otherwise
    placeholders match any value. `ignore_literals` lets any constant match any other.

    >>> from opwright.compat.torch import fx
    >>> from opwright.compat.torch.fx.passes.utils.matcher_utils import SubgraphMatcher
    >>> pattern = fx.symbolic_trace(lambda x: x.sin().cos()).graph
    >>> graph = fx.symbolic_trace(lambda a, b: (a + b).sin().cos()).graph
    >>> [match.placeholder_nodes for match in SubgraphMatcher(pattern).match(graph)]
    [[add]]
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        self.pattern = pattern
        self.match_output = match_output
        self.match_placeholder = match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise AssertionError(
                    "SubgraphMatcher cannot be initialized with an pattern with dead code"
                )
        self.pattern_placeholder_nodes = pattern.find_nodes(op="placeholder")
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_returning_nodes = output.all_input_nodes
        self.pattern_anchors = (
            [output]
            if match_output
            else [node for node in output.all_input_nodes if len(node.users) == 1]
        )

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """Return the matches, in the order of the graph.

        No node of a match is used outside of it, except those that the pattern returns. With
        `node_name_match`, a node whose name contains it matches an anchor.
        """
        found: list[Mapping] = [{}] if self.pattern_anchors else []
        for anchor in self.pattern_anchors:
            found = [
                longer
                for mapping in found
                for node in graph.nodes
                if (longer := self._match_node(anchor, node, mapping, node_name_match)) is not None
            ]
        found = [each for each in found if self._is_contained(each) and _has_no_cycle(each)]
        if self.remove_overlapping_matches:
            found = _without_overlaps(found)
        return [self._describe(each) for each in found]

    def _describe(self, mapping: Mapping) -> InternalMatch:
        return InternalMatch(
            anchors=self.pattern_anchors,
            nodes_map=mapping,
            placeholder_nodes=[
                mapping[node] for node in self.pattern_placeholder_nodes if node in mapping
            ],
            returning_nodes=[mapping[node] for node in self.pattern_returning_nodes],
        )

    # ---- One node ----

    def _match_node(
        self, wanted: Node, node: Node, mapping: Mapping, name: str = ""
    ) -> Mapping | None:
        """Return the mapping with this pair and all that it uses; None if they differ."""
        if wanted in mapping:
            return mapping if mapping[wanted] is node else None
        if any(node is each for each in mapping.values()):
            return None
        if not self._is_same_kind(wanted, node, name):
            return None
        mapping = {**mapping, wanted: node}
        if wanted.op == "placeholder":
            return mapping
        pairs = _paired_arguments(wanted, node)
        if pairs is None:
            return None
        return self._match_arguments(*pairs, mapping)

    def _is_same_kind(self, wanted: Node, node: Node, name: str) -> bool:
        if not self.match_placeholder and wanted.op == "placeholder":
            return True
        if name and name in node.name:
            return True
        if wanted.op != node.op:
            return False
        if wanted.op in ("placeholder", "output"):
            return True
        if wanted.op == "get_attr":
            return _are_both_tensors(wanted, node)
        return wanted.target == node.target

    def _match_arguments(self, wanted: Any, given: Any, mapping: Mapping) -> Mapping | None:
        if len(wanted) != len(given):
            return None
        for one, other in zip(wanted, given, strict=True):
            if isinstance(one, Node) and isinstance(other, Node):
                longer = self._match_node(one, other, mapping)
            elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
                longer = self._match_arguments(one, other, mapping)
            else:
                longer = self._match_literal(one, other, mapping)
            if longer is None:
                return None
            mapping = longer
        return mapping

    def _match_literal(self, wanted: Any, given: Any, mapping: Mapping) -> Mapping | None:
        if isinstance(wanted, Node):
            if wanted.op == "placeholder":
                if wanted in mapping:
                    return mapping if mapping[wanted] == given else None
                return {**mapping, wanted: given}
        elif type(given) is type(wanted) and given == wanted:
            return mapping
        return mapping if self.ignore_literals else None

    # ---- The whole match ----

    def _is_contained(self, mapping: Mapping) -> bool:
        inner = {
            node: wanted
            for wanted, node in mapping.items()
            if wanted.op != "placeholder" and isinstance(node, Node)
        }
        return all(
            wanted in self.pattern_returning_nodes or all(user in inner for user in node.users)
            for node, wanted in inner.items()
        )


def _are_both_tensors(wanted: Node, node: Node) -> bool:
    values = []
    for each in (wanted, node):
        value: Any = each.graph.owning_module
        for part in str(each.target).split("."):
            value = getattr(value, part)
        values.append(value)
    if type(values[0]) is not type(values[1]):
        return False
    if not isinstance(values[0], ow.Tensor):
        raise RuntimeError(f"Unsupported type {values[0]} when matching attributes")
    return True


def _paired_arguments(wanted: Node, node: Node) -> tuple[list[Any], list[Any]] | None:
    """Return the arguments of both calls in the same order; None if they cannot correspond."""
    same = len(wanted.args) == len(node.args) and list(wanted.kwargs) == list(node.kwargs)
    if same:
        return (
            [*wanted.args, *wanted.kwargs.values()],
            [*node.args, *node.kwargs.values()],
        )
    if wanted.op == "call_function" and isinstance(wanted.target, _C.Operator):
        return _all_arguments(wanted), _all_arguments(node)
    return None


def _all_arguments(node: Node) -> list[Any]:
    arguments = []
    for index, declared in enumerate(node.target.schema.arguments):
        if declared.name in node.kwargs:
            arguments.append(node.kwargs[declared.name])
        elif index < len(node.args):
            arguments.append(node.args[index])
        else:
            arguments.append(declared.default)
    return arguments


def _compute_nodes(mapping: Mapping) -> list[Node]:
    return [node for wanted, node in mapping.items() if wanted.op not in ("placeholder", "output")]


def _has_no_cycle(mapping: Mapping) -> bool:
    """Return whether no value leaves the match and comes back through other nodes."""
    inner = set(_compute_nodes(mapping))
    outside = [user for node in inner for user in node.users if user not in inner]
    seen: set[Node] = set()
    while outside:
        node = outside.pop()
        if node in inner:
            return False
        if node not in seen:
            seen.add(node)
            outside.extend(node.users)
    return True


def _without_overlaps(found: list[Mapping]) -> list[Mapping]:
    kept, taken = [], set()
    for mapping in found:
        nodes = set(_compute_nodes(mapping))
        if not nodes & taken:
            kept.append(mapping)
            taken |= nodes
    return kept


__getattr__ = absent(__name__)
