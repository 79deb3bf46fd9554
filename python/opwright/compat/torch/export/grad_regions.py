"""Parts of a graph that run with another grad mode than the rest, as modules of their own.

PyTorch's graphs call `wrap_with_set_grad_enabled` on them; a node of the core knows its grad mode.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

from opwright import nn
from opwright.compat._python_operators import find_operator

from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node

__all__ = ["wrap_grad_regions"]

_WRAP = find_operator("higher_order.wrap_with_set_grad_enabled")


def wrap_grad_regions(
    graph: Graph, root: nn.Module, modes: dict[Node, bool], outside: bool, needed: Iterable[Node]
) -> dict[Node, Node]:
    """Move the nodes whose mode is not `outside` into modules; return what replaces each of them.

    `needed` are the nodes that the graph will return.
    """
    replaced: dict[Node, Node] = {}
    kept = set(needed)
    for number, (mode, region) in enumerate(_regions(graph, modes, outside)):
        if mode != outside:
            replaced.update(_wrap(graph, root, region, mode, f"submod_{number}", kept))
    return replaced


def _regions(graph: Graph, modes: dict[Node, bool], outside: bool) -> list[tuple[bool, list[Node]]]:
    """Return the calls in order, in runs of one mode, the first that of the rest."""
    regions: list[tuple[bool, list[Node]]] = [(outside, [])]
    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        mode = modes.get(node, regions[-1][0])
        if mode != regions[-1][0]:
            regions.append((mode, []))
        regions[-1][1].append(node)
    return regions


def _wrap(
    graph: Graph, root: nn.Module, region: list[Node], mode: bool, name: str, kept: set[Node]
) -> dict[Node, Node]:
    own = set(region)
    inputs: dict[Node, None] = {}
    for node in region:
        inputs.update((each, None) for each in node.all_input_nodes if each not in own)
    results = [node for node in region if node in kept or any(u not in own for u in node.users)]
    inner = Graph()
    made: dict[Node, Node] = {}
    for each in inputs:
        made[each] = inner.placeholder(each.name)
        made[each].meta = dict(each.meta)
    for node in region:
        made[node] = inner.node_copy(node, lambda used: made[used])
    inner.output(tuple(made[node] for node in results))
    setattr(root, name, GraphModule(root, inner))
    with graph.inserting_after(region[-1]):
        module = graph.get_attr(name)
    with graph.inserting_after(module):
        call = graph.call_function(_WRAP, (mode, module, *inputs), name=_WRAP.__name__)
    call.meta = {key: region[0].meta[key] for key in ("nn_module_stack",) if key in region[0].meta}
    replaced = {}
    last = call
    for index, node in enumerate(results):
        with graph.inserting_after(last):
            last = graph.call_function(operator.getitem, (call, index))
        last.meta = dict(node.meta)
        node.replace_all_uses_with(last, delete_user_cb=lambda user: user not in own)
        replaced[node] = last
    for node in reversed(region):
        graph.erase_node(node)
    return replaced
