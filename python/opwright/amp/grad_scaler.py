"""The scaling of losses, so that small gradients in float16 do not become zero."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Iterable
from typing import Any

import opwright as ow

from .. import Tensor
from ..optim import Optimizer

__all__ = ["GradScaler", "OptState"]


class OptState(enum.Enum):
    """What happened to an optimizer since the last `GradScaler.update`.

    >>> OptState.READY.value
    0
    """

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _OptimizerState:
    """The stage of one optimizer, and whether its gradients are finite, by device."""

    def __init__(self) -> None:
        self.stage = OptState.READY
        self.found_inf: dict[ow.device, Tensor] = {}


class GradScaler:
    """Scales losses up and gradients down, and skips steps whose gradients are not finite.

    The scale grows by `growth_factor` after `growth_interval` steps without infinities and shrinks
    by `backoff_factor` after one with them.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.ones(1))
    >>> optimizer = ow.optim.SGD([weight], lr=1.0)
    >>> scaler = ow.amp.GradScaler("cpu", init_scale=4.0)
    >>> scaler.scale((weight * float("inf")).sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> weight.tolist(), scaler.get_scale()
    ([1.0], 2.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda" and not ow.is_available("cuda"):
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=2,
            )
            self._enabled = False
        if growth_factor <= 1.0 and self._enabled:
            raise AssertionError(f"GradScaler: growth_factor must be above 1, got {growth_factor}")
        if backoff_factor >= 1.0 and self._enabled:
            raise AssertionError(
                f"GradScaler: backoff_factor must be below 1, got {backoff_factor}"
            )
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._states: dict[int, _OptimizerState] = {}
        self._is_used = False

    def _check_used(self, method: str) -> None:
        if not self._is_used:
            raise AssertionError(
                f"GradScaler.{method} was called before scale(); call scaler.scale(loss).backward()"
            )

    def scale(self, outputs: Any) -> Any:
        """Return a loss, or an iterable of losses, times the scale.

        >>> import opwright as ow
        >>> ow.amp.GradScaler("cpu", init_scale=4.0).scale(ow.tensor(2.0))
        tensor(8.)
        """
        if not self._enabled:
            return outputs
        self._is_used = True
        if isinstance(outputs, Tensor):
            return outputs * ow.tensor(self._scale, device=outputs.device)
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("scale: outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer by the scale, e.g. to clip them before `step`.

        >>> import opwright as ow
        >>> weight = ow.nn.Parameter(ow.ones(1))
        >>> scaler = ow.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.scale(weight.sum()).backward()
        >>> scaler.unscale_(ow.optim.SGD([weight]))
        >>> weight.grad
        tensor([1.])
        """
        if not self._enabled:
            return
        self._check_used("unscale_")
        state = self._state_of(optimizer)
        if state.stage is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state.stage is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        with ow.no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._unscale(parameter.grad.detach(), state)
        state.stage = OptState.UNSCALED

    def _unscale(self, grad: Tensor, state: _OptimizerState) -> None:
        if grad.dtype is ow.float16:
            raise ValueError(
                "GradScaler: Attempting to unscale FP16 gradients. Keep the parameters in float32 "
                "and use autocast"
            )
        is_finite = ((grad - grad) == 0).all()
        found = (~is_finite).float()
        before = state.found_inf.get(grad.device)
        state.found_inf[grad.device] = found if before is None else before.maximum(found)
        grad.mul_(1.0 / self._scale)

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Unscale the gradients, if `unscale_` did not, and step if all of them are finite.

        >>> import opwright as ow
        >>> weight = ow.nn.Parameter(ow.ones(1))
        >>> optimizer = ow.optim.SGD([weight], lr=0.5)
        >>> scaler = ow.amp.GradScaler("cpu")
        >>> scaler.scale(weight.sum()).backward()
        >>> scaler.step(optimizer)
        >>> weight.tolist()
        [0.5]
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if args or "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_used("step")
        state = self._state_of(optimizer)
        if state.stage is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state.stage is OptState.READY:
            self.unscale_(optimizer)
        if not state.found_inf:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None
        if not any(bool(found) for found in state.found_inf.values()):
            result = optimizer.step(*args, **kwargs)
        state.stage = OptState.STEPPED
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Adapt the scale to what the last steps found, or set it; call it once an iteration.

        >>> import opwright as ow
        >>> scaler = ow.amp.GradScaler("cpu")
        >>> _ = scaler.scale(ow.ones(1))
        >>> scaler.update(new_scale=16.0)
        >>> scaler.get_scale()
        16.0
        """
        if not self._enabled:
            return
        self._check_used("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        else:
            found = [each for state in self._states.values() for each in state.found_inf.values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(any(bool(each) for each in found))
        self._states = {}

    def _adapt(self, found_inf: bool) -> None:
        if found_inf:
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = ow.tensor(self._scale * self._growth_factor)
            if not bool(grown.isinf()):  # the scale stays a float32 number
                self._scale = grown.item()
            self._growth_tracker = 0

    def _state_of(self, optimizer: Optimizer) -> _OptimizerState:
        return self._states.setdefault(id(optimizer), _OptimizerState())

    # ---- Settings and state ----

    def is_enabled(self) -> bool:
        """Return whether it scales."""
        return self._enabled

    def get_scale(self) -> float:
        """Return the scale; 1 if it is disabled."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return by how much the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set by how much the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return by how much the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set by how much the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return after how many steps without infinities the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps without infinities the scale grows."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """Return the scale and the settings; empty if it is disabled.

        >>> import opwright as ow
        >>> ow.amp.GradScaler("cpu", init_scale=4.0).state_dict()["scale"]
        4.0
        """
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a `state_dict` of an enabled scaler.

        >>> import opwright as ow
        >>> scaler = ow.amp.GradScaler("cpu")
        >>> scaler.load_state_dict(ow.amp.GradScaler("cpu", init_scale=4.0).state_dict())
        >>> scaler.get_scale()
        4.0
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "GradScaler: the state dict is empty, possibly because it was saved from a "
                "disabled GradScaler"
            )
        self._scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
