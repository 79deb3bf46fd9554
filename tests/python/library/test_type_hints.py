"""Type hints; compared with torch's own infer_schema where it accepts the signature."""

# Older spellings of hints are tested on purpose.
# ruff: noqa: UP006, UP007, UP035, UP045

import functools
import inspect
import math
import numbers
from collections.abc import Callable, Sequence
from enum import Enum, IntEnum
from types import ModuleType
from typing import List, Optional, Tuple, Union

import opwright as ow
import pytest
import torch
from opwright import Tensor, library

REQUIRED = inspect.Parameter.empty


class Mode(Enum):
    FAST = 1
    EXACT = 2


class Border(Enum):
    ZERO = "zero"
    WRAP = "wrap"


class Level(IntEnum):
    LOW = 0
    HIGH = 9


class Filter:
    """An opaque class."""

    gain = 2.0


library.register_opaque_type(Filter, "trial_a04.Filter")


def make_function(
    m: ModuleType, hint: object, default: object = REQUIRED, returns: object = REQUIRED
) -> Callable:
    """Return a function of one argument `x` with that hint and default."""

    def function(x): ...

    function.__annotations__ = {"x": hint, "return": m.Tensor if returns is REQUIRED else returns}
    if default is not REQUIRED:
        function.__defaults__ = (default,)
    return function


# What both infer: the hint (made with the types of either module), a default, the schema of `x`.
BOTH = [
    (lambda m: m.Tensor, REQUIRED, "Tensor x"),
    (lambda m: Optional[m.Tensor], REQUIRED, "Tensor? x"),
    (lambda m: Optional[m.Tensor], None, "Tensor? x=None"),
    (lambda m: m.Tensor | None, None, "Tensor? x=None"),
    (lambda m: Sequence[m.Tensor], REQUIRED, "Tensor[] x"),
    (lambda m: list[m.Tensor], REQUIRED, "Tensor[] x"),
    (lambda m: List[m.Tensor], REQUIRED, "Tensor[] x"),
    (lambda m: list[Optional[m.Tensor]], REQUIRED, "Tensor?[] x"),
    (lambda m: Sequence[Optional[m.Tensor]], REQUIRED, "Tensor?[] x"),
    (lambda m: int, REQUIRED, "SymInt x"),
    (lambda m: int, 3, "SymInt x=3"),
    (lambda m: int, -3, "SymInt x=-3"),
    (lambda m: Optional[int], None, "SymInt? x=None"),
    (lambda m: list[int], REQUIRED, "SymInt[] x"),
    (lambda m: Sequence[int], REQUIRED, "SymInt[] x"),
    (lambda m: Optional[list[int]], None, "SymInt[]? x=None"),
    (lambda m: float, REQUIRED, "float x"),
    (lambda m: float, 1.5, "float x=1.5"),
    (lambda m: float, 1e-12, "float x=1e-12"),
    (lambda m: float, 2, "float x=2"),
    (lambda m: Optional[float], 2.0, "float? x=2.0"),
    (lambda m: Sequence[float], REQUIRED, "float[] x"),
    (lambda m: Optional[Sequence[float]], None, "float[]? x=None"),
    (lambda m: bool, True, "bool x=True"),
    (lambda m: Optional[bool], False, "bool? x=False"),
    (lambda m: list[bool], REQUIRED, "bool[] x"),
    (lambda m: Optional[list[bool]], None, "bool[]? x=None"),
    (lambda m: str, "mean", 'str x="mean"'),
    (lambda m: Optional[str], None, "str? x=None"),
    (lambda m: Union[int, float, bool], 1, "Scalar x=1"),
    (lambda m: Optional[Union[int, float, bool]], None, "Scalar? x=None"),
    (lambda m: list[Union[int, float, bool]], REQUIRED, "Scalar[] x"),
    (lambda m: m.dtype, "float32", "ScalarType x=float32"),
    (lambda m: Optional[m.dtype], None, "ScalarType? x=None"),
    (lambda m: m.device, "cpu", 'Device x="cpu"'),
    (lambda m: Optional[m.device], None, "Device? x=None"),
]

