"""torch.fx.experimental.graph_gradual_typechecker: checks the tensor types of a graph.

Types give some sizes of tensors (`TensorType`); what is not known is Dyn. The checker finds the
types of the results and refuses operations on sizes that do not fit.
"""

import itertools
import operator
from collections.abc import Callable
from typing import Any

import opwright as ow
from opwright import nn
from opwright.compat._absent import absent

from ..graph_module import GraphModule
from ..node import Node, map_arg
from ..tensor_type import Dyn, TensorType, is_consistent, is_more_precise
from .refinement_types import Equality
from .type_rules import (
    broadcast_types,
    calculate_out_dimension,
    conv2d_type,
    expand_to_tensor_dim,
    flatten_range,
    flatten_type,
    get_greatest_upper_bound,
    linear_type,
    pool2d_type,
    reshape_type,
    transpose_type,
)
from .unification import Var

__all__ = [
    "GraphTypeChecker",
    "Refine",
    "broadcast_types",
    "calculate_out_dimension",
    "expand_to_tensor_dim",
    "get_greatest_upper_bound",
    "register_algebraic_expressions_inference_rule",
    "register_inference_rule",
    "register_refinement_rule",
]

_INFERENCE_RULES: dict[Any, Callable[..., Any]] = {}
_REFINEMENT_RULES: dict[Any, Callable[..., list[Equality]]] = {}
_RULES: dict[Any, Callable[..., Any]] = {}


def _registering(rules: dict[Any, Callable], kind: str) -> Callable[[Any], Callable]:
    def register_for(call_target: Any) -> Callable[[Callable], Callable]:
        def register(fn: Callable) -> Callable:
            if call_target in rules:
                raise RuntimeError(f"{call_target} has a rule for {kind} already")
            rules[call_target] = fn
            return fn

        return register

    return register_for


# Decorators with a function or a class of modules; the rule of a module also gets the module.
register_inference_rule = _registering(_INFERENCE_RULES, "its type")
register_refinement_rule = _registering(_REFINEMENT_RULES, "equal sizes")
register_algebraic_expressions_inference_rule = _registering(_RULES, "expressions")


# ---- Types of results ----


@register_inference_rule(ow.add)
@register_inference_rule(operator.add)
def _check_add(node: Node) -> None:
    types = [_type_of(each) for each in node.args[:2]]
    numbers = [each in (int, float) for each in types]
    if any(numbers):
        node.type = types[0] if numbers[1] else types[1]
        return
    first, second = broadcast_types(*types)
    node.meta["broadcast"] = [first, second] != types
    if not is_consistent(first, second):
        raise TypeError(f"{node}: sizes of {types[0]} and {types[1]} do not match")
    # Where one operand's size is not known, neither is the result's: either may be broadcast.
    node.type = second if is_more_precise(first, second) else first


def _type_of(arg: Any) -> Any:
    if isinstance(arg, Node):
        return arg.type
    return type(arg) if isinstance(arg, (int, float)) else Dyn


@register_inference_rule(getattr)
def _check_getattr(node: Node) -> None:
    if node.args[1] != "shape":
        raise TypeError(f"{node}: attribute {node.args[1]!r} has no type; only shape has")
    node.type = Dyn


@register_inference_rule(ow.transpose)
def _check_transpose(node: Node) -> None:
    operand, dim1, dim2 = _arguments(node, ("input", "dim0", "dim1"), {})
    if operand.type != Dyn:
        made = transpose_type(_tensor_type(operand), dim1, dim2)
        node.type = get_greatest_upper_bound(node.type, made)


@register_inference_rule(ow.reshape)
def _check_reshape(node: Node) -> None:
    operand, shape = _arguments(node, ("input", "shape"), {})
    node.type = reshape_type(operand.type, list(shape))


@register_inference_rule(ow.flatten)
def _check_flatten(node: Node) -> None:
    operand, start, end = _flatten_arguments(node)
    if isinstance(operand.type, TensorType):
        node.type = get_greatest_upper_bound(flatten_type(operand.type, start, end), node.type)


def _flatten_arguments(node: Node) -> list[Any]:
    return _arguments(node, ("input", "start_dim", "end_dim"), {"start_dim": 0, "end_dim": -1})


def _arguments(node: Node, names: tuple[str, ...], defaults: dict[str, Any]) -> list[Any]:
    given = {**defaults, **dict(zip(names, node.args, strict=False)), **node.kwargs}
    missing = [name for name in names if name not in given]
    if missing:
        raise TypeError(f"{node}: argument {missing[0]!r} is missing")
    return [given[name] for name in names]


