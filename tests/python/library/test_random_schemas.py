"""Random schemas and calls: compares with torch what binds, and to which values.

The same schema is defined in both, with a kernel that records what it gets; then the same call is
made in both. They must agree on whether it is accepted, and on the value of every argument.

Known differences, which the generator skips:

- A tensor of one element where a number is expected: torch reads it, we reject it (it would be a
  silent read of device memory, and a number that no trace can follow).
- A list of another length for `int[2]`: torch accepts it, we reject it.
- A number or None where a bool is expected: torch.ops accepts it, we reject it, as PyTorch's
  functions do.
- None where a Tensor is expected: torch makes it an undefined tensor.
- A number where a ScalarType is expected: torch reads it as its own numbering.
- bytes where a str is expected: torch decodes them, we reject them.
- Default values that torch rejects or misreads (A.13; `float? x=2` is an int there).
"""

import contextlib
import itertools
from dataclasses import dataclass

import hypothesis.strategies as st
import opwright as ow
import torch
from hypothesis import HealthCheck, given, settings
from opwright import library


class Wrong:
    """A value of no schema type."""


@dataclass(frozen=True)
class Marker:
    """A placeholder for a distinguishable tensor, created by either module."""

    number: int


@dataclass(frozen=True)
class Named:
    """Stands for a dtype or a device of either module."""

    kind: str
    name: str


MARKERS = st.integers(0, 3).map(Marker)
INTS = st.one_of(st.integers(-3, 3), st.integers(-(2**40), 2**40))
FLOATS = st.floats(allow_nan=False, width=64)
DTYPES = st.sampled_from(["float32", "int64", "bool"]).map(lambda name: Named("dtype", name))
DEVICES = st.sampled_from(["cpu", "cuda:1", "meta"]).map(lambda name: Named("device", name))


def lists_of(values: st.SearchStrategy, size: int | None = None) -> st.SearchStrategy:
    lists = st.lists(values, min_size=size or 0, max_size=3 if size is None else size)
    return st.one_of(lists, lists.map(tuple))


# Values for each type. A bool can be used as a number, as in Python.
VALUES = {
    "Tensor": MARKERS,
    "int": st.one_of(INTS, st.booleans()),
    "SymInt": INTS,
    "float": st.one_of(FLOATS, INTS, st.booleans()),
    "bool": st.booleans(),
    "str": st.text(max_size=3),
    "Scalar": st.one_of(FLOATS, INTS, st.booleans()),
    "ScalarType": DTYPES,
    "Device": st.one_of(DEVICES, st.sampled_from(["cpu", "cuda:0"])),
    "int[]": lists_of(INTS),
    "SymInt[]": lists_of(INTS),
    "int[2]": st.one_of(lists_of(INTS, 2), INTS),
    "float[]": lists_of(st.one_of(FLOATS, INTS)),
    "bool[]": lists_of(st.booleans()),
    "str[]": lists_of(st.text(max_size=2)),
    "Tensor[]": lists_of(MARKERS),
    "Tensor?[]": lists_of(st.one_of(st.none(), MARKERS)),
}
DEFAULTS = {
    "int": ["0", "-7"],
    "SymInt": ["3"],
    "float": ["1.5", "2.0"],
    "bool": ["True", "False"],
    "str": ['"a"', '""'],
    "Scalar": ["1", "0.5"],
    "ScalarType": ["float32"],
    "int[]": ["[]", "[1, 2]"],
    "int[2]": ["[3, 4]", "1"],
    "float[]": ["[0.5]"],
    "bool[]": ["[True]"],
}
# Each is wrong for most types; values that only one of the two accepts for some type are skipped.
WRONG = st.sampled_from([Wrong(), [Wrong()], object])

TAKES_NONE_IN_TORCH = ("bool", "Tensor")


@dataclass(frozen=True)
class Argument:
    name: str
    type: str
    default: str | None
    is_keyword_only: bool

    def text(self) -> str:
        return f"{self.type} {self.name}" + (f"={self.default}" if self.default else "")

    @property
    def base(self) -> str:
        return self.type.removesuffix("?")


@st.composite
def schemas(draw: st.DrawFn) -> list[Argument]:
    count = draw(st.integers(1, 5))
    first_keyword_only = draw(st.integers(0, count))
    arguments, has_default = [], False
    for index in range(count):
        is_keyword_only = index >= first_keyword_only
        kind = draw(st.sampled_from(sorted(VALUES)))
        is_optional = draw(st.booleans())
        choices = DEFAULTS.get(kind, [])
        if is_optional:  # torch refuses a list as the default of an optional list
            choices = ["None", *([] if kind.endswith("]") else choices)]
        must_default = has_default and not is_keyword_only
        if must_default and not choices:
            kind, choices = "int", ["0"]
        default = (
            draw(st.sampled_from(choices))
            if choices and (must_default or draw(st.booleans()))
            else None
        )
        has_default = has_default or default is not None
        suffix = "?" if is_optional else ""
        arguments.append(Argument(f"a{index}", kind + suffix, default, is_keyword_only))
    return arguments