# What torch refuses.
OURS = [
    (lambda m: Optional[list[m.Tensor]], None, "Tensor[]? x=None"),
    (lambda m: list[Optional[int]], REQUIRED, "SymInt?[] x"),
    (lambda m: list[Optional[int]], [1, None], "SymInt?[] x=[1, None]"),
    (lambda m: list[str], ["a", "b"], 'str[] x=["a", "b"]'),
    (lambda m: Optional[list[str]], None, "str[]? x=None"),
    (lambda m: list[list[int]], REQUIRED, "SymInt[][] x"),
    (lambda m: list[m.dtype], REQUIRED, "ScalarType[] x"),
    (lambda m: list[m.device], REQUIRED, "Device[] x"),
    (lambda m: complex, 1 + 2j, "complex x=1.0+2.0j"),
    (lambda m: complex, -1j, "complex x=-0.0-1.0j"),
    (lambda m: list[complex], REQUIRED, "complex[] x"),
    (lambda m: Union[int, float, bool, complex], REQUIRED, "Scalar x"),
    (lambda m: int | float, REQUIRED, "Scalar x"),
    (lambda m: numbers.Number, REQUIRED, "Scalar x"),
    (lambda m: m.memory_format, ow.channels_last, "MemoryFormat x=channels_last"),
    (lambda m: m.memory_format | None, None, "MemoryFormat? x=None"),
    (lambda m: m.layout, ow.strided, "Layout x=strided"),
    (lambda m: tuple[int, int], REQUIRED, "SymInt[2] x"),
    (lambda m: tuple[int, int], (1, 2), "SymInt[2] x=[1, 2]"),
    (lambda m: Tuple[float, float, float], REQUIRED, "float[3] x"),
    (lambda m: tuple[int, int] | None, None, "SymInt[2]? x=None"),
    (lambda m: tuple[int, ...], (), "SymInt[] x=[]"),
    (lambda m: tuple[int, float], REQUIRED, "(SymInt, float) x"),
    (lambda m: Mode, Mode.FAST, "int x=1"),
    (lambda m: Optional[Mode], None, "int? x=None"),
    (lambda m: list[Mode], [Mode.FAST, Mode.EXACT], "int[] x=[1, 2]"),
    (lambda m: Border, Border.WRAP, 'str x="wrap"'),
    (lambda m: Level, Level.HIGH, "int x=9"),
    (lambda m: Filter, REQUIRED, "trial_a04.Filter x"),
    (lambda m: Filter | None, None, "trial_a04.Filter? x=None"),
    (lambda m: list[int], [1, 2], "SymInt[] x=[1, 2]"),
    (lambda m: list[float], [0.5, math.inf], "float[] x=[0.5, inf]"),
    (lambda m: list[bool], [True], "bool[] x=[True]"),
    (lambda m: float, math.inf, "float x=inf"),
    (lambda m: float, -math.inf, "float x=-inf"),
    (lambda m: float, math.nan, "float x=nan"),
    (lambda m: str, 'a "b"\n', r'str x="a \"b\"\n"'),
]


def ids(cases: list) -> list[str]:
    return [expected for _, _, expected in cases]


def default_of(m: ModuleType, hint: object, default: object) -> object:
    """Return a default that is written as a string as the module's own dtype or device."""
    if hint is m.dtype and default is not REQUIRED:
        return getattr(m, default)
    return m.device(default) if hint is m.device and default is not REQUIRED else default


@pytest.mark.parametrize(("hint", "default", "expected"), BOTH, ids=ids(BOTH))
def test_the_schema_is_the_one_that_torch_infers(hint, default, expected):
    ours = make_function(ow, hint(ow), default_of(ow, hint(ow), default))
    theirs = make_function(torch, hint(torch), default_of(torch, hint(torch), default))

    schema = library.infer_schema(ours, mutates_args=())

    assert schema == f"({expected}) -> Tensor"
    assert schema == torch.library.infer_schema(theirs, mutates_args=())


@pytest.mark.parametrize(("hint", "default", "expected"), OURS, ids=ids(OURS))
def test_the_schema_of_what_torch_refuses(hint, default, expected):
    schema = library.infer_schema(make_function(ow, hint(ow), default), mutates_args=())

    assert schema == f"({expected}) -> Tensor"


@pytest.mark.parametrize(("hint", "default", "expected"), BOTH + OURS, ids=ids(BOTH + OURS))
def test_an_operator_can_be_defined_with_the_hint_and_its_default(hint, default, expected):
    function = make_function(ow, hint(ow), default_of(ow, hint(ow), default))

    op = library.custom_op("trial_a04::defined", function, mutates_args=())

    assert op.schema.arguments[0].has_default == (default is not REQUIRED)


RETURNS = [
    (lambda m: m.Tensor, "Tensor"),
    (lambda m: None, "()"),
    (lambda m: list[m.Tensor], "Tensor[]"),
    (lambda m: List[m.Tensor], "Tensor[]"),
    (lambda m: int, "SymInt"),
    (lambda m: float, "float"),
    (lambda m: bool, "bool"),
    (lambda m: Union[int, float, bool], "Scalar"),
    (lambda m: tuple[m.Tensor, m.Tensor], "(Tensor, Tensor)"),
    (lambda m: Tuple[m.Tensor, int], "(Tensor, SymInt)"),
    (lambda m: tuple[m.Tensor], "((Tensor))"),
]


