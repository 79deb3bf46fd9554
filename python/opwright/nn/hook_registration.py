"""The methods that add hooks to a module's calls."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .hooks import NO_HOOKS, Hook, Hooks, RemovableHandle, add_hook


class HookRegistration:
    """Hooks of one module; a base class of Module."""

    # A module has its own of each once a hook was added.
    _forward_hooks: Hooks = NO_HOOKS
    _forward_pre_hooks: Hooks = NO_HOOKS
    _backward_hooks: Hooks = NO_HOOKS
    _backward_pre_hooks: Hooks = NO_HOOKS
    _has_call_hooks: bool  # set by Module.__init__

    def _raise_attribute_epoch(self) -> None:
        raise NotImplementedError

    def _own_hooks(self, name: str) -> Hooks:
        """Return this module's own dict of hooks."""
        return self.__dict__.setdefault(name, OrderedDict())

    def _call_hooks_changed(self) -> None:
        self.__dict__["_has_call_hooks"] = bool(
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
        )
        self._raise_attribute_epoch()

    def register_forward_pre_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward pass; its result, if any, replaces `args`.

        >>> from opwright import nn
        >>> layer = nn.Identity()
        >>> handle = layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        >>> layer(ow.zeros(2))
        tensor([1., 1.])
        >>> handle.remove()

        With `with_kwargs` it also gets the keyword arguments, and returns both or None.
        """
        hooks = self._own_hooks("_forward_pre_hooks")
        return add_hook(hooks, Hook(hook, with_kwargs), prepend, self._call_hooks_changed)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward pass; its result replaces `output`.

        >>> from opwright import nn
        >>> layer = nn.Identity()
        >>> handle = layer.register_forward_hook(lambda module, args, output: print(output.shape))
        >>> _ = layer(ow.zeros(2, 3))
        (2, 3)
        """
        hooks = self._own_hooks("_forward_hooks")
        new = Hook(hook, with_kwargs, always_call)
        return add_hook(hooks, new, prepend, self._call_hooks_changed)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the backward of this module.

        `grad_output` has a gradient, or None, for each output; what the hook returns, unless None,
        replaces it.

        >>> from opwright import nn
        >>> layer = nn.Identity()
        >>> handle = layer.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 2,))
        >>> x = ow.ones(2, requires_grad=True)
        >>> layer(x).sum().backward()
        >>> x.grad
        tensor([2., 2.])
        """
        hooks = self._own_hooks("_backward_pre_hooks")
        return add_hook(hooks, Hook(hook), prepend, self._call_hooks_changed)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` once the gradients of the inputs are known.

        Both are tuples with a gradient, or None, for each positional argument and each output; what
        the hook returns, unless None, replaces `grad_input`.

        >>> from opwright import nn
        >>> layer = nn.ReLU()
        >>> def show(module, grad_input, grad_output):
        ...     print(grad_input, grad_output)
        >>> handle = layer.register_full_backward_hook(show)
        >>> layer(ow.tensor([-1.0, 2.0], requires_grad=True)).sum().backward()
        (tensor([0., 1.]),) (tensor([1., 1.]),)

        The inputs and outputs of a module with such a hook cannot be modified in place.
        """
        self._check_kind_of_backward_hooks(is_full=True)
        hooks = self._own_hooks("_backward_hooks")
        return add_hook(hooks, Hook(hook, is_full=True), prepend, self._call_hooks_changed)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` at the node of the module's first output.

        If forward calls several operators, these are the gradients of the last one only: use
        `register_full_backward_hook`. PyTorch keeps this one for older code.

        >>> from opwright import nn
        >>> layer = nn.ReLU()
        >>> handle = layer.register_backward_hook(lambda module, given, got: print(len(given)))
        >>> layer(ow.ones(2, requires_grad=True)).sum().backward()
        1
        """
        self._check_kind_of_backward_hooks(is_full=False)
        hooks = self._own_hooks("_backward_hooks")
        return add_hook(hooks, Hook(hook, is_full=False), False, self._call_hooks_changed)

    def _check_kind_of_backward_hooks(self, is_full: bool) -> None:
        if any(hook.is_full != is_full for hook in self._backward_hooks.values()):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module"
            )
