"""torch.utils.module_tracker: which modules run, forward or backward."""

import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any

import opwright as ow
from opwright import _C, nn, pytree
from opwright.autograd.graph import register_multi_grad_hook
from opwright.compat._absent import absent

__all__ = ["ModuleTracker"]

__getattr__ = absent(__name__)


class ModuleTracker:
    """While it is entered, `parents` has the names of the modules that run, and "Global".

    A name is the class of the outermost module and the path from it. The backward of a module runs
    from the gradients of its outputs to those of its inputs, or to the end of the backward pass.

    >>> import opwright.compat.torch as torch
    >>> from opwright.compat.torch.utils.module_tracker import ModuleTracker
    >>> class Show(torch.nn.Module):
    ...     def forward(self, x):
    ...         print(sorted(tracker.parents))
    ...         return x
    >>> with ModuleTracker() as tracker:
    ...     _ = torch.nn.Sequential(Show())(torch.ones(2))
    ['Global', 'Sequential', 'Sequential.0']
    >>> tracker.parents
    {'Global'}
    """

    def __init__(self) -> None:
        self._parents = {"Global"}
        self._names: weakref.WeakKeyDictionary[nn.Module, str] = weakref.WeakKeyDictionary()
        self._named: weakref.WeakSet[nn.Module] = weakref.WeakSet()  # and so are their children
        self._backward = 0  # the one that added to the parents; 0: none
        self._handles: list[Any] = []

    @property
    def parents(self) -> set[str]:
        """The names of the modules that run, and "Global"."""
        if self._backward not in (0, _C.current_backward()):
            self._backward = 0
            self._parents = {"Global"}
        return self._parents

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass runs."""
        return _C.current_backward() != 0

    def _name_of(self, module: nn.Module) -> str:
        name = self._names.setdefault(module, type(module).__name__)
        if module not in self._named:
            self._named.add(module)
            for child_name, child in module.named_children():
                self._names[child] = f"{name}.{child_name}"
                self._name_of(child)
        return name

    def _watch(self, values: object, change: Callable[[object], None]) -> None:
        """Call `change` when a backward has the gradients of all tensors among the values."""
        leaves = pytree.tree_leaves(values)
        tensors = [each for each in leaves if isinstance(each, ow.Tensor) and each.requires_grad]
        if tensors:
            self._handles.append(register_multi_grad_hook(tensors, change))

    def _enter_module(self, module: nn.Module, args: object) -> None:
        name = self._name_of(module)
        self.parents.add(name)
        self._watch(args, lambda _: self.parents.discard(name))

    def _leave_module(self, module: nn.Module, args: object, output: object) -> None:
        name = self._name_of(module)

        def enter_backward(_: object) -> None:
            parents = self.parents
            self._backward = _C.current_backward()
            parents.add(name)

        self.parents.discard(name)
        self._watch(output, enter_backward)

    def __enter__(self) -> "ModuleTracker":
        self._handles += [
            nn.global_hooks.register_module_forward_pre_hook(self._enter_module),
            nn.global_hooks.register_module_forward_hook(self._leave_module),
        ]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