@pytest.mark.parametrize(("returns", "expected"), RETURNS, ids=[text for _, text in RETURNS])
def test_the_returns_are_those_that_torch_infers(returns, expected):
    ours = make_function(ow, int, returns=returns(ow))
    theirs = make_function(torch, int, returns=returns(torch))

    schema = library.infer_schema(ours, mutates_args=())

    assert schema == f"(SymInt x) -> {expected}"
    assert schema == torch.library.infer_schema(theirs, mutates_args=())


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        (Tensor | None, "Tensor?"),
        (Optional[int], "SymInt?"),
        (str, "str"),
        (list[int], "SymInt[]"),
        (tuple[Tensor, ...], "Tensor[]"),
        (tuple[Tensor | None, int], "(Tensor?, SymInt)"),
    ],
)
def test_returns_that_torch_refuses_are_inferred(returns, expected):
    schema = library.infer_schema(make_function(ow, int, returns=returns), mutates_args=())

    assert schema == f"(SymInt x) -> {expected}"


def test_an_optional_result_may_be_none():
    @library.custom_op("trial_a04::optional_result", mutates_args=())
    def maybe(x: Tensor, give: bool) -> Tensor | None:
        return x.clone() if give else None

    assert maybe(ow.ones(1), False) is None
    assert maybe(ow.ones(1), True).tolist() == [1.0]


def test_string_hints_are_read():
    def function(
        x: "Tensor", n: "Optional[int]" = None, *, xs: "list[Tensor] | None" = None
    ) -> "tuple[Tensor, Tensor]": ...

    assert library.infer_schema(function, mutates_args=["x"]) == (
        "(Tensor(a0!) x, SymInt? n=None, *, Tensor[]? xs=None) -> (Tensor, Tensor)"
    )


def test_string_hints_of_partials_and_callable_objects_are_read():
    def scale(factor: "float", x: "ow.Tensor") -> "ow.Tensor": ...

    class Scale:
        def __call__(self, x: "ow.Tensor") -> "None": ...

    partial = functools.partial(scale, 2.0)
    assert library.infer_schema(partial, mutates_args=()) == "(Tensor x) -> Tensor"
    assert library.infer_schema(Scale(), mutates_args=()) == "(Tensor x) -> ()"


def test_a_string_within_a_hint_is_read():
    def function(
        x: list["Tensor"], y: Optional["Tensor"], z: Optional[list[Optional["Tensor"]]]
    ) -> "None": ...

    assert library.infer_schema(function, mutates_args=()) == (
        "(Tensor[] x, Tensor? y, Tensor?[]? z) -> ()"
    )


def test_a_hint_of_a_module_without_imports_may_name_tensor():
    namespace: dict = {}
    exec("def function(x: 'Tensor', d: 'Optional[device]' = None) -> 'Tensor': ...", namespace)

    assert library.infer_schema(namespace["function"], mutates_args=()) == (
        "(Tensor x, Device? d=None) -> Tensor"
    )


def test_the_name_of_the_operator_is_put_in_front():
    assert (
        library.infer_schema(make_function(ow, int), mutates_args=(), op_name="trial::f")
        == "trial::f(SymInt x) -> Tensor"
    )


def test_a_kernel_gets_the_member_of_an_enum_back():
    seen = []

    @library.custom_op("trial_a04::enums", mutates_args=())
    def enums(mode: Mode, border: Border = Border.ZERO, *, level: Level | None = None) -> None:
        seen.append((mode, border, level))

    enums(1)
    enums(2, "wrap", level=Level.HIGH)

    assert seen == [(Mode.FAST, Border.ZERO, None), (Mode.EXACT, Border.WRAP, Level.HIGH)]
    assert str(enums.schema) == (
        'trial_a04::enums(int mode, str border="zero", *, int? level=None) -> ()'
    )


def test_a_member_of_an_enum_is_taken_for_its_value():
    seen = []

    @library.custom_op("trial_a04::members", mutates_args=())
    def members(mode: Mode, border: Border, modes: list[Mode]) -> None:
        seen.append((mode, border, modes))

    members(Mode.EXACT, Border.WRAP, [Mode.FAST, Mode.EXACT])

    assert seen == [(Mode.EXACT, Border.WRAP, [Mode.FAST, Mode.EXACT])]


def test_a_value_that_no_member_has_is_an_error():
    @library.custom_op("trial_a04::no_member", mutates_args=())
    def no_member(mode: Mode) -> None: ...

    with pytest.raises(ValueError, match="7 is not a valid Mode"):
        no_member(7)


def test_a_kernel_gets_a_tuple_where_its_hint_is_one():
    seen = []

    @library.custom_op("trial_a04::tuples", mutates_args=())
    def tuples(pair: tuple[int, int], mixed: tuple[int, float], many: tuple[int, ...]) -> None:
        seen.append((pair, mixed, many))

    tuples([1, 2], (3, 4.5), [5])

    assert seen == [((1, 2), (3, 4.5), (5,))]


