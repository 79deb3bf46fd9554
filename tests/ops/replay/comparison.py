"""Reports where our results differ from torch's."""

from functools import cache

import opwright as ow
import torch

from .conversion import DTYPES
from .exact import no_worse

# torch.testing's relative and absolute tolerances.
TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}


class DifferenceError(Exception):
    """`kind` is a column of the table."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


def significant_strides(shape, strides) -> tuple:
    """Return the strides that locate elements: not for sizes of one, none for an empty tensor."""
    if 0 in tuple(shape):
        return ()
    return tuple(stride for size, stride in zip(shape, strides, strict=True) if size != 1)


def compare_form(ours: ow.Tensor, torchs: torch.Tensor, *, strides: bool = True) -> None:
    """Raise DifferenceError if dtype, shape or strides differ."""
    if ours.dtype != DTYPES.get(torchs.dtype):
        raise DifferenceError("dtype", f"dtype {ours.dtype}, torch: {torchs.dtype}")
    if tuple(ours.shape) != tuple(torchs.shape):
        raise DifferenceError("shape", f"shape {list(ours.shape)}, torch: {list(torchs.shape)}")
    if strides and significant_strides(ours.shape, ours.stride()) != significant_strides(
        torchs.shape, torchs.stride()
    ):
        raise DifferenceError(
            "strides",
            f"strides {ours.stride()} of {list(torchs.shape)}, torch: {torchs.stride()}",
        )


def compare_values(
    ours: torch.Tensor, torchs: torch.Tensor, tolerances: dict, exact, *, infinite: bool = True
) -> None:
    """Raise DifferenceError if a value differs; `exact` returns the result in float64, or None.

    Unless `infinite`, an infinity and a nan are considered equal.
    """
    torchs = torchs.detach().resolve_conj().resolve_neg()
    relative, absolute = tolerances.get(torchs.dtype, (0, 0))
    if torchs.numel() == 0:
        return
    if torchs.dtype in (torch.uint16, torch.uint32, torch.uint64):
        ours, torchs = ours.to(torch.float64), torchs.to(torch.float64)
    if torchs.dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        ours, torchs = ours.to(torch.float32), torchs.to(torch.float32)
    agree = torch.isclose(ours, torchs, rtol=relative, atol=absolute, equal_nan=True)
    if torchs.is_complex() or not infinite:
        # torch sometimes multiplies by a factor of 1 + 0j: an infinity in one part makes the other
        # nan.
        agree |= ~torch.isfinite(ours) & ~torch.isfinite(torchs)
    if agree.all():
        return
    if torchs.is_floating_point() or torchs.is_complex():
        agree |= no_worse(ours, torchs, exact(), relative, absolute)
        if agree.all():
            return
    places = (~agree).nonzero()[:4].tolist()
    raise DifferenceError(
        "values",
        f"{int((~agree).sum())} of {agree.numel()} values differ: {ours[~agree][:4].tolist()}, "
        f"torch: {torchs[~agree][:4].tolist()}, at {places}",
    )


@cache
def dtypes_by_number() -> dict[int, ow.dtype]:
    """Return ours by the numbers that overloads of torch return for its own."""
    return {torch.ops.aten.promote_types(each, each): ours for each, ours in DTYPES.items()}


def compare_result(
    ours, torchs, tolerances: dict, exact, *, values: bool, strides: bool, infinite: bool = True
) -> None:
    """Raise DifferenceError if one result differs; a number is compared by type and value."""
    if isinstance(torchs, torch.Tensor) != isinstance(ours, ow.Tensor):
        raise DifferenceError("values", f"a {type(ours).__name__}, torch: {type(torchs).__name__}")
    if isinstance(ours, ow.dtype):
        torchs = dtypes_by_number().get(torchs)
    if not isinstance(torchs, torch.Tensor):
        if type(ours) is not type(torchs):
            raise DifferenceError("values", f"{ours!r}, torch: {torchs!r}")
        if values and torchs is not None and ours != torchs and (ours == ours or torchs == torchs):
            raise DifferenceError("values", f"{ours!r}, torch: {torchs!r}")
        return
    compare_form(ours, torchs, strides=strides)
    if values:
        compare_values(torch.from_dlpack(ours), torchs, tolerances, exact, infinite=infinite)


def turned(ours: ow.Tensor, torchs: torch.Tensor, by_rows: bool) -> ow.Tensor:
    """Return our factor with its columns, or its rows, multiplied by numbers of magnitude 1, so
    that each agrees with torch's where that is largest."""
    if tuple(ours.shape) != tuple(torchs.shape) or torchs.numel() == 0:
        return ours
    mine = torch.from_dlpack(ours)
    made = ratios(torchs.detach(), ours, by_rows) * mine
    return ow.from_dlpack(
        torch.empty_strided(mine.shape, mine.stride(), dtype=made.dtype).copy_(made)
    )


