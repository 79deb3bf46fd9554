"""torch.fx.experimental.symbolic_shapes: ShapeEnv, symbols of sizes, checks that add no guards."""

import dataclasses
import enum
from typing import Any

import opwright as ow
from opwright.compat._absent import absent
from opwright.symbolic import ShapeEnv as _ShapeEnv
from opwright.symbolic import SymNode, guard_or_false, guard_or_true, sym_and, sym_or

from . import shape_env_names  # noqa: F401 (adds names to ShapeEnv)

# The error of a decision that needs the value of a number from data; it has no class of its own.
GuardOnDataDependentSymNode = RuntimeError
# The error of sizes that a function does not accept.
ConstraintViolationError = ValueError

__all__ = [
    "ConstraintViolationError",
    "DimDynamic",
    "GuardOnDataDependentSymNode",
    "ShapeEnv",
    "StatelessSymbolicContext",
    "SymNode",
    "bind_symbols",
    "eval_guards",
    "free_symbols",
    "free_unbacked_symbols",
    "fx_placeholder_targets",
    "fx_placeholder_vals",
    "guard_int",
    "guard_or_false",
    "guard_or_true",
    "statically_known_true",
    "sym_and",
    "sym_or",
]


class ShapeEnv(_ShapeEnv):
    """The owner of symbolic sizes, with PyTorch's names of the options.

    >>> ShapeEnv(duck_shape=False).make_size(4)
    s0

    `tracked_fakes` is accepted and not used: a trace knows its own inputs.
    """

    def __init__(
        self,
        *,
        duck_shape: bool | None = None,
        specialize_zero_one: bool | None = None,
        tracked_fakes: list[Any] | None = None,
        **names_of_the_core: bool,
    ) -> None:
        if duck_shape is not None:
            names_of_the_core["duck_shaping"] = duck_shape
        if specialize_zero_one is not None:
            names_of_the_core["specialises_zero_one"] = specialize_zero_one
        super().__init__(**names_of_the_core)


class DimDynamic(enum.Enum):
    """Whether the size of a dimension becomes a symbol."""

    DYNAMIC = 0
    DUCK = 1
    STATIC = 2
    SIZE_LIKE_UNBACKED = 3
    INFER_STRIDE = 4
    OBLIVIOUS_SIZE = 5
    UNBACKED = 6

    @property
    def is_symbolic(self) -> bool:
        """Whether it is a symbol with the size as its hint."""
        return self in (DimDynamic.DYNAMIC, DimDynamic.DUCK)


@dataclasses.dataclass(frozen=True)
class StatelessSymbolicContext:
    """Which dimensions of a tensor are symbolic."""

    dynamic_sizes: list[DimDynamic]
    dynamic_strides: list[DimDynamic] | None = None
    constraint_sizes: list[Any] | None = None
    constraint_strides: list[Any] | None = None
    view_base_context: Any = None


def _expressions(value: Any) -> list[Any]:
    if isinstance(value, (ow.SymInt, ow.SymBool)):
        return [value]
    if isinstance(value, ow.Tensor):
        return _expressions([*value.shape, *value.stride()])
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in _expressions(item)]
    return []


def free_symbols(val: Any) -> set[str]:
    """Return the names of the symbols in sizes, in a tensor or in a list of these.

    >>> free_symbols([ow.ShapeEnv().make_size(4, "x.size(0)") + 1, 2])
    {'s0'}
    """
    return {name for each in _expressions(val) for name in each.shape_env.free_symbols(each)}


def free_unbacked_symbols(val: Any) -> set[str]:
    """Return the symbols whose values are known at run time only."""
    found = set()
    for each in _expressions(val):
        unbacked = {symbol.name for symbol in each.shape_env.symbols if symbol.hint is None}
        found |= unbacked.intersection(each.shape_env.free_symbols(each))
    return found


def statically_known_true(x: bool | ow.SymBool) -> bool:
    """Return whether a condition holds for all values of its symbols; adds no guard.

    >>> statically_known_true(ow.ShapeEnv().make_size(4, "x.size(0)") >= 2)
    True
    """
    return x if isinstance(x, bool) else x.shape_env.decide(x) is True


def guard_int(a: int | ow.SymInt) -> int:
    """Return the value of a size; a symbol becomes this number, with a guard."""
    return int(a)


def fx_placeholder_vals(gm: Any) -> list[Any]:
    """Return the metadata of the placeholders of a traced module."""
    return [node.meta["val"] for node in gm.graph.find_nodes(op="placeholder")]


def fx_placeholder_targets(gm: Any) -> list[str]:
    """Return the names of the placeholders of a traced module."""
    return [node.target for node in gm.graph.find_nodes(op="placeholder")]


def eval_guards(gm: Any, *args: Any, ignore_static: bool = True) -> bool:
    """Return whether arguments have the sizes that a symbolic trace relied on."""
    try:
        gm._size_check(args, {})
    except (TypeError, ValueError):
        return False
    return True


def bind_symbols(gm: Any, *args: Any) -> dict[str, int]:
    """Return the values of the symbols of a symbolic trace for these arguments."""
    found: dict[str, int] = {}
    for val, given in zip(fx_placeholder_vals(gm), args, strict=True):
        if isinstance(val, ow.Tensor):
            found.update(_bind_sizes(val.shape, given.shape))
        elif isinstance(val, ow.SymInt):
            found.update(_bind_sizes([val], [given]))
    return found


def _bind_sizes(symbolic: Any, sizes: Any) -> dict[str, int]:
    return {
        str(one): int(other)
        for one, other in zip(symbolic, sizes, strict=True)
        if isinstance(one, ow.SymInt) and len(free_symbols(one)) == 1
    }


__getattr__ = absent(__name__)
