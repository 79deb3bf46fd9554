"""The module being exported: its tensors by path, and what its forward pass changed.

A forward pass may set buffers (`self.cache = new`), counters, lists. The program writes what it
sets a buffer to; everything else is restored.
"""

import warnings
from collections.abc import Iterator
from typing import Any

from .. import _C, nn, pytree
from ..nn import traced_call
from ..nn.module import HOOKS, MEMBERS


class ModuleState:
    """A module while it is exported; leaving it restores everything.

    With `warns`, a tensor that is set as an attribute is lost with a warning, as in PyTorch.
    """

    def __init__(self, module: nn.Module, warns: bool = False):
        self._module = module
        self._warns = warns
        self._lost: list[str] = []
        self.same_constants: dict[str, str] = {}  # other paths of a constant, with its first one
        self._paths = {id(each): path for path, each in module.named_modules()}
        self._saved = [_SavedModule(each) for each in module.modules()]

    def __enter__(self) -> "ModuleState":
        self._outer = traced_call.watch_assignments({})
        return self

    def __exit__(self, *error: object) -> None:
        traced_call.watch_assignments(self._outer)
        for saved in self._saved:
            saved.restore()

    def add_to(self, session: _C.ExportSession) -> None:
        """Add parameters and buffers under their paths."""
        for name, parameter in self._module.named_parameters(remove_duplicate=False):
            session.add_state(name, parameter, True, True)
        left_out = {
            self._path(each, name)
            for each in self._module.modules()
            for name in each._non_persistent_buffers_set
        }
        for name, buffer in self._module.named_buffers(remove_duplicate=False):
            session.add_state(name, buffer, False, name not in left_out)

        first: dict[int, str] = {}
        for saved in self._saved:
            for name, tensor in saved.plain_tensors():
                path = self._path(saved.module, name)
                session.name_constant(tensor, path)
                if (known := first.setdefault(id(tensor), path)) != path:
                    self.same_constants[path] = known

    def write_buffers(self) -> None:
        """Write the tensors that buffers were set to into the buffers themselves."""
        self._lost = []
        for saved in self._saved:
            self._refuse_changes(saved)
        self._warn_of_lost()
        changed = [(saved, name) for saved in self._saved for name in saved.changed_buffers()]
        pairs = [(saved.buffers[name], self._new_value(saved, name)) for saved, name in changed]
        known = {id(buffer) for saved in self._saved for buffer in saved.buffers.values()}
        if len(pairs) > 1:  # one may be another's old value, or a view of it
            pairs = [
                (old, new.clone() if id(new) in known or new._is_view() else new)
                for old, new in pairs
            ]
        for old, new in pairs:
            old.copy_(new)

    def _new_value(self, saved: "_SavedModule", name: str) -> _C.Tensor:
        """Return the new value of a buffer, which must fit into the buffer."""
        old, new = saved.buffers[name], saved.module._buffers.get(name)
        path = self._path(saved.module, name)
        if old is None or new is None or new.dtype != old.dtype or not _same_sizes(old, new):
            raise ValueError(
                f"export: the buffer '{path}' is {_describe(old)} and was set to {_describe(new)}"
                f"{self._line(saved.module, name)}; a buffer of a program keeps its dtype and "
                "sizes, so return the new tensor instead, or make the buffer large enough before"
            )
        return new

    def _refuse_changes(self, saved: "_SavedModule") -> None:
        """Reject tensors in attributes that are not buffers: the program could not keep them."""
        module = saved.module
        for name in saved.changed_parameters():
            raise ValueError(
                f"export: the parameter '{self._path(module, name)}' was replaced"
                f"{self._line(module, name)}; a program can write to a parameter, not replace it"
            )
        for name in [name for name in module._buffers if name not in saved.buffers]:
            self._refuse_attribute(module, name)
        for name, places in saved.changed_attributes().items():
            if self._warns:
                self._lost += [f"self.{self._path(module, name)}{place}" for place in places]
            else:
                self._refuse_attribute(module, name)

    def _warn_of_lost(self) -> None:
        if not self._lost:
            return
        noun, verb = ("attribute", "was") if len(self._lost) == 1 else ("attributes", "were")
        warnings.warn(
            f"The tensor {noun} {', '.join(self._lost)} {verb} assigned during export. Such "
            "attributes must be registered as buffers using the `register_buffer` API "
            "(https://pytorch.org/docs/stable/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_buffer).",
            stacklevel=2,
        )

    def _refuse_attribute(self, module: nn.Module, name: str) -> None:
        raise ValueError(
            f"export: the attribute '{self._path(module, name)}' was set to a tensor"
            f"{self._line(module, name)}, which the program could not keep; make it a buffer with "
            f'register_buffer("{name}", ...) before, or return the tensor'
        )

    def _path(self, module: nn.Module, name: str) -> str:
        path = self._paths[id(module)]
        return f"{path}.{name}" if path else name

    def _line(self, module: nn.Module, name: str) -> str:
        file, line = traced_call.assignments().get((id(module), name), ("", 0))
        return f" at {file}:{line}" if file else ""


