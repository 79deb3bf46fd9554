"""The common part of lazy modules: they become ordinary ones with the first input."""

from __future__ import annotations

from typing import Any

import opwright as ow

from ..module import Module
from ..parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin(Module):
    """A base class of modules whose parameters get their sizes with the first input.

    A subclass has parameters of the class UninitializedParameter, and `initialize_parameters`,
    which gets the inputs of the first call and materializes them. After it, the module becomes one
    of the class `cls_to_become`, if that is set.

    >>> from opwright import nn
    >>> class LazyScale(nn.lazy.LazyModuleMixin):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.UninitializedParameter()
    ...
    ...     def initialize_parameters(self, x):
    ...         self.factor.materialize(x.shape[-1:])
    ...         nn.init.ones_(self.factor)
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> scale = LazyScale()
    >>> scale(ow.ones(2, 3)).shape, scale.factor.shape
    ((2, 3), (3,))
    """

    cls_to_become: type[Module] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters for the inputs of the first call; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}: it has no initialize_parameters")

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer of this module has no sizes yet.

        >>> ow.nn.LazyLinear(2).has_uninitialized_params()
        True
        """
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        for name in self._state_names():
            tensor = getattr(self, name)
            is_kept = keep_vars or is_lazy(tensor)
            destination[prefix + name] = tensor if is_kept else tensor.detach()

    def _lazy_load_hook(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Give parameters the sizes of the tensors that will be loaded into them."""
        for name, tensor in [*self._parameters.items(), *self._buffers.items()]:
            loaded = state_dict.get(prefix + name)
            if is_lazy(tensor) and loaded is not None and not is_lazy(loaded):
                with ow.no_grad():
                    tensor.materialize(loaded.shape)

    def _infer_parameters(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(
                f"{type(module).__name__}: initialize_parameters left parameters without sizes"
            )
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
            module._raise_attribute_epoch()
