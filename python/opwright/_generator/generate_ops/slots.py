"""Dispatch keys: which slot of an operator's row each names."""

FAKE = "Fake"
ALL_DEVICES = "AllDevices"  # a kernel for each device without its own
COMPOSITE = "CompositeImplicitAutograd"
DECOMPOSE = "Decompose"
SCATTER = "Scatter"
VMAP = "Vmap"
# Slots that do not belong to a device, under each of their names.
BODIES = {
    FAKE: FAKE,
    "Meta": FAKE,
    "CompositeExplicitAutograd": "CompositeExplicitAutograd",
    COMPOSITE: COMPOSITE,
    "Composite": COMPOSITE,
}
# The devices of kDeviceNames (include/opwright/device.h) that have memory, by their keys.
DEVICE_KEYS = {
    "CPU": "cpu",
    "CUDA": "cuda",
    "OpenCL": "opencl",
    "Vulkan": "vulkan",
    "MPS": "mps",
    "ROCM": "rocm",
    "XPU": "xpu",
    "PrivateUse1": "privateuse1",
    "XLA": "xla",
    "IPU": "ipu",
    "HPU": "hpu",
}


def known_slots(devices: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the slot of each dispatch key; `devices` are those that a plug-in adds.

    >>> known_slots(("npu",))["NPU"]
    'NPU'
    >>> known_slots()["Meta"]
    'Fake'
    """
    added = {device.upper(): device.upper() for device in devices}
    return {**{key: key for key in DEVICE_KEYS}, **added, ALL_DEVICES: ALL_DEVICES, **BODIES}


def is_device(slot: str) -> bool:
    return slot not in BODIES.values() and slot not in (DECOMPOSE, SCATTER, VMAP)