def _tensor_type(node: Node) -> TensorType:
    if not isinstance(node.type, TensorType):
        raise TypeError(f"{node} has type {node.type}, but a tensor is needed")
    return node.type


@register_inference_rule(nn.BatchNorm2d)
def _check_batch_norm(node: Node, module: nn.Module) -> None:
    operand = _expanded_operand(node, 4)
    node.type = expand_to_tensor_dim(node.type, 4)
    for each in (operand.type, node.type):
        if not is_consistent(each.dims[1], module.num_features):
            raise TypeError(f"{node}: {module} takes {module.num_features} channels, got {each}")
    node.type = get_greatest_upper_bound(operand.type, node.type)


@register_inference_rule(nn.Conv2d)
def _check_conv2d(node: Node, module: nn.Module) -> None:
    operand = _expanded_operand(node, 4)
    made = conv2d_type(operand.type, module)
    node.type = get_greatest_upper_bound(made, expand_to_tensor_dim(node.type, 4))


def _expanded_operand(node: Node, count: int) -> Node:
    """Return the first argument, which becomes a tensor of `count` dimensions."""
    operand = node.args[0]
    operand.type = expand_to_tensor_dim(operand.type, count)
    return operand


def _checked_by(result: Callable[[TensorType, nn.Module], TensorType]) -> Callable[..., None]:
    """Return the rule of a module that keeps the number of dimensions."""

    def check(node: Node, module: nn.Module) -> None:
        operand = node.args[0]
        if operand.type == Dyn and isinstance(node.type, TensorType):
            _expanded_operand(node, len(node.type.dims))
        if isinstance(operand.type, TensorType):
            node.type = get_greatest_upper_bound(result(operand.type, module), node.type)

    return check


def _pooled_type(given: TensorType, module: nn.Module) -> TensorType:
    sizes = [calculate_out_dimension(given.dims[index - 2], module, index) for index in (0, 1)]
    return pool2d_type(given, sizes, module)


def _adaptive_type(given: TensorType, module: nn.Module) -> TensorType:
    wanted = module.output_size
    pair = tuple(wanted) if isinstance(wanted, (tuple, list)) else (wanted, wanted)
    sizes = [given.dims[index - 2] if pair[index] is None else pair[index] for index in (0, 1)]
    return pool2d_type(given, sizes, module)


register_inference_rule(nn.ReLU)(_checked_by(lambda given, module: given))
register_inference_rule(nn.Linear)(_checked_by(linear_type))
register_inference_rule(nn.MaxPool2d)(_checked_by(_pooled_type))
register_inference_rule(nn.AdaptiveAvgPool2d)(_checked_by(_adaptive_type))


class GraphTypeChecker:
    """Finds the type of every node from the types of the placeholders.

    >>> from opwright.compat.torch import fx
    >>> from opwright.compat.torch.fx.tensor_type import Dyn, TensorType
    >>> import opwright as ow
    >>> def merge(x: TensorType((2, 3, Dyn))):
    ...     return ow.flatten(x, 0, 1)
    >>> traced = fx.symbolic_trace(merge)
    >>> GraphTypeChecker({}, traced).type_check()
    True
    >>> [node.type for node in traced.graph.nodes][-1]
    TensorType[(6, Dyn)]
    """

    def __init__(self, env: dict[str, Any], traced: GraphModule) -> None:
        self.env = env
        self.traced = traced

    def type_check(self) -> bool:
        """Set `node.type` of every node; raise TypeError where sizes do not fit."""
        for node in self.traced.graph.nodes:
            self.type_check_node(node)
        return True

    def type_check_node(self, n: Node) -> Any:
        """Set and return the type of one node; the types of its arguments are known."""
        if n.type is None:
            n.type = Dyn
        if n.op == "get_attr":
            value = operator.attrgetter(n.target)(self.traced)
            if isinstance(value, ow.Tensor):
                n.type = TensorType(tuple(value.shape))
        elif n.op == "output":
            n.type = map_arg(n.args[0], lambda each: each.type)
        elif n.op == "call_function":
            _rule(_INFERENCE_RULES, n.target)(n)
        elif n.op == "call_module":
            module = self.traced.get_submodule(n.target)
            _rule(_INFERENCE_RULES, type(module))(n, module)
        elif n.op == "call_method":
            raise NotImplementedError(
                f"{n}: methods have no types; call torch.{n.target} instead of the method"
            )
        return n.type


def _rule(rules: dict[Any, Callable], target: Any) -> Callable:
    if target not in rules:
        raise RuntimeError(
            f"no rule gives the type of {target}; register one with register_inference_rule"
        )
    return rules[target]


# ---- Sizes that are equal ----