def text_of(arguments: list[Argument]) -> str:
    parts = [argument.text() for argument in arguments if not argument.is_keyword_only]
    named = [argument.text() for argument in arguments if argument.is_keyword_only]
    return ", ".join([*parts, *(["*", *named] if named else [])])


@st.composite
def calls(draw: st.DrawFn) -> tuple[list[Argument], list, dict]:
    arguments = draw(schemas())
    args: list = []
    kwargs: dict = {}
    is_positional = True
    mistakes = draw(
        st.sampled_from([None, None, None, "wrong", "missing", "extra", "none", "many"])
    )
    target = draw(st.integers(0, len(arguments) - 1))
    for index, argument in enumerate(arguments):
        value = draw(VALUES[argument.base])
        if argument.type.endswith("?") and draw(st.booleans()):
            value = None
        is_target = index == target
        if is_target and mistakes == "wrong":
            value = draw(WRONG)
        if is_target and mistakes == "none" and argument.type not in TAKES_NONE_IN_TORCH:
            value = None
        is_left_out = argument.default is not None and draw(st.booleans())
        if is_left_out or (is_target and mistakes == "missing"):
            is_positional = False
            continue
        is_positional = is_positional and not argument.is_keyword_only and draw(st.booleans())
        if is_positional:
            args.append(value)
        else:
            kwargs[argument.name] = value
    if mistakes == "extra":
        kwargs["unexpected"] = 1
    if mistakes == "many":
        args = [*args, 1, *(1 for _ in arguments)]
    return arguments, args, kwargs


def given_to(module, value: object) -> object:
    """Return a value as the caller of that module writes it."""
    if isinstance(value, Marker):
        return module.ones(value.number, dtype=module.float32)
    if isinstance(value, Named):
        return getattr(module, value.name) if value.kind == "dtype" else module.device(value.name)
    if isinstance(value, list | tuple):
        return type(value)(given_to(module, each) for each in value)
    return value


def seen_by(module, value: object) -> object:
    """Return a kernel's arguments in a form that can be compared across modules."""
    if isinstance(value, module.Tensor):
        return Marker(value.shape[0])
    if isinstance(value, module.dtype):
        return Named("dtype", str(value).split(".")[-1])
    if isinstance(value, module.device):
        return Named("device", str(value))
    if isinstance(value, list | tuple):
        return [seen_by(module, each) for each in value]
    return value


def bind_in_opwright(name: str, arguments: list[Argument], args: list, kwargs: dict):
    seen: dict = {}

    def kernel(*got, **named):
        positional = [a.name for a in arguments if not a.is_keyword_only]
        seen.update(zip(positional, got, strict=True), **named)

    with library.Library("random_trial", "FRAGMENT") as lib:
        lib.define(f"{name}({text_of(arguments)}) -> ()")
        lib.impl(name, kernel, "CompositeExplicitAutograd")
        op = getattr(ow.ops.random_trial, name).default
        op(*given_to(ow, args), **{key: given_to(ow, each) for key, each in kwargs.items()})
    return {key: seen_by(ow, each) for key, each in seen.items()}


def bind_in_torch(name: str, arguments: list[Argument], args: list, kwargs: dict):
    seen: dict = {}

    def kernel(*got, **named):
        seen.update(zip([a.name for a in arguments], got, strict=False), **named)

    with torch.library._scoped_library("random_trial", "FRAGMENT") as lib:
        lib.define(f"{name}({text_of(arguments)}) -> ()")
        lib.impl(name, kernel, "CompositeExplicitAutograd")
        op = getattr(torch.ops.random_trial, name).default
        # torch leaves out arguments that equal their default.
        defaults = {a.name: a.default_value for a in op._schema.arguments if a.has_default_value()}
        op(*given_to(torch, args), **{key: given_to(torch, v) for key, v in kwargs.items()})
    types = {a.name: a.base for a in arguments}
    bound = {key: seen_by(torch, each) for key, each in {**defaults, **seen}.items()}
    for key, value in bound.items():
        if types[key] == "ScalarType" and isinstance(value, int):  # as torch keeps a default
            bound[key] = Named("dtype", "float32")
    return bound


NAMES = (f"op{number}" for number in itertools.count())


@settings(
    max_examples=600,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(calls())
def test_a_call_binds_as_it_does_in_torch(call):
    arguments, args, kwargs = call
    name = next(NAMES)
    ours = theirs = None

    with contextlib.suppress(TypeError, ValueError, OverflowError):
        ours = bind_in_opwright(name, arguments, args, kwargs)
    with contextlib.suppress(RuntimeError, TypeError, ValueError):
        theirs = bind_in_torch(name, arguments, args, kwargs)

    assert ours == theirs, f"{text_of(arguments)} called with {args} {kwargs}"


@settings(max_examples=300, deadline=None, derandomize=True)
@given(schemas())
def test_a_schema_that_is_defined_prints_so_that_torch_reads_the_same(arguments):
    text = f"random_trial::op({text_of(arguments)}) -> ()"

    printed = str(ow._C.parse_schema(text))

    assert torch._C.parse_schema(printed) == torch._C.parse_schema(text)
    assert ow._C.parse_schema(printed) == ow._C.parse_schema(text)
