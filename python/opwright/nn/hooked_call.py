"""A module's forward pass between its hooks and those of all modules."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .backward_hooks import watch_backward
from .global_hooks import global_hooks
from .hooks import Hook

if TYPE_CHECKING:
    from .module import Module


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the forward pass of a module between its hooks."""
    waiting = {**global_hooks.forward, **module._forward_hooks}
    output = None
    try:
        pre_hooks = (*global_hooks.forward_pre.values(), *module._forward_pre_hooks.values())
        for hook in pre_hooks:
            args, kwargs = _run_pre_hook(hook, module, args, kwargs)
        watch = watch_backward(module)
        if watch is not None:
            args = watch.enter(args)
        output = module.forward(*args, **kwargs)
        for key, hook in (*global_hooks.forward.items(), *module._forward_hooks.items()):
            waiting.pop(key, None)
            output = _run_hook(hook, module, args, kwargs, output)
        if watch is not None:
            output = watch.leave(output)
    except Exception:
        for hook in waiting.values():
            if hook.always_call:
                _run_after_error(hook, module, args, kwargs, output)
        raise
    return output


def _run_pre_hook(
    hook: Hook, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if not hook.with_kwargs:
        changed = hook.function(module, args)
        if changed is None:
            return args, kwargs
        return changed if isinstance(changed, tuple) else (changed,), kwargs
    changed = hook.function(module, args, kwargs)
    if changed is None:
        return args, kwargs
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            "a forward pre-hook with kwargs must return None or the tuple (args, kwargs), "
            f"got {changed!r}"
        )
    return changed


def _run_hook(
    hook: Hook, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
) -> Any:
    given = (args, kwargs) if hook.with_kwargs else (args,)
    changed = hook.function(module, *given, output)
    return output if changed is None else changed


def _run_after_error(
    hook: Hook, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
) -> None:
    try:
        _run_hook(hook, module, args, kwargs, output)
    except Exception as error:
        warnings.warn(
            "a forward hook with always_call=True raised an exception that was silenced, as "
            f"another error was raised in forward: {error}",
            stacklevel=3,
        )
