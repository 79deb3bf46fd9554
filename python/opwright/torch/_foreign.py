"""Forwards calls of Opwright's functions with torch's tensors to torch's operators."""

from collections.abc import Sequence

import torch

from .. import _C
from ._recording import apply_function, set_below_autograd, set_grad_enabled


def to_torch(value: object) -> object:
    """Convert one of our values to torch's; tensors share their memory."""
    if isinstance(value, _C.Tensor):
        return torch.from_dlpack(value.detach())
    if isinstance(value, _C.dtype | _C.memory_format | _C.layout):
        return getattr(torch, str(value).rpartition(".")[2])
    if isinstance(value, _C.device):
        return torch.device(str(value))
    if isinstance(value, tuple) and type(value) is not torch.Size:
        return tuple([to_torch(each) for each in value])
    if isinstance(value, list):
        return [to_torch(each) for each in value]
    return value


def split_name(name: str) -> tuple[str, str, str]:
    """Return the namespace, base and overload of a name such as 'audio::soft_clip.out'."""
    packet, _, overload = name.partition(".")
    namespace, base = packet.split("::")
    return namespace, base, overload


def find_packet(name: str) -> torch._ops.OpOverloadPacket | torch._ops.OpOverload:
    """Return the entry of torch.ops for a name of ours, e.g. 'aten::add.Tensor' or 'aten::add'."""
    namespace, base, overload = split_name(name)
    found = getattr(getattr(torch.ops, namespace), base)
    return getattr(found, overload) if overload else found


def overload_of(name: str) -> torch._ops.OpOverload:
    """Return the overload of torch.ops for a name; without one, the default."""
    found = find_packet(name)
    return found if isinstance(found, torch._ops.OpOverload) else found.default


def call_in_torch(operator: _C.Operator | _C.OperatorPacket, args: tuple, kwargs: dict) -> object:
    """Call torch's operator instead of ours."""
    if operator.name in HOST_FUNCTIONS:
        return HOST_FUNCTIONS[operator.name](*args, **kwargs)
    found = find_packet(operator.name)
    named = {name: to_torch(value) for name, value in kwargs.items()}
    return found(*_with_sizes_in_a_list(found, to_torch(args)), **named)


def _with_sizes_in_a_list(
    found: torch._ops.OpOverloadPacket | torch._ops.OpOverload, args: tuple
) -> tuple:
    """Return the arguments of empty(2, 3) as those of empty([2, 3])."""
    if not args or not isinstance(args[0], int | torch.SymInt):
        return args
    is_packet = isinstance(found, torch._ops.OpOverloadPacket)
    overload = getattr(found, found.overloads()[0]) if is_packet else found
    first = overload._schema.arguments[:1]
    if not first or str(first[0].type) != "List[int]":
        return args
    count = next(
        (i for i, v in enumerate(args) if not isinstance(v, int | torch.SymInt)), len(args)
    )
    return (list(args[:count]), *args[count:])


def new_dynamic_size(min: int = 0, max: int | None = None) -> torch.SymInt:
    """Return a size that is known only when the program runs."""
    return torch.library.get_ctx().new_dynamic_size(min=min, max=max)


def current_stream(device: torch.device) -> int:
    """Return torch's current stream as a number; 0 if there are no streams."""
    return torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0


# Python's own functions for these are faster than their overloads, and accept numbers for tensors.
QUICK_FUNCTIONS = {
    "aten::add.Tensor": torch.add,
    "aten::sub.Tensor": torch.sub,
    "aten::mul.Tensor": torch.mul,
    "aten::mul.Scalar": torch.mul,
    "aten::div.Tensor": torch.div,
    "aten::div.Scalar": torch.div,
}


def call_operator(name: str, args: Sequence) -> list:
    """Call an operator by its name with all arguments by position; return its results."""
    overload = overload_of(name)
    names = [each.name for each in overload._schema.arguments if each.kwarg_only]
    count = len(overload._schema.arguments) - len(names)
    given = overload(*args[:count], **dict(zip(names, args[count:], strict=False)))
    if not overload._schema.returns:
        return []
    return list(given) if isinstance(given, tuple) else [given]


# Answered by the host itself; not operators of torch.
HOST_FUNCTIONS = {
    "opwright::apply_function": apply_function,
    "opwright::call_operator": call_operator,
    "opwright::set_below_autograd": set_below_autograd,
    "opwright::set_grad_enabled": set_grad_enabled,
    "opwright::new_dynamic_size": new_dynamic_size,
    "opwright::current_stream": current_stream,
}


def resolve_import(name: str) -> object:
    """Return what implements an import of a binary in torch."""
    if name in HOST_FUNCTIONS:
        return HOST_FUNCTIONS[name]
    if name in QUICK_FUNCTIONS:
        return QUICK_FUNCTIONS[name]
    try:
        return overload_of(name)
    except AttributeError:
        raise AttributeError(
            f"torch {torch.__version__} has no operator {name}, which the binary calls\n"
            "  Load the library that defines it first, or use a newer torch."
        ) from None


_C.set_foreign_type(torch.Tensor, call_in_torch)
