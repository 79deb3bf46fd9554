"""Module calls of an exported function: which module called which, and with what.

A call has a path of its own: that of the module, and `@1`, `@2`, ... for later calls of the same
module. The nodes that it recorded have this path as their `module_path`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .. import _C, nn, pytree


@dataclass
class Leaf:
    """A leaf of arguments or results: a value of the graph by its name, or a constant."""

    value: str | None
    constant: Any = None


@dataclass
class ModuleCallSignature:
    """The arguments `(args, kwargs)` and results of a module call, flattened, with their structure.

    `after` has the values of the arguments after the call, and `buffers` those of the module's
    buffers, in case it wrote to them.
    """

    inputs: list[Leaf]
    in_spec: _C.TreeSpec
    outputs: list[Leaf] = field(default_factory=list)
    out_spec: _C.TreeSpec | None = None
    after: list[Leaf] = field(default_factory=list)
    buffers: dict[str, Leaf] = field(default_factory=dict)


@dataclass
class ModuleCallEntry:
    """A module call: its path, the path of the call that it was made in, and its signature.

    >>> from opwright.export import export
    >>> model = ow.nn.Sequential(ow.nn.ReLU())
    >>> program = export(model, (ow.ones(2),), preserve_module_call_signature=("0",))
    >>> [(call.fqn, call.caller, call.signature is not None) for call in program.module_call_graph]
    [('', '', False), ('0', '', True)]
    """

    fqn: str
    caller: str = ""
    signature: ModuleCallSignature | None = None
    type_name: str = ""


class CallRecorder:
    """Records the module calls of an export; the calls of modules in `preserved` with arguments."""

    def __init__(self, session: _C.ExportSession, preserved: Iterable[str]):
        self._session = session
        self._preserved = set(preserved)
        self._counts: Counter[str] = Counter()
        self.entries: list[ModuleCallEntry] = []
        self.annotations: list[tuple[int, int, dict[str, Any]]] = []

    def position(self) -> int:
        """Return a number that is above those of the nodes so far, and not above later ones'."""
        return self._session.position

    def enter(self, path: str, caller: str, module: nn.Module) -> ModuleCallEntry:
        """Start a call of the module at `path`; the entry has the path of the call."""
        count = self._counts[path]
        self._counts[path] += 1
        fqn = f"{path}@{count}" if count else path
        entry = ModuleCallEntry(fqn, caller, type_name=class_path(module))
        self.entries.append(entry)
        return entry

    def note_arguments(self, entry: ModuleCallEntry, args: tuple, kwargs: dict[str, Any]) -> None:
        """Note the arguments of a call whose signature is preserved."""
        if module_path(entry.fqn) in self._preserved:
            leaves, spec = pytree.tree_flatten((args, kwargs))
            entry.signature = ModuleCallSignature([*map(self._note, leaves)], spec)

    def note_results(
        self,
        entry: ModuleCallEntry,
        module: nn.Module,
        call: tuple[tuple, dict[str, Any]],
        result: Any,
    ) -> None:
        """Note the results, and what the call may have written."""
        signature = entry.signature
        if signature is None:
            return
        leaves, signature.out_spec = pytree.tree_flatten(result)
        signature.outputs = [*map(self._note, leaves)]
        signature.after = [*map(self._note, pytree.tree_leaves(call))]
        signature.buffers = {name: self._note(each) for name, each in module.named_buffers()}

    def finish(self) -> list[ModuleCallEntry]:
        """Return the calls, with the names that values have in the finished graph."""
        names = self._session.noted_values
        for entry in self.entries:
            if (signature := entry.signature) is not None:
                noted = [*signature.inputs, *signature.outputs, *signature.after]
                for leaf in [*noted, *signature.buffers.values()]:
                    if leaf.value is not None:
                        leaf.value = names[int(leaf.value)]
        return self.entries

    def _note(self, leaf: Any) -> Leaf:
        if not isinstance(leaf, _C.Tensor):
            return Leaf(None, leaf)
        return Leaf(str(self._session.note_value(leaf)))


def class_path(module: object) -> str:
    """Return the qualified name of a module's class; of a program, that of what was exported."""
    known = getattr(module, "_exported_type", "")
    return known or f"{type(module).__module__}.{type(module).__qualname__}"


def module_path(fqn: str) -> str:
    """Return the path of the module of a call: `n` for `n@1`."""
    return fqn.partition("@")[0]
