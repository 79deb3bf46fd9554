"""DLPack's names that are functions and classes of torch.utils.dlpack."""

import enum

from ._C import Tensor

# DLPack's numbers of device types.
DLDeviceType = enum.IntEnum(
    "DLDeviceType",
    {
        "kDLCPU": 1,
        "kDLCUDA": 2,
        "kDLCUDAHost": 3,
        "kDLOpenCL": 4,
        "kDLVulkan": 7,
        "kDLMetal": 8,
        "kDLVPI": 9,
        "kDLROCM": 10,
        "kDLROCMHost": 11,
        "kDLExtDev": 12,
        "kDLCUDAManaged": 13,
        "kDLOneAPI": 14,
        "kDLWebGPU": 15,
        "kDLHexagon": 16,
        "kDLMAIA": 17,
    },
)


def to_dlpack(tensor: Tensor) -> object:
    """Return a DLPack capsule over the memory of the tensor."""
    return tensor.__dlpack__()