def _first_sizes_equal(count: int | None) -> Callable[[Node], list[Equality]]:
    """Return the rule of a module that keeps the first `count` sizes; all without a count."""

    def find(node: Node) -> list[Equality]:
        operand = node.args[0].type
        if not isinstance(operand, TensorType) or not isinstance(node.type, TensorType):
            return []
        pairs = zip(operand.dims[:count], node.type.dims[:count], strict=False)
        return [Equality(x, y) for x, y in pairs]

    return find


for _kind, _count in (
    *((nn.Conv2d, 1), (nn.Linear, 1), (nn.BatchNorm2d, None), (nn.ReLU, None)),
    *((nn.AdaptiveAvgPool2d, 2), (nn.MaxPool2d, 2)),
):
    register_refinement_rule(_kind)(_first_sizes_equal(_count))


@register_refinement_rule(ow.add)
@register_refinement_rule(operator.add)
def _equal_sizes_of_add(node: Node) -> list[Equality]:
    """A size of the result is that of the operands where these are the same."""
    types = [*(_type_of(each) for each in node.args[:2]), node.type]
    if not all(isinstance(each, TensorType) for each in types):
        return []
    first, second = broadcast_types(types[0], types[1])
    sizes = zip(first.dims, second.dims, node.type.dims, strict=True)
    return [Equality(x, z) for x, y, z in sizes if x == y]


@register_refinement_rule(ow.flatten)
def _equal_sizes_of_flatten(node: Node) -> list[Equality]:
    operand, start_dim, end_dim = _flatten_arguments(node)
    if not isinstance(operand.type, TensorType) or not isinstance(node.type, TensorType):
        return []
    start, end = flatten_range(operand.type, start_dim, end_dim)
    kept = (*operand.type.dims[:start], *operand.type.dims[end:])
    made = (*node.type.dims[:start], *node.type.dims[start + 1 :])
    return [Equality(x, y) for x, y in zip(made, kept, strict=True)]


@register_algebraic_expressions_inference_rule(nn.Conv2d)
def _conv2d_expressions(node: Node, module: nn.Module) -> None:
    operand = node.args[0].type
    if isinstance(operand, TensorType) and isinstance(node.type, TensorType):
        sizes = [calculate_out_dimension(operand.dims[2 + at], module, at) for at in (0, 1)]
        node.type = TensorType((*node.type.dims[:2], *sizes))


class Refine:
    """Gives each unknown size a variable and collects which sizes are equal, as `constraints`."""

    def __init__(self, traced: GraphModule) -> None:
        self.constraints: list[Equality] = []
        self.traced = traced
        self.symbol_iter = itertools.count()

    def refine(self) -> bool:
        """Replace Dyn in the types of all nodes; collect the equalities of their operations."""
        for node in self.traced.graph.nodes:
            node.type = self.replace_dyn_with_fresh_var(Dyn if node.type is None else node.type)
            self._apply(node, lambda rule, node, *_: self.constraints.extend(rule(node)))
        return True

    def symbolic_relations(self) -> bool:
        """Turn variables into symbols of sympy; compute sizes from them where a rule can."""
        for node in self.traced.graph.nodes:
            node.type = self.convert_to_sympy_symbols(node.type)
            self._apply(node, lambda rule, *args: rule(*args), _RULES)
        return True

    def _apply(
        self, node: Node, use: Callable, rules: dict[Any, Callable] = _REFINEMENT_RULES
    ) -> None:
        if node.op == "call_function" and node.target in rules:
            use(rules[node.target], node)
        elif node.op == "call_module":
            module = self.traced.get_submodule(node.target)
            if type(module) in rules:
                use(rules[type(module)], node, module)
        elif node.op == "output":
            node.type = map_arg(node.args[0], lambda each: each.type)

    def replace_dyn_with_fresh_var(self, typ: Any) -> Any:
        """Return a type with a new variable for each Dyn."""
        return _mapped(typ, lambda each: Var(next(self.symbol_iter)) if each == Dyn else each)

    def convert_to_sympy_symbols(self, typ: Any) -> Any:
        """Return a type with a symbol of sympy, which must be installed, for each variable."""
        return _mapped(typ, lambda each: _symbol(each) if isinstance(each, Var) else each)


def _mapped(typ: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(typ, TensorType):
        return TensorType(tuple(_mapped(each, change) for each in typ.dims))
    if isinstance(typ, (list, tuple)):
        return type(typ)(_mapped(each, change) for each in typ)
    return change(typ)


def _symbol(variable: Var) -> Any:
    try:
        import sympy
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "symbolic types need the package sympy; install it with pip install sympy"
        ) from error
    return sympy.symbols(str(variable))


__getattr__ = absent(__name__)
