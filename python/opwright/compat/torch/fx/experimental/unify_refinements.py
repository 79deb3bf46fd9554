"""torch.fx.experimental.unify_refinements: gives the unknown sizes of a graph symbols."""

from typing import Any

from opwright.compat._absent import absent

from ..graph import Graph
from ..graph_module import GraphModule
from ..tensor_type import TensorType
from .graph_gradual_typechecker import Refine
from .refinement_types import Equality
from .unification import Var, unify

__all__ = [
    "infer_symbolic_types",
    "infer_symbolic_types_single_pass",
    "substitute_all_types",
    "unify_eq",
]


def infer_symbolic_types_single_pass(traced: GraphModule) -> None:
    """Give each unknown size a variable; unite those that the operations make equal."""
    _solve(traced)


def infer_symbolic_types(traced: GraphModule) -> None:
    """Give each unknown size a symbol of sympy, and sizes of convolutions their expressions.

    The types must have been checked by a `GraphTypeChecker`. Two passes are needed: the sizes of a
    sum follow from those of its operands once these are known to be equal.
    """
    _solve(traced)
    _solve(traced).symbolic_relations()


def _solve(traced: GraphModule) -> Refine:
    refine = Refine(traced)
    refine.refine()
    substitute_all_types(traced.graph, unify_eq(refine.constraints))
    return refine


def unify_eq(list_of_eq: list[Equality]) -> dict[Var, Any]:
    """Return the values of the variables with which all equalities hold.

    >>> unify_eq([Equality(Var(0), 2)])
    {~0: 2}
    """
    values: dict[Var, Any] = {}
    for each in list_of_eq:
        solved = unify(each.lhs, each.rhs, values)
        if solved is False:
            raise TypeError(f"unify_eq: the sizes {each.lhs} and {each.rhs} must be equal")
        values = solved
    return values


def substitute_all_types(graph: Graph, mapping: dict[Var, Any]) -> None:
    """Replace the variables in the types of all nodes by their values."""
    for node in graph.nodes:
        node.type = _substituted(node.type, mapping)


def _substituted(given: Any, mapping: dict[Var, Any]) -> Any:
    while isinstance(given, Var) and given in mapping:
        given = mapping[given]
    if isinstance(given, TensorType):
        return TensorType(tuple(_substituted(each, mapping) for each in given.dims))
    if isinstance(given, (list, tuple)):
        return type(given)(_substituted(each, mapping) for each in given)
    return given


__getattr__ = absent(__name__)