def test_a_second_kernel_gets_members_and_tuples_too():
    seen = []

    @library.custom_op("trial_a04::second_kernel", mutates_args=())
    def op(x: Tensor, mode: Mode, pair: tuple[int, int]) -> None: ...

    @op.register_kernel("cpu")
    def _(x, mode, pair):
        seen.append((mode, pair))

    op(ow.ones(1), 2, [3, 4])

    assert seen == [(Mode.EXACT, (3, 4))]


def test_an_opaque_value_passes_through():
    @library.custom_op("trial_a04::opaque", mutates_args=())
    def opaque(x: Tensor, filter: Filter) -> Tensor:
        return x * filter.gain

    assert opaque(ow.ones(1), Filter()).tolist() == [2.0]


# ---- Refusals ----


def no_hint(x, y: int) -> Tensor: ...


def no_return(x: Tensor): ...


def unsupported(x: Tensor, table: dict[str, int]) -> Tensor: ...


def positional_only(x: Tensor, /) -> Tensor: ...


def variadic(*xs: Tensor) -> Tensor: ...


def keywords(**xs: Tensor) -> Tensor: ...


def bad_default(x: Tensor, y: Tensor | None = ...) -> Tensor: ...


def bad_return(x: Tensor) -> dict: ...


def bad_return_name(x: Tensor) -> "Tenor": ...  # noqa: F821


def bad_union(x: int | str) -> Tensor: ...


def bad_name(x: "Tenor") -> Tensor: ...  # noqa: F821


class Mixed(Enum):
    ONE = 1
    TWO = "two"


def bad_enum(x: Mixed) -> Tensor: ...


SUPPORTED = (
    "Supported: Tensor, int, float, bool, str, complex, int | float, dtype, device, layout, "
    "memory_format, Generator, an Enum, a class given to register_opaque_type; Optional, list, "
    "Sequence and "
    "tuple of these."
)
REFUSED = [
    (no_hint, "parameter 'x' has no type hint", SUPPORTED),
    (
        no_return,
        "the return has no type hint",
        "Write `-> Tensor`, or `-> None` for none.",
    ),
    (unsupported, "parameter 'table' has the unsupported type dict[str, int]", SUPPORTED),
    (
        positional_only,
        "parameter 'x' is positional-only",
        "An operator's arguments can all be given by name, and their number is fixed.",
    ),
    (
        variadic,
        "parameter 'xs' is variadic positional",
        "An operator's arguments can all be given by name, and their number is fixed.",
    ),
    (
        keywords,
        "parameter 'xs' is variadic keyword",
        "An operator's arguments can all be given by name, and their number is fixed.",
    ),
    (
        bad_default,
        "the default of parameter 'y' cannot be written in a schema: Ellipsis",
        "A default is None, a number, a string, a dtype, a device, or a list of these.",
    ),
    (bad_return, "the return has the unsupported type dict", SUPPORTED),
    (
        bad_return_name,
        "the return has the unsupported type 'Tenor' (NameError: name 'Tenor' is not defined; a "
        "hint that is a string can use the names of its module)",
        SUPPORTED,
    ),
    (
        bad_union,
        "parameter 'x' has the unsupported type int | str (a union may be of numbers, or of one "
        "type and None)",
        SUPPORTED,
    ),
    (
        bad_name,
        "parameter 'x' has the unsupported type 'Tenor' (NameError: name 'Tenor' is not defined; "
        "a hint that is a string can use the names of its module)",
        SUPPORTED,
    ),
    (
        bad_enum,
        f"parameter 'x' has the unsupported type {inspect.formatannotation(Mixed)} (the values of "
        "an Enum must all be ints, or all strings)",
        SUPPORTED,
    ),
]


@pytest.mark.parametrize(
    ("function", "problem", "advice"), REFUSED, ids=[f.__name__ for f, _, _ in REFUSED]
)
def test_a_refusal_shows_the_parameter_the_signature_and_the_line(
    function, problem, advice, line_of
):
    with pytest.raises(ValueError, match="defined at") as failure:
        library.custom_op(f"trial_a04::{function.__name__}", function, mutates_args=())

    assert str(failure.value) == (
        f"trial_a04::{function.__name__}: {problem}\n"
        f"    def {function.__name__}{inspect.signature(function)}\n"
        f"  defined at {line_of(function)}. {advice}"
    )


def test_a_default_that_does_not_fit_its_type_is_refused_by_the_schema():
    def function(x: Tensor, n: int = 1.5) -> Tensor: ...

    with pytest.raises(ValueError, match=r"the default of a SymInt must be an int, got '1.5'"):
        library.custom_op("trial_a04::bad_default_type", function, mutates_args=())
