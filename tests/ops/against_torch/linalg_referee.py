"""Compares operators with functions of torch on the same tensors, for fft and linalg."""

import opwright as ow
import torch


def given(*sizes: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(sizes, dtype=dtype, generator=generator)


def positive_definite(*sizes: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    matrix = given(*sizes, dtype=dtype)
    return matrix @ matrix.mH + torch.eye(sizes[-1], dtype=dtype)


def to_ours(value: object) -> object:
    return ow.from_dlpack(value.contiguous()) if isinstance(value, torch.Tensor) else value


def results_of(value: object) -> list:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def as_torch(tensor: ow.Tensor) -> torch.Tensor:
    return torch.from_numpy(tensor.detach().numpy().copy())


def assert_close(actual: ow.Tensor, expected: torch.Tensor) -> None:
    narrow = expected.dtype in (torch.float32, torch.complex64)
    limit = 2e-4 if narrow else 1e-8
    torch.testing.assert_close(
        as_torch(actual), expected.resolve_conj(), rtol=limit, atol=limit, equal_nan=True
    )


def assert_same(name: str, peer, *args, **options) -> None:
    ours = getattr(ow.ops.aten, name)(
        *map(to_ours, args), **{key: to_ours(value) for key, value in options.items()}
    )
    for actual, expected in zip(results_of(ours), results_of(peer(*args, **options)), strict=True):
        assert_close(actual, expected)


def weighted_sum(module, results: list) -> object:
    """Return a real number that depends on each element of floating results."""
    total = None
    for result in results:
        if not (result.is_floating_point() or result.is_complex()):
            continue
        parts = (
            module.view_as_real(result.resolve_conj().contiguous())
            if result.is_complex()
            else result
        )
        weights = module.arange(parts.numel(), dtype=parts.dtype).reshape(parts.shape).cos()
        part = (parts * weights).sum()
        total = part if total is None else total + part
    return total


def assert_same_gradient(name: str, peer, *args, twice: bool = True) -> None:
    """Compare first gradients, and the gradients of their weighted sum."""
    theirs = [each.clone().requires_grad_() for each in args]
    ours = [to_ours(each).requires_grad_() for each in args]
    expected = torch.autograd.grad(
        weighted_sum(torch, results_of(peer(*theirs))), theirs, create_graph=twice
    )
    actual = ow.autograd.grad(
        weighted_sum(ow, results_of(getattr(ow.ops.aten, name)(*ours))), ours, create_graph=twice
    )
    for mine, other in zip(actual, expected, strict=True):
        assert_close(mine, other.detach())
    total = (
        weighted_sum(torch, [each for each in expected if each.requires_grad]) if twice else None
    )
    if total is None:
        return
    seconds = torch.autograd.grad(total, theirs, allow_unused=True)
    own = ow.autograd.grad(weighted_sum(ow, list(actual)), ours, allow_unused=True)
    for mine, other in zip(own, seconds, strict=True):
        if mine is not None and other is not None:
            assert_close(mine, other)


def assert_same_under_vmap(name: str, peer, *args) -> None:
    """Compare a mapped call with torch's results of each sample."""
    mapped = ow.vmap(getattr(ow.ops.aten, name))(*map(to_ours, args))
    each = [results_of(peer(*sample)) for sample in zip(*args, strict=True)]
    for place, actual in enumerate(results_of(mapped)):
        assert_close(actual, torch.stack([results[place] for results in each]))
