"""PyTorch's names of what a ShapeEnv knows; added to the class of the package."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import opwright as ow

_SYMBOL = re.compile(r"\b[su]\d+\b")


def backed_var_to_val(self: ow.ShapeEnv) -> dict[str, int]:
    """The symbols that have a value in this run, by name."""
    return {symbol.name: symbol.hint for symbol in self.symbols if symbol.hint is not None}


def replacements(self: ow.ShapeEnv) -> dict[str, Any]:
    """The symbols that were found equal to an expression of others, by name."""
    return {each.name: each.equals for each in self.symbols if each.equals is not None}


def get_nontrivial_guards(self: ow.ShapeEnv) -> list[ow.SymBool]:
    """Return the guards that are neither a range of a symbol nor an equality."""
    _, rest = self.solve()
    return [guard.condition for guard in rest]


def format_guards(self: ow.ShapeEnv, verbose: bool = False) -> str:
    """Return the guards as text, one in a line; `verbose` adds the lines that required them."""
    return "\n".join(f" - {guard}" if verbose else f" - {guard.text}" for guard in self.guards)


def produce_guards(
    self: ow.ShapeEnv,
    placeholders: Sequence[Any],
    sources: Sequence[Any],
    *,
    ignore_static: bool = True,
    _simplified: bool = False,
    **_private: Any,
) -> list[str]:
    """Return what the arguments must satisfy, as conditions on `L['name'].size()[dim]`.

    `placeholders` are the fake arguments, `sources` their names. Sizes that are one symbol, or an
    expression of others, are conditions too.
    """
    names: dict[str, str] = {}
    repeated = []
    for value, source in zip(placeholders, sources, strict=True):
        for text, size in _sizes_of(value, source):
            shown = str(self.simplify(size)) if isinstance(size, ow.SymInt) else str(size)
            if isinstance(size, ow.SymInt) and _SYMBOL.fullmatch(shown):
                if shown not in names:
                    names[shown] = text
                    continue
            elif not isinstance(size, ow.SymInt) and ignore_static:
                continue
            repeated.append((text, shown))

    def show(text: str) -> str:
        return _SYMBOL.sub(lambda found: names.get(found[0], found[0]), text)

    symbols, rest = self.solve()
    found = [] if _simplified else [f"{text} == {show(shown)}" for text, shown in repeated]
    found += [show(_later_first(guard.text)) for guard in rest]
    for symbol in symbols:
        if symbol.name in names and symbol.equals is None:
            found += _range_text(names[symbol.name], *symbol.range, hides_two=_simplified)
    return found


def _sizes_of(value: Any, source: Any) -> list[tuple[str, Any]]:
    name = f"L[{source!r}]" if isinstance(source, str) else str(getattr(source, "name", source))
    if isinstance(value, ow.Tensor):
        return [(f"{name}.size()[{dim}]", size) for dim, size in enumerate(value.shape)]
    return [(name, value)] if isinstance(value, ow.SymInt) else []


def _later_first(condition: str) -> str:
    """Return a comparison of sizes so that it describes the later one: `s1 > s0` for `s0 < s1`."""
    parts = condition.split(" ")
    flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    if len(parts) != 3 or parts[1] not in flipped or not all(map(_SYMBOL.fullmatch, parts[::2])):
        return condition
    left, sign, right = parts
    is_later = int(left[1:]) > int(right[1:])
    return condition if is_later else f"{right} {flipped[sign]} {left}"


def _range_text(name: str, least: int | None, greatest: int | None, *, hides_two: bool) -> list:
    parts = []
    if least is not None and not (hides_two and least == 2):
        parts.append(f"{least} <= {name}")
    if greatest is not None:
        parts.append(f"{name} <= {greatest}")
    return [" and ".join(parts)] if parts else []


def create_unbacked_symint(self: ow.ShapeEnv, source: Any = None) -> ow.SymInt:
    """Return a new symbol that may be any int64, known at run time only; `source` is not used."""
    return self.make_unbacked(min=-(2**63))


@contextlib.contextmanager
def ignore_fresh_unbacked_symbols(self: ow.ShapeEnv) -> Iterator[None]:
    """Leave out symbols made in the block where a trace looks for their origin.

    A trace of this package does not look: whatever tensor has a size provides it.
    """
    yield


for _function in (
    get_nontrivial_guards,
    format_guards,
    produce_guards,
    create_unbacked_symint,
    ignore_fresh_unbacked_symbols,
):
    setattr(ow.ShapeEnv, _function.__name__, _function)
for _function in (backed_var_to_val, replacements):
    setattr(ow.ShapeEnv, _function.__name__, property(_function))
