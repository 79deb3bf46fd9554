"""Compares the results of a compiled function with those of the function itself."""

from collections.abc import Callable

import opwright as ow

# "llvm" is the one that users get; the others run the captured graph, and nothing but the function.
BACKENDS = ("llvm", "plan", "eager")

# Of values that are computed in another order; the scale is that of the largest element.
TOLERANCES = {
    ow.float64: 1e-9,
    ow.float32: 2e-4,
    ow.float16: 2e-2,
    ow.bfloat16: 1e-1,
    ow.complex64: 2e-4,
    ow.complex128: 1e-9,
}


def list_of(result: object) -> list:
    if isinstance(result, dict):
        return list(result.values())
    return list(result) if isinstance(result, list | tuple) else [result]


def assert_same_form(is_: ow.Tensor, should: ow.Tensor) -> None:
    """Dtype, device, sizes, strides and whether it requires a gradient."""
    assert is_.dtype == should.dtype
    assert is_.device == should.device
    assert tuple(is_.shape) == tuple(should.shape)
    assert used_strides(is_) == used_strides(should)
    assert is_.requires_grad == should.requires_grad


def used_strides(tensor: ow.Tensor) -> list[int]:
    """Those that some element is reached by."""
    if tensor.numel() == 0:
        return []
    return [stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]


def assert_same_values(is_: ow.Tensor, should: ow.Tensor, tolerance: float = 0.0) -> None:
    """Equal, but for rounding of fractions: of its dtype, or more."""
    is_, should = is_.detach(), should.detach()
    if should.numel() == 0:
        return
    if should.dtype not in TOLERANCES:
        assert ow.equal(is_, should)
        return
    tolerance = max(tolerance, TOLERANCES[should.dtype])
    wide = ow.complex128 if should.dtype.is_complex else ow.float64
    is_, should = is_.to(wide), should.to(wide)
    # Where one is infinite or no number the other must be the same.
    strange = ow.logical_or(ow.isnan(should), ow.isinf(should))
    strange = ow.logical_or(strange, ow.logical_or(ow.isnan(is_), ow.isinf(is_)))
    is_same = ow.logical_or(is_ == should, ow.logical_and(ow.isnan(is_), ow.isnan(should)))
    assert bool(ow.logical_or(is_same, ow.logical_not(strange)).all())
    plain = ow.where(strange, ow.zeros_like(should), should)
    difference = ow.where(strange, ow.zeros_like(is_), is_) - plain
    scale = max(1.0, float(plain.abs().max()))
    worst = float(difference.abs().max())
    assert worst <= tolerance * scale, f"differs by {worst}, values are up to {scale}"


def assert_same(is_: object, should: object, tolerance: float = 0.0) -> None:
    """Every result: tensors by form and values, all else by `==`."""
    is_, should = list_of(is_), list_of(should)
    assert len(is_) == len(should)
    for one, other in zip(is_, should, strict=True):
        assert isinstance(one, ow.Tensor) == isinstance(other, ow.Tensor)
        if isinstance(other, ow.Tensor):
            assert_same_form(one, other)
            assert_same_values(one, other, tolerance)
        else:
            assert one == other


def copies(tensors: list[ow.Tensor]) -> list[ow.Tensor]:
    """The same elements with the same strides in memory of their own."""
    return [copy_of(tensor) for tensor in tensors]


def copy_of(tensor: ow.Tensor) -> ow.Tensor:
    if tensor.numel() == 0:
        return ow.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    spread = [
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    ]
    memory = tensor.detach().as_strided((1 + sum(spread),), (1,), tensor.storage_offset()).clone()
    copy = memory.as_strided(tuple(tensor.shape), tuple(tensor.stride()), 0)
    return copy.requires_grad_() if tensor.requires_grad else copy


def check_against_eager(
    function: Callable, *inputs: ow.Tensor, calls: int = 2, **options: object
) -> None:
    """Check that a compiled function returns and writes what the function does."""
    compiled = ow.compile(function, **options)
    tolerance = getattr(function, "tolerance", 0.0)
    for _ in range(calls):
        ours, plain = copies(list(inputs)), copies(list(inputs))
        assert_same(compiled(*ours), function(*plain), tolerance)
        assert_same(ours, plain)
