"""The libraries that this process has loaded, by the name that the author gave each.

Changed sources under one name replace what that name had registered. The functions of the older
module keep working: its operators move from the library to a scope that calls the same code.
"""

import threading
import types
from contextlib import suppress

from . import _cache

_BODY = "CompositeImplicitAutograd"  # the slot of a function that `functions` named


class Extension:
    """One loaded library with its module."""

    def __init__(self, name: str, entry: _cache.Entry):
        self.name = name
        self.entry = entry
        self.namespace = entry.facts["namespace"]
        self.path = entry.path(entry.facts["library"])
        self.module = types.ModuleType(name, f"The operators of the extension {name!r}.")
        self.is_loaded = False
        self.is_alone = False  # it has its module's functions and no other operators
        self.scope = None  # holds the functions of a library that was replaced

    def load(self) -> None:
        from .. import _C

        if self.scope is not None:
            self.scope.close()
            self.scope = None
        if not self.is_loaded:
            try:
                _C.load_library(self.path)
            except Exception as problem:
                _tell_names(problem, self)
                raise
            self.is_loaded = True
            self.is_alone = self._has_only(_C.list_operators(self.namespace))

    def retire(self) -> None:
        """Remove the operators, but keep the module's own functions."""
        from .. import _C

        if self.is_alone:
            return  # nothing here that a newer library could also define
        kept = []
        for name in _C.list_operators(self.namespace):
            op = _C.find_operator(name)
            kernels = [(slot, _C.get_kernel(op, slot)) for slot, _ in op.implementations()]
            documentation = getattr(op, "documentation", "")
            kept.append((str(op.schema), op.tag_names, documentation, name, kernels))
        with suppress(ValueError):  # unloaded by its path before
            _C.unload_library(self.path)
        self.is_loaded = False
        self.scope = _C.Scope()
        for schema, tags, documentation, name, kernels in kept:
            self.scope.define(schema, tags=tags).documentation = documentation
            for slot, kernel in kernels:
                self.scope.implement(name, slot, kernel)

    def _has_only(self, names: list[str]) -> bool:
        """Return whether the library has only these operators."""
        from .. import _C

        told = _C.describe_library(self.path).splitlines()[1:]
        given = (line.split()[1] for line in told if not line.startswith("  imports"))
        return all(each.partition("(")[0] in names for each in given)

    def fill_module(self, documentation: dict[str, str]) -> None:
        """Give the module an attribute for each operator of its namespace."""
        from .. import _C

        bases = []
        for name in _C.list_operators(self.namespace):
            op = _C.find_operator(name)
            if text := documentation.get(op.base):
                op.documentation = text
            if op.base not in bases:
                bases.append(op.base)
                setattr(self.module, op.base, _C.find_packet(f"{self.namespace}::{op.base}"))
        self.module.__file__ = self.path
        self.module.__all__ = bases


_lock = threading.RLock()
_current: dict[str, Extension] = {}  # by name
_known: dict[str, Extension] = {}  # by path


def current(name: str) -> Extension | None:
    """Return what this process has loaded under a name."""
    return _current.get(name)


def activate(name: str, entry: _cache.Entry, documentation: dict[str, str]) -> Extension:
    """Load the library of an entry, replacing what the name had; a failure keeps the old one."""
    with _lock:
        older = _current.get(name)
        path = entry.path(entry.facts["library"])
        newer = _known.get(path) or Extension(name, entry)
        if older is not None and older is not newer:
            older.retire()
        try:
            newer.load()
        except BaseException:
            if older is not None:
                with suppress(OSError):  # its file may be gone; the first error says more
                    older.load()
            raise
        newer.fill_module(documentation)
        _current[name] = _known[path] = newer
        return newer


def _tell_names(problem: Exception, loading: Extension) -> None:
    """Replace paths of cache files in an error's text by the extension's name."""
    if not problem.args or not isinstance(problem.args[0], str):
        return
    text = problem.args[0]
    for extension in [*_known.values(), loading]:
        text = text.replace(extension.path, f"extension {extension.name!r}")
    problem.args = (text, *problem.args[1:])
    if isinstance(problem, ImportError):
        problem.msg = text  # the text that it shows
