"""torch.cuda.amp: mixed precision on CUDA devices, under the names before torch.amp."""

import warnings

import opwright as _opwright
from opwright import amp as _amp
from opwright.compat._absent import absent

__all__ = ["GradScaler", "autocast"]


def _warn(name: str, arguments: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use "
        f"`torch.amp.{name}('cuda', {arguments})` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(_amp.autocast):  # noqa: N801 - PyTorch's name
    """`torch.amp.autocast` for CUDA devices, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     context = autocast(enabled=False)
    """

    def __init__(
        self,
        enabled: bool = True,
        dtype: "_opwright.dtype | None" = None,
        cache_enabled: bool = True,
    ) -> None:
        _warn("autocast", "args...")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_amp.GradScaler):
    """`torch.amp.GradScaler` for CUDA devices, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     GradScaler(enabled=False).is_enabled()
    False
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler", "args...")
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )


__getattr__ = absent(__name__)
