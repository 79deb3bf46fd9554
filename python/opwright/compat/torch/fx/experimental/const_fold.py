"""torch.fx.experimental.const_fold: computes once what depends on no argument."""

from collections.abc import Callable
from typing import Any

import opwright as ow
from opwright import nn
from opwright.compat._absent import absent

from .._symbolic_trace import symbolic_trace
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg

__all__ = ["FoldedGraphModule", "split_const_subgraphs"]

_ATTRIBUTES = "_FX_CONST_FOLDED_ATTRS"


class FoldedGraphModule(GraphModule):
    """A module whose constant part runs before the first call; its results are attributes.

    `const_subgraph_module` is the constant part; None if there is none.
    """

    def __init__(
        self,
        root: nn.Module | dict[str, Any],
        graph: Graph,
        const_subgraph: Graph | None = None,
        fx_const_folded_attrs_name: str | None = None,
        device_for_folded_attrs: str = "cuda",
    ) -> None:
        super().__init__(root, graph)
        self.__dict__["const_subgraph_module"] = (
            None if const_subgraph is None else GraphModule(root, const_subgraph)
        )
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args, **kwargs)

    def run_folding(self) -> None:
        """Compute the constant part and set the attributes."""
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("run_folding: the constants have been folded already")
        self.has_folding_been_run = True
        folded = self.const_subgraph_module()
        if isinstance(folded, ow.Tensor):
            made: Any = _parameter(folded)
        else:
            made = nn.ParameterList([_parameter(each) for each in folded])
        delattr(self, self.fx_const_folded_attrs_name)
        setattr(self, self.fx_const_folded_attrs_name, made)


def _parameter(tensor: ow.Tensor) -> nn.Parameter:
    return nn.Parameter(tensor.detach(), requires_grad=tensor.requires_grad)


def split_const_subgraphs(
    module: nn.Module | GraphModule,
    skip_folding_node_fn: Callable[[Node], bool] | None = None,
    device_for_folded_attrs: str = "cpu",
) -> FoldedGraphModule:
    """Split what depends on parameters and buffers only from the rest.

    `skip_folding_node_fn` says which nodes stay in the rest.

    >>> from opwright import nn
    >>> import opwright as ow
    >>> class Scaled(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = nn.Parameter(ow.ones(2))
    ...     def forward(self, x):
    ...         return x * (self.scale + 1)
    >>> folded = split_const_subgraphs(Scaled())
    >>> [node.op for node in folded.graph.nodes]
    ['placeholder', 'get_attr', 'call_function', 'output']
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant = _constant_nodes(traced, skip_folding_node_fn)
    outputs = [
        node
        for node in constant
        if node.op != "get_attr" and any(user not in constant for user in node.users)
    ]
    if not outputs:
        return FoldedGraphModule(traced, _copied(traced.graph))
    inner = Graph()
    values: dict[Node, Node] = {}
    for node in constant:
        values[node] = inner.node_copy(node, lambda each: values[each])
    inner.output(values[outputs[0]] if len(outputs) == 1 else tuple(values[n] for n in outputs))
    name = _ATTRIBUTES
    while hasattr(traced, name):
        name += "_"
    root = _with_attributes(traced, name, len(outputs))
    names = [name] if len(outputs) == 1 else [f"{name}.{index}" for index in range(len(outputs))]
    graph = _without(traced.graph, constant, dict(zip(outputs, names, strict=True)))
    return FoldedGraphModule(root, graph, inner, name, device_for_folded_attrs)


def _constant_nodes(traced: GraphModule, skip: Callable[[Node], bool] | None) -> dict[Node, None]:
    """Return the nodes that depend on attributes only, in order."""
    constant: dict[Node, None] = {}
    for node in traced.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if _has_effect(traced, node) or (skip is not None and skip(node)):
            continue
        if all(used in constant for used in node.all_input_nodes):
            constant[node] = None
    return constant


def _has_effect(traced: GraphModule, node: Node) -> bool:
    if node.is_impure():
        return True
    if node.op != "call_module":
        return False
    inner = traced.get_submodule(node.target)
    if not isinstance(inner, GraphModule):
        return False
    return any(
        _has_effect(inner, each)
        for each in inner.graph.nodes
        if each.op not in ("placeholder", "output")
    )


def _copied(graph: Graph) -> Graph:
    made = Graph()
    made._codegen = graph._codegen
    result = made.graph_copy(graph, {})
    made.output(result)
    return made


def _with_attributes(traced: GraphModule, name: str, count: int) -> GraphModule:
    """Give the module empty attributes for the results of the constant part."""
    made = GraphModule(traced, _copied(traced.graph))
    empty = [nn.Parameter(ow.zeros(0)) for _ in range(count)]
    setattr(made, name, empty[0] if count == 1 else nn.ParameterList(empty))
    return made


def _without(graph: Graph, constant: dict[Node, None], names: dict[Node, str]) -> Graph:
    """Return the graph with reads of attributes in place of the constant part."""
    made = Graph()
    made._codegen = graph._codegen
    values: dict[Node, Any] = {}
    for node in graph.nodes:
        if node in names:
            values[node] = made.get_attr(names[node])
            values[node].meta = dict(node.meta)
        elif node in constant:
            if any(user not in constant for user in node.users):
                values[node] = made.node_copy(node, lambda each: values[each])
        elif node.op == "output":
            output = made.output(map_arg(node.args[0], lambda each: values[each]), node.type)
            output.meta = dict(node.meta)
        else:
            values[node] = made.node_copy(node, lambda each: values[each])
    return made


__getattr__ = absent(__name__)
