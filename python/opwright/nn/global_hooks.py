"""Hooks of all modules: called for every module, before the module's own."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .hooks import Hook, Hooks, RemovableHandle, add_hook

if TYPE_CHECKING:
    from .module import Module

__all__ = [
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


class GlobalHooks:
    """The registered hooks, and whether a call must look at them."""

    def __init__(self) -> None:
        self.forward_pre: Hooks = OrderedDict()
        self.forward: Hooks = OrderedDict()
        self.backward_pre: Hooks = OrderedDict()
        self.backward: Hooks = OrderedDict()
        self.registration: dict[str, Hooks] = {
            "parameter": OrderedDict(),
            "buffer": OrderedDict(),
            "module": OrderedDict(),
        }
        self.concern_calls = False

    def add(self, hooks: Hooks, hook: Hook) -> RemovableHandle:
        return add_hook(hooks, hook, False, self._changed)

    def clear(self) -> None:
        """Remove all hooks."""
        kinds = (self.forward_pre, self.forward, self.backward_pre, self.backward)
        for hooks in (*kinds, *self.registration.values()):
            hooks.clear()
        self._changed()

    def _changed(self) -> None:
        self.concern_calls = bool(
            self.forward_pre or self.forward or self.backward_pre or self.backward
        )

    def registered(self, kind: str, module: Module, name: str, value: Any) -> Any:
        """Run the hooks of a parameter, buffer or module that is assigned; return what to use."""
        for hook in list(self.registration[kind].values()):
            other = hook.function(module, name, value)
            value = value if other is None else other
        return value


global_hooks = GlobalHooks()


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, args)` before the forward pass of every module.

    >>> from opwright import nn
    >>> def show(module, args):
    ...     print(type(module).__name__)
    >>> with nn.global_hooks.register_module_forward_pre_hook(show):
    ...     _ = nn.Sequential(nn.Identity())(ow.zeros(2))
    Sequential
    Identity
    """
    return global_hooks.add(global_hooks.forward_pre, Hook(hook))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the forward pass of every module.

    >>> from opwright import nn
    >>> def double(module, args, output):
    ...     return output * 2
    >>> with nn.global_hooks.register_module_forward_hook(double):
    ...     nn.Identity()(ow.ones(2))
    tensor([2., 2.])
    """
    return global_hooks.add(global_hooks.forward, Hook(hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the backward of every module.

    `Module.register_full_backward_pre_hook` describes the hook.

    >>> from opwright import nn
    >>> x = ow.ones(2, requires_grad=True)
    >>> def double(module, grad_output):
    ...     return (grad_output[0] * 2,)
    >>> with nn.global_hooks.register_module_full_backward_pre_hook(double):
    ...     nn.Identity()(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """
    return global_hooks.add(global_hooks.backward_pre, Hook(hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` after the backward of every module.

    `Module.register_full_backward_hook` describes the hook.

    >>> from opwright import nn
    >>> x = ow.ones(2, requires_grad=True)
    >>> def double(module, grad_input, grad_output):
    ...     return (grad_input[0] * 2,)
    >>> with nn.global_hooks.register_module_full_backward_hook(double):
    ...     nn.Identity()(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """
    return global_hooks.add(global_hooks.backward, Hook(hook, is_full=True))


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` at the last node of every module.

    `Module.register_backward_hook` describes the hook; prefer the full one.

    >>> from opwright import nn
    >>> x = ow.ones(2, requires_grad=True)
    >>> def double(module, grad_input, grad_output):
    ...     return (grad_input[0] * 2,)
    >>> with nn.global_hooks.register_module_backward_hook(double):
    ...     nn.ReLU()(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """
    return global_hooks.add(global_hooks.backward, Hook(hook, is_full=False))


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` for each parameter of a module; it may return another.

    >>> from opwright import nn
    >>> def show(module, name, parameter):
    ...     print(name, parameter.shape)
    >>> with nn.global_hooks.register_module_parameter_registration_hook(show):
    ...     _ = nn.Linear(2, 1, bias=False)
    weight (1, 2)
    """
    return global_hooks.add(global_hooks.registration["parameter"], Hook(hook))


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` for each buffer of a module; it may return another.

    >>> from opwright import nn
    >>> def show(module, name, buffer):
    ...     print(name)
    >>> with nn.global_hooks.register_module_buffer_registration_hook(show):
    ...     nn.Module().register_buffer("mean", ow.zeros(2))
    mean
    """
    return global_hooks.add(global_hooks.registration["buffer"], Hook(hook))


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, child)` for each module in a module; it may return another.

    >>> from opwright import nn
    >>> def show(module, name, child):
    ...     print(name, child)
    >>> with nn.global_hooks.register_module_module_registration_hook(show):
    ...     _ = nn.Sequential(nn.Identity())
    0 Identity()
    """
    return global_hooks.add(global_hooks.registration["module"], Hook(hook))
