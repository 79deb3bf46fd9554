"""Module calls during tracing: nodes of the graph record their module."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .. import _C
from .hooked_call import call_with_hooks

if TYPE_CHECKING:
    from ..export.module_calls import CallRecorder
    from .module import Module


Assignments = dict[tuple[int, str], tuple[str, int]]


class _Callers(threading.local):
    """The modules whose forward passes are running on this thread, innermost last."""

    def __init__(self) -> None:
        self.modules: list[Module] = []
        self.assignments: Assignments | None = None
        self.recorder: CallRecorder | None = None


_callers = _Callers()


def call_traced(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module and record its name in its parent as the path of its nodes."""
    callers = _callers.modules
    name = _name_in(callers[-1], module) if callers else ""
    outer = _C.set_module_path("")
    path = _join(outer, name)
    recorder = _callers.recorder
    entry = recorder.enter(path, outer, module) if recorder and callers else None
    _C.set_module_path(entry.fqn if entry else path)
    callers.append(module)
    try:
        if recorder is None or entry is None:
            return call_with_hooks(module, args, kwargs)
        recorder.note_arguments(entry, args, kwargs)
        result = call_with_hooks(module, args, kwargs)
        recorder.note_results(entry, module, (args, kwargs), result)
        return result
    finally:
        callers.pop()
        _C.set_module_path(outer)


def _join(outer: str, name: str) -> str:
    """Return the path of a module from that of the call which it is in (`n@1`)."""
    module = ".".join(part.partition("@")[0] for part in outer.split("."))
    return f"{module}.{name}" if module and name else name or module


def record_calls(recorder: CallRecorder | None) -> CallRecorder | None:
    """Record the module calls of a trace from now on; return the previous recorder."""
    before = _callers.recorder
    _callers.recorder = recorder
    return before


def watch_assignments(assignments: Assignments | None) -> Assignments | None:
    """Record the file and line of each attribute set from now on; return the previous recorder."""
    before = _callers.assignments
    _callers.assignments = assignments
    return before


def assignments() -> Assignments:
    """Return where attributes were set, by the id of the module and the name."""
    return _callers.assignments or {}


def note_assignment(module: Module, name: str) -> None:
    """Record the user's line, if recording is on."""
    if _callers.assignments is not None:
        _callers.assignments[id(module), name] = _C.user_line()


def _name_in(parent: Module, module: Module) -> str:
    """Return the path from a module to one that it holds, or the class name if it does not."""
    for name, child in parent._modules.items():
        if child is module:
            return name
    for name, each in parent.named_modules():
        if each is module:
            return name
    return type(module).__name__
