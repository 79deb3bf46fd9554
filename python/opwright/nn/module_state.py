"""The state of a module: its tensors by path, saved and loaded, with hooks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from .. import Tensor
from .hook_registration import HookRegistration
from .hooks import NO_HOOKS, Hook, Hooks, RemovableHandle, add_hook
from .state import EXTRA_STATE, IncompatibleKeys, load_members, load_state

if TYPE_CHECKING:
    from .module import Module
    from .parameter import Parameter


def _nothing() -> None:
    pass


class ModuleState(HookRegistration):
    """state_dict and load_state_dict; a base class of Module."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    _state_dict_hooks: Hooks = NO_HOOKS
    _state_dict_pre_hooks: Hooks = NO_HOOKS
    _load_state_dict_pre_hooks: Hooks = NO_HOOKS
    _load_state_dict_post_hooks: Hooks = NO_HOOKS
    # Saved in the metadata of a state_dict: a class whose state changes raises it.
    _version: int = 1

    def _state_names(self) -> list[str]:
        """Return the names of this module's own tensors in its `state_dict`."""
        buffers = [name for name in self._buffers if name not in self._non_persistent_buffers_set]
        names = [*self._parameters, *buffers]
        return [name for name in names if getattr(self, name) is not None]

    # ---- Saving ----

    def state_dict(
        self,
        *,
        destination: dict[str, Tensor] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Tensor]:
        """Return all parameters and persistent buffers by path; they share memory with the module.

        >>> from opwright import nn
        >>> nn.Linear(2, 1).load_state_dict({"weight": ow.ones(1, 2), "bias": ow.zeros(1)})
        <All keys matched successfully>
        >>> list(nn.Linear(2, 1).state_dict())
        ['weight', 'bias']
        """
        module = cast("Module", self)
        state: Any = destination
        if state is None:
            state = OrderedDict()
            state._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(state, "_metadata"):
            state._metadata[prefix[:-1]] = metadata
        for hook in list(self._state_dict_pre_hooks.values()):
            hook.function(module, prefix, keep_vars)
        self._save_to_state_dict(state, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in list(self._state_dict_hooks.values()):
            if hook.function(module, state, prefix, metadata) is not None:
                raise RuntimeError("a state_dict post-hook must return None")
        return state

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        """Add this module's own state, without its children's; a class may add to it."""
        for name in self._state_names():
            tensor = getattr(self, name)
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not ModuleState.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """Return what `state_dict` saves besides tensors; a class defines it with set_extra_state.

        >>> from opwright import nn
        >>> class Named(nn.Module):
        ...     name = "first"
        ...
        ...     def get_extra_state(self):
        ...         return self.name
        ...
        ...     def set_extra_state(self, state):
        ...         self.name = state
        >>> Named().state_dict()["_extra_state"]
        'first'
        """
        raise RuntimeError(
            f"{type(self).__name__} has extra state to load, but no get_extra_state; define both "
            "get_extra_state and set_extra_state"
        )

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` returned; `load_state_dict` calls it."""
        raise RuntimeError(
            f"{type(self).__name__} has no set_extra_state; define both get_extra_state and "
            "set_extra_state"
        )

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before the module's state is collected.

        >>> from opwright import nn
        >>> layer = nn.Identity()
        >>> handle = layer.register_state_dict_pre_hook(lambda module, *_: print(module))
        >>> _ = layer.state_dict()
        Identity()
        """
        hooks = self._own_hooks("_state_dict_pre_hooks")
        return add_hook(hooks, Hook(hook), False, _nothing)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after the state is collected.

        >>> from opwright import nn
        >>> layer = nn.Identity()
        >>> def add(module, state, prefix, metadata):
        ...     state[prefix + "size"] = 2
        >>> handle = layer.register_state_dict_post_hook(add)
        >>> dict(layer.state_dict())
        {'size': 2}

        It changes `state_dict` in place and returns None.
        """
        hooks = self._own_hooks("_state_dict_hooks")
        return add_hook(hooks, Hook(hook), False, _nothing)

    # ---- Loading ----

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the tensors of `state_dict` into the module's; with `assign`, use them directly.

        >>> from opwright import nn
        >>> nn.Linear(2, 1).load_state_dict({"weight": ow.ones(3, 2), "scale": ow.zeros(1)})
        Traceback (most recent call last):
            ...
        RuntimeError: Error(s) in loading state_dict for Linear:
          Missing key(s) in state_dict: "bias".
          Unexpected key(s) in state_dict: "scale".
          size mismatch for weight: copying a param with shape [3, 2] from checkpoint, the shape in current model is [1, 2].

        On an error nothing changes, except that hooks may have run. If not `strict`, missing and
        unexpected keys are only returned.
        """  # noqa: E501
        return load_state(cast("Module", self), state_dict, strict=strict, assign=assign)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own state, without its children's; a class may convert an older one.

        Called by `load_state_dict`. The tensors are written at its end, if there was no error.
        """
        module = cast("Module", self)
        given = (
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )
        for hook in list(self._load_state_dict_pre_hooks.values()):
            if hook.with_module:
                hook.function(module, *given)
            else:
                hook.function(*given)
        load_members(module, *given)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)` before the module's own state is loaded.

        >>> from opwright import nn
        >>> layer = nn.Linear(1, 1, bias=False)
        >>> def rename(module, state, prefix, *_):
        ...     state[prefix + "weight"] = state.pop(prefix + "w")
        >>> handle = layer.register_load_state_dict_pre_hook(rename)
        >>> layer.load_state_dict({"w": ow.ones(1, 1)})
        <All keys matched successfully>
        """
        hooks = self._own_hooks("_load_state_dict_pre_hooks")
        return add_hook(hooks, Hook(hook), False, _nothing)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Add a hook as before, which gets the module only if `with_module`; for older code."""
        hooks = self._own_hooks("_load_state_dict_pre_hooks")
        return add_hook(hooks, Hook(hook, with_module=with_module), False, _nothing)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after the state of the module is loaded.

        The hook may change the lists of `incompatible_keys`; `strict` looks at them afterwards.

        >>> from opwright import nn
        >>> layer = nn.Linear(1, 1)
        >>> def ignore(module, keys):
        ...     keys.missing_keys.clear()
        >>> handle = layer.register_load_state_dict_post_hook(ignore)
        >>> layer.load_state_dict({"weight": ow.ones(1, 1)})
        <All keys matched successfully>
        """
        hooks = self._own_hooks("_load_state_dict_post_hooks")
        return add_hook(hooks, Hook(hook), False, _nothing)
