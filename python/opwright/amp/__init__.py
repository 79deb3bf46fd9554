"""Mixed precision: autocast, and the scaling of losses in float16.

>>> import opwright as ow
>>> model = ow.nn.Linear(2, 1)
>>> optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
>>> scaler = ow.amp.GradScaler("cpu", init_scale=8.0)
>>> with ow.amp.autocast("cpu"):
...     loss = model(ow.ones(1, 2)).sum()
>>> scaler.scale(loss).backward()
>>> scaler.step(optimizer)
>>> scaler.update()
>>> scaler.get_scale()
8.0
"""

from .. import _C
from ..autocast_mode import autocast
from ..autograd.mixed_precision import custom_bwd, custom_fwd
from .grad_scaler import GradScaler, OptState

__all__ = [
    "GradScaler",
    "OptState",
    "autocast",
    "custom_bwd",
    "custom_fwd",
    "is_autocast_available",
]


def is_autocast_available(device_type: str) -> bool:
    """Return whether autocast works on a kind of device; its name must be that of a device.

    >>> is_autocast_available("cpu")
    True
    """
    name = _C.device(device_type).type
    return name == "cpu" or _C.device_count(name) > 0
