"""Kernels under PyTorch's Autograd keys: they wrap the autograd of an operator."""

from collections.abc import Callable, Iterable

from .. import _C

SLOT = "AutogradKernel"
_PREFIX = "Autograd"
_EVERY_DEVICE = ("", "Other", "Functionality")


def is_autograd_key(key: object) -> bool:
    """Return whether a dispatch key is Autograd or that of a device, such as AutogradCPU."""
    return isinstance(key, str) and key.startswith(_PREFIX) and key != SLOT


def _tensors(values: Iterable[object]) -> Iterable[_C.Tensor]:
    for value in values:
        if isinstance(value, _C.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)


def autograd_kernel(name: str, key: str, function: Callable) -> Callable:
    """Return what runs in place of recording a call of the operator `name`.

    A function for one device leaves calls on other devices unrecorded.
    """
    device = key.removeprefix(_PREFIX)
    if device in _EVERY_DEVICE:
        return function
    wanted = _C.device(device.lower()).type

    def run_on_device(*args: object, **keywords: object) -> object:
        given = _tensors((*args, *keywords.values()))
        if any(tensor.device.type == wanted for tensor in given):
            return function(*args, **keywords)
        with _C.no_grad():
            return _C.require_operator(name)(*args, **keywords)

    return run_on_device