def ratios(torchs: torch.Tensor, ours: ow.Tensor, by_rows: bool) -> torch.Tensor:
    """Return the numbers of magnitude 1 that turn our columns, or rows, into torch's."""
    if tuple(ours.shape) != tuple(torchs.shape) or torchs.numel() == 0:
        return torch.ones(())
    dim = -1 if by_rows else -2
    mine, theirs = torch.from_dlpack(ours.detach()), torchs.resolve_conj()
    place = theirs.abs().argmax(dim, keepdim=True)
    ratio = theirs.gather(dim, place) / mine.gather(dim, place)
    return torch.where(torch.isfinite(ratio) & (ratio != 0), torch.sgn(ratio), 1)


def compare_ties(overload, copies: tuple[tuple, dict], ours: list, torchs: list) -> None:
    """Raise DifferenceError if one of our indices does not lead to our value, or is repeated."""
    values, indices = ours
    compare_form(indices, torchs[1])
    args, kwargs = copies
    source = args[0] if args else kwargs["self"]
    if source.ndim == 0 or source.numel() == 0:
        return
    indices = torch.from_dlpack(indices)
    values = torch.from_dlpack(values)
    dim = reduced_dim(overload, args, kwargs)
    if indices.ndim < source.ndim:
        indices, values = indices.unsqueeze(dim), values.unsqueeze(dim)
    if not torch.equal(source.gather(dim, indices).nan_to_num(), values.nan_to_num()):
        raise DifferenceError("values", "an index does not lead to its value")
    ordered = indices.sort(dim).values
    if (ordered.diff(dim=dim) == 0).any():
        raise DifferenceError("values", "an index comes twice")


def reduced_dim(overload, args: tuple, kwargs: dict) -> int:
    """Return the dimension that the indices refer to."""
    names = [argument.name for argument in overload._schema.arguments]
    place = names.index("dim")
    given = args[place] if place < len(args) else kwargs.get("dim")
    return overload._schema.arguments[place].default_value if given is None else given


def shared_offset(result, argument, result_start: int, argument_range: tuple[int, int]):
    """Return the result's byte offset in the argument's memory; None if it is elsewhere."""
    first, last = argument_range
    return result_start - argument.data_ptr() if first <= result_start < last else None


def torch_range(tensor: torch.Tensor) -> tuple[int, int]:
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def compare_sharing(ours: list, torchs: list, our_args: list, copied_args: list, torch_args: list):
    """Raise DifferenceError if a result does not share memory with an argument as in torch."""
    for our_result, torch_result in zip(ours, torchs, strict=True):
        if not isinstance(torch_result, torch.Tensor) or torch_result.numel() == 0:
            continue
        for our_arg, copied, torch_arg in zip(our_args, copied_args, torch_args, strict=True):
            if torch_result is torch_arg and our_result is not our_arg:
                raise DifferenceError("alias", "the result is not the argument itself")
            if torch_result is torch_arg or torch_arg.numel() == 0:
                continue
            if torch_arg.is_conj() or torch_arg.is_neg():
                continue
            expected = shared_offset(
                torch_result, torch_arg, torch_result.data_ptr(), torch_range(torch_arg)
            )
            actual = shared_offset(our_result, our_arg, our_result.data_ptr(), torch_range(copied))
            if expected != actual:
                raise DifferenceError(
                    "alias",
                    f"starts at byte {actual} of {list(torch_arg.shape)}, torch: {expected}",
                )