class _SavedModule:
    """The contents of a module, including the lists and dicts in it."""

    def __init__(self, module: nn.Module):
        self.module = module
        self.buffers = dict(module._buffers)
        self._leaves = {name: _leaves(each) for name, each in self._plain().items()}
        self._contents = [(each, each.copy()) for each in _containers(module.__dict__, set())]

    def plain_tensors(self) -> Iterator[tuple[str, _C.Tensor]]:
        for name, value in self._plain().items():
            if isinstance(value, _C.Tensor):
                yield name, value

    def changed_buffers(self) -> list[str]:
        now = self.module._buffers
        return [name for name, before in self.buffers.items() if now.get(name) is not before]

    def changed_parameters(self) -> list[str]:
        before = next(copy for each, copy in self._contents if each is self.module._parameters)
        now = self.module._parameters
        return [name for name in {**before, **now} if now.get(name) is not before.get(name)]

    def changed_attributes(self) -> dict[str, list[str]]:
        """Return the attributes that hold new tensors, with the places of these in them."""
        changed: dict[str, list[str]] = {}
        for name, now in self._plain().items():
            before = {id(leaf) for leaf in self._leaves.get(name, ())}
            for index, leaf in enumerate(_leaves(now)):
                if isinstance(leaf, _C.Tensor) and id(leaf) not in before:
                    place = pytree.tree_structure(now).leaf_path(index, "")
                    changed.setdefault(name, []).append(place)
        return changed

    def restore(self) -> None:
        for container, before in self._contents:
            container.clear()
            (container.extend if isinstance(container, list) else container.update)(before)

    def _plain(self) -> dict[str, Any]:
        """Return the attributes that are not parameters, buffers, modules or hooks."""
        own = self.module.__dict__.items()
        return {name: value for name, value in own if name not in (*MEMBERS, *HOOKS)}


def _leaves(value: Any) -> list[Any]:
    try:
        return pytree.tree_leaves(value)
    except RecursionError:  # it contains itself
        return []


def _containers(value: Any, seen: set[int]) -> Iterator[Any]:
    """Yield a list, dict or set and those nested in it."""
    if not isinstance(value, (list, dict, set)) or id(value) in seen:
        return
    seen.add(id(value))
    yield value
    if isinstance(value, set):
        return
    for each in value.values() if isinstance(value, dict) else value:
        yield from _containers(each, seen)


def _same_sizes(old: _C.Tensor, new: _C.Tensor) -> bool:
    """Compare without evaluating symbols: a dynamic size is not the same."""
    return len(old.shape) == len(new.shape) and all(
        isinstance(size, int) and size == before
        for size, before in zip(new.shape, old.shape, strict=True)
    )


def _describe(tensor: _C.Tensor | None) -> str:
    if tensor is None:
        return "None"
    dtype = str(tensor.dtype).removeprefix("opwright.")
    return f"{dtype}[{', '.join(map(str, tensor.shape))}]"
