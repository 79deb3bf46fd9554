"""torch.utils.dlpack: tensors as DLPack capsules."""

from opwright import from_dlpack
from opwright._dlpack import DLDeviceType, to_dlpack
from opwright.compat._absent import absent

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

__getattr__ = absent(__name__)
