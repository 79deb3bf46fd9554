"""The part of a schema that C++ declarations need: names, types, defaults, what is written.

The core's own parser checks a schema in full when it is registered; this one only splits it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

ARGUMENT = re.compile(
    r"(?P<base>\w+)(?:\((?P<alias>[^)]*)\))?(?P<suffixes>(?:\[\d*\]|\?)*)"
    r"(?: +(?P<name>\w+)(?: ?= ?(?P<default>.+))?)?"
)
SCHEMA = re.compile(
    r"(?P<name>\w+)(?:\.(?P<overload>\w+))?\((?P<arguments>.*)\) *-> *(?P<returns>.+)"
)


class SchemaError(ValueError):
    """A schema that cannot be parsed."""


@dataclass(frozen=True)
class Type:
    base: str  # "Tensor", "SymInt", ...
    suffixes: tuple[str, ...]  # "?", "[]" or "[2]", innermost first
    is_written: bool = False
    alias: str = ""  # "a" in `Tensor(a!)`

    @property
    def shape(self) -> str:
        """The suffixes without the lengths of lists: "[]?"."""
        return re.sub(r"\d", "", "".join(self.suffixes))

    @property
    def length(self) -> int | None:
        """The length of `int[2]`, for which a single number may be passed."""
        sized = re.fullmatch(r"\[(\d+)\]", self.suffixes[0]) if self.suffixes else None
        return int(sized[1]) if sized else None


@dataclass(frozen=True)
class Argument:
    type: Type
    name: str
    default: str | None  # as the schema writes it
    is_keyword_only: bool = False


@dataclass(frozen=True)
class Schema:
    text: str
    name: str  # "add"
    overload: str  # "Tensor", or ""
    arguments: tuple[Argument, ...]
    returns: tuple[Type, ...]
    return_names: tuple[str, ...] = ()  # "" for one without a name

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def identifier(self) -> str:
        """The full name as a C++ identifier: "internal_f_in_place_Tensor" of `_f_.Tensor`."""
        start = "internal_" if self.name.startswith("_") else ""
        end = "_in_place" if self.name.endswith("_") else ""
        overload = f"_{self.overload}" if self.overload else ""
        return f"{start}{self.name.strip('_')}{end}{overload}"

    @property
    def is_in_place(self) -> bool:
        """Return whether it writes its first argument and returns it."""
        first = self.arguments[0].type if self.arguments else None
        return first is not None and first.is_written and self.returns_what_is(first)

    @property
    def writes_out(self) -> bool:
        """Return whether it writes keyword arguments and returns them."""
        written = [each.type for each in self.arguments if each.type.is_written]
        keywords = [each for each in self.arguments if each.is_keyword_only]
        return bool(written) and all(
            any(each.type is type_ for each in keywords) and self.returns_what_is(type_)
            for type_ in written
        )

    @property
    def may_be_view(self) -> bool:
        """Return whether results alias an argument and none is written."""
        aliased = {each.type.alias for each in self.arguments if each.type.alias}
        return not any(each.type.is_written for each in self.arguments) and any(
            each.alias in aliased for each in self.returns
        )

    def returns_what_is(self, type_: Type) -> bool:
        return any(each.is_written and each.alias == type_.alias for each in self.returns)


def parse_schema(text: str) -> Schema:
    found = SCHEMA.fullmatch(text)
    if not found and "::" in text.partition("(")[0]:
        raise SchemaError(f"'{text}' has a namespace; pass it separately")
    if not found:
        raise SchemaError(f"'{text}' is not 'name.overload(arguments) -> returns'")
    parts = split_list(found["arguments"])
    star = parts.index("*") if "*" in parts else len(parts)
    arguments = tuple(
        parse_argument(part, index > star) for index, part in enumerate(parts) if part != "*"
    )
    names = [argument.name for argument in arguments]
    for name in names:
        if names.count(name) > 1:
            raise SchemaError(f"there are two arguments '{name}'")
    check_defaults(arguments)
    returns, return_names = parse_returns(found["returns"])
    return Schema(
        text=text,
        name=found["name"],
        overload=found["overload"] or "",
        arguments=arguments,
        returns=returns,
        return_names=return_names,
    )


def check_defaults(arguments: tuple[Argument, ...]) -> None:
    positional = [argument for argument in arguments if not argument.is_keyword_only]
    for before, argument in pairwise(positional):
        if before.default is not None and argument.default is None:
            raise SchemaError(f"'{argument.name}' has no default but follows one that has")


def parse_argument(text: str, is_keyword_only: bool = False) -> Argument:
    found = ARGUMENT.fullmatch(text)
    if not found or not found["name"]:
        raise SchemaError(f"'{text}' is not an argument")
    return Argument(make_type(found), found["name"], found["default"], is_keyword_only)


def parse_returns(text: str) -> tuple[tuple[Type, ...], tuple[str, ...]]:
    """Return the types and the names of the results."""
    inside = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    types, names = [], []
    for part in split_list(inside):
        found = ARGUMENT.fullmatch(part)
        if not found or found["default"]:
            raise SchemaError(f"'{part}' is not a return type")
        types.append(make_type(found))
        names.append(found["name"] or "")
    return tuple(types), tuple(names)


def make_type(found: re.Match[str]) -> Type:
    suffixes = tuple(re.findall(r"\[\d*\]|\?", found["suffixes"]))
    alias = found["alias"] or ""
    name = re.match(r"\w*", alias)[0]
    return Type(found["base"], suffixes, is_written="!" in alias, alias=name)


def split_list(text: str) -> list[str]:
    """Split at commas outside brackets and strings."""
    parts, depth, quote, start = [], 0, "", 0
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []
