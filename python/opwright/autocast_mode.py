"""Automatic mixed precision: `opwright.autocast`."""

import functools
from collections.abc import Callable
from typing import Any

from . import _C
from ._C import get_autocast_dtype, is_autocast_enabled
from ._settings.autocast_setting import setting
from .grad_mode import decorate

__all__ = ["autocast", "get_autocast_dtype", "is_autocast_enabled"]


class autocast:  # noqa: N801 - PyTorch's name
    """Run matrix products and convolutions in a lower dtype, and precision-sensitive operators in
    float32.

    A context manager, and a decorator. It applies to float tensors of `device_type`, on the thread
    that enters it; the lower dtype is that of an enclosing autocast, or else bfloat16 on the CPU
    and float16 elsewhere. Tensors of float64 stay as they are. `enabled=False` disables an
    enclosing autocast. Casts of leaves that require grad are cached until the outermost autocast
    ends, unless `cache_enabled` is False; None means what `set_autocast_cache_enabled` set. The
    casts are recorded, so gradients have the dtype of their tensors.

    >>> import opwright as ow
    >>> x = ow.ones(2, 2)
    >>> with ow.autocast("cpu"):
    ...     y = x @ x
    ...     loss = ow.nn.functional.mse_loss(y, x)
    >>> y.dtype, loss.dtype
    (opwright.bfloat16, opwright.float32)
    """

    def __init__(
        self,
        device_type: str = "cpu",
        dtype: _C.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ):
        keeps_casts = setting.keeps_casts if cache_enabled is None else cache_enabled
        self._arguments = (device_type, dtype, enabled, keeps_casts)
        self._context = _C.AutocastContext(*self._arguments)

    def __enter__(self) -> "autocast":
        self._context.enter()
        return self

    def __exit__(self, *exception: object) -> None:
        self._context.leave()

    def __call__(self, function: Callable) -> Callable[..., Any]:
        return decorate(function, functools.partial(autocast, *self._arguments))
