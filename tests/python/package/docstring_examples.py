"""Finds the examples in the docstrings of the package, in its modules and in what C++ defines."""

import doctest
import importlib
import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType


def find_in_files(package: ModuleType) -> Iterator[doctest.DocTest]:
    """Yield the examples of each file of the package that has one."""
    # In a build the folders of the package are symlinks, into which rglob does not go.
    walk = os.walk(package.__path__[0], followlinks=True)
    paths = [Path(folder, name) for folder, _, names in walk for name in names]
    for path in sorted(path for path in paths if path.suffix == ".py"):
        if ">>> " in path.read_text():
            yield from find_in_module(importlib.import_module(module_name(package, path)))


def module_name(package: ModuleType, path: Path) -> str:
    parts = path.relative_to(package.__path__[0]).with_suffix("").parts
    return ".".join([package.__name__, *(part for part in parts if part != "__init__")])


def find_in_module(module: ModuleType) -> Iterator[doctest.DocTest]:
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
        if example.examples:
            yield example


def find_in_extension(module: ModuleType) -> Iterator[doctest.DocTest]:
    """Yield the examples of an extension module's functions, and of its types with their members.

    doctest's own finder knows neither the functions of nanobind nor where they were defined.
    """
    for name, value in sorted(vars(module).items()):
        yield from parse(f"{module.__name__}.{name}", value)
        if inspect.isclass(value):
            for member_name, member in sorted(vars(value).items()):
                yield from parse(f"{module.__name__}.{name}.{member_name}", member)


def parse(name: str, value: object) -> Iterator[doctest.DocTest]:
    """Yield the example of a function, type or attribute, unless it is only that of its type."""
    text = getattr(value, "__doc__", None)
    if not isinstance(text, str) or text is getattr(type(value), "__doc__", None):
        return
    # Methods that the package adds in Python see the names of their file.
    names = dict(getattr(value, "__globals__", {}))
    example = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    if example.examples:
        yield example
