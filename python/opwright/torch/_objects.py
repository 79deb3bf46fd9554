"""Names of torch that the extension module `opwright._torch` needs; it looks each up once."""

from collections.abc import Callable

import torch
from torch import (  # noqa: F401
    Generator,
    SymBool,
    SymFloat,
    SymInt,
    Tensor,
    device,
    dtype,
    layout,
    memory_format,
    strided,
    sym_max,
    sym_min,
    sym_not,
)
from torch._C import _functorch
from torch._C._aoti import alloc_tensors_by_stealing_from_void_ptrs as tensors_of_handles  # noqa: F401
from torch._C._aoti import unsafe_alloc_void_ptrs_from_tensors as handles_of_tensors  # noqa: F401
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.symbolic_shapes import guard_or_false, guard_or_true  # noqa: F401
from torch.nn import Parameter
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

DTYPES = (
    torch.bool,
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.complex64,
    torch.complex128,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
)
MEMORY_FORMATS = (
    torch.contiguous_format,
    torch.preserve_format,
    torch.channels_last,
    torch.channels_last_3d,
)

is_wrapped = _functorch.is_functorch_wrapped_tensor


def check(condition: SymBool, message: str) -> None:
    """Require the condition, now or when the traced program runs."""
    torch._check_value(condition, lambda: message)


def is_plain(tensor: Tensor) -> bool:
    """Return whether the memory holds the tensor's elements as is: no lazy bit, no wrapper."""
    return (
        tensor.layout is strided
        and tensor.device.type != "meta"
        and not is_wrapped(tensor)
        and not torch._is_functional_tensor(tensor)
        and not torch._is_zerotensor(tensor)
        and not tensor.is_conj()
        and not tensor.is_neg()
        and not tensor.is_quantized
        and not tensor.is_nested
    )


def has_memory(tensor: Tensor) -> bool:
    """Return whether a tensor of any type has memory that a kernel may read."""
    if isinstance(tensor, FakeTensor) or is_traceable_wrapper_subclass(tensor):
        return False
    if type(tensor).__torch_dispatch__ is not Tensor.__torch_dispatch__:
        return False
    return is_plain(tensor)


def is_transforming() -> bool:
    """Return whether a dispatch mode or a level of torch.func is active on this thread."""
    return torch._C._len_torch_dispatch_stack() > 0 or _functorch.maybe_current_level() is not None


def samples() -> tuple[tuple[Tensor, int], ...]:
    """Return some tensors, each with the address of its contents."""
    plain = torch.empty(2)
    return tuple((tensor, tensor._cdata) for tensor in (plain, torch.empty(3), Parameter(plain)))


def under_inference(function: Callable[[], None]) -> None:
    """Call `function` under inference mode."""
    with torch.inference_mode():
        function()


def private_device_name() -> str:
    """Return torch's name for devices of type PrivateUse1."""
    return torch._C._get_privateuse1_backend_name()
