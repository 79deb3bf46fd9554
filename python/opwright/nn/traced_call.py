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
        self.called: list[list[Module]] = []  # by each of them, so far
        self.assignments: Assignments | None = None
        self.recorder: CallRecorder | None = None
        self.names_read: dict[tuple[int, int], str] = {}  # last, by the ids of parent and child
        self.is_foreign = False  # in a module that no module of the program holds


_callers = _Callers()
_lock = threading.Lock()
num_recorders = 0  # on all threads


def call_traced(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module and record its name in its parent as the path of its nodes."""
    if _callers.is_foreign:
        return call_with_hooks(module, args, kwargs)
    callers = _callers.modules
    name = _name_in(callers[-1], module, _callers.called[-1]) if callers else ""
    recorder = _callers.recorder
    if recorder and name is None:
        return _call_foreign(module, args, kwargs)
    outer = _C.set_module_path("")
    path = _join(outer, name if name is not None else type(module).__name__)
    entry = recorder.enter(path, outer, module) if recorder and callers else None
    _C.set_module_path(entry.fqn if entry else path)
    if callers:
        _callers.called[-1].append(module)
    callers.append(module)
    _callers.called.append([])
    try:
        if recorder is None or entry is None:
            return call_with_hooks(module, args, kwargs)
        recorder.note_arguments(entry, args, kwargs)
        result = call_with_hooks(module, args, kwargs)
        recorder.note_results(entry, module, (args, kwargs), result)
        return result
    finally:
        callers.pop()
        _callers.called.pop()
        _C.set_module_path(outer)


def _call_foreign(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module that no module of the program holds: its calls are those of its caller."""
    _callers.is_foreign = True
    try:
        return call_with_hooks(module, args, kwargs)
    finally:
        _callers.is_foreign = False


def _join(outer: str, name: str) -> str:
    """Return the path of a module from that of the call which it is in (`n@1`)."""
    module = ".".join(part.partition("@")[0] for part in outer.split("."))
    return f"{module}.{name}" if module and name else name or module


def record_calls(recorder: CallRecorder | None) -> CallRecorder | None:
    """Record the module calls of a trace from now on; return the previous recorder."""
    global num_recorders
    before = _callers.recorder
    _callers.recorder = recorder
    _callers.names_read.clear()
    with _lock:
        num_recorders += (recorder is not None) - (before is not None)
    return before


def current_recorder() -> CallRecorder | None:
    """Return the recorder of the export that runs on this thread."""
    return _callers.recorder


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


def note_name(parent: Module, name: str, child: Module | None) -> None:
    """Record under which of its names a child was read last, if module calls are recorded."""
    if _callers.recorder is not None and child is not None:
        _callers.names_read[id(parent), id(child)] = name


def _name_in(parent: Module, module: Module, called: list[Module]) -> str | None:
    """Return the path from a module to one that it holds, or None if it does not.

    A parent may hold one module under several names. A Sequential calls them in their order; with
    another parent it is the name that was read last.
    """
    names = [name for name, child in parent._modules.items() if child is module]
    if len(names) > 1 and getattr(type(parent).forward, "calls_in_order", False):
        return names[min(sum(each is module for each in called), len(names) - 1)]
    if names:
        read = _callers.names_read.get((id(parent), id(module)))
        return read if read in names else names[0]
    for name, each in parent.named_modules():
        if each is module:
            return name
    return None
