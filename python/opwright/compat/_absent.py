"""Names of a compatibility module that are loaded on first use, not wanted, or not there yet."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

from ._not_wanted import NotWantedError, refusal_of


def absent(module: str) -> Callable[[str], NoReturn]:
    """Return the `__getattr__` of a compatibility module.

    >>> import opwright.compat.torch as torch
    >>> torch.something_to_come
    Traceback (most recent call last):
    AttributeError: torch.something_to_come is not available yet in opwright.compat
    >>> torch.jit.script
    Traceback (most recent call last):
    opwright.compat._not_wanted.NotWantedError: torch.jit.script ...
    """
    path = module.removeprefix("opwright.compat.")

    def fail(name: str) -> NoReturn:
        refusal = refusal_of(f"{path}.{name}")
        if refusal is not None:
            raise NotWantedError(refusal)
        raise AttributeError(f"{path}.{name} is not available yet in opwright.compat")

    return fail


def on_first_use(
    module: str, sources: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a module whose names are loaded on first use.

    A key of `sources` is a module: below this one, ".nn", which is a name of this module too, or
    any other. Its names follow; "old=new" names its `old` as `new` here.

    >>> import opwright.compat.torch as torch
    >>> torch.nn.__name__, "nn" in dir(torch)
    ('opwright.compat.torch.nn', True)
    """
    children = {source[1:]: source for source in sources if source.startswith(".")}
    origins = {}
    for source, names in sources.items():
        for name in names:
            old, _, new = name.partition("=")
            origins[new or old] = (source, old)
    fail = absent(module)

    def load(name: str) -> object:
        if name in origins:
            source, old = origins[name]
            value = getattr(importlib.import_module(source, module), old)
        elif name in children:
            value = importlib.import_module(children[name], module)
        else:
            fail(name)
        setattr(sys.modules[module], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[module]), *children, *origins})

    return load, names
