"""What vmap must equal: the function called for each sample, the results stacked."""

from collections.abc import Callable, Sequence

import opwright as ow


def counted(*sizes: int, dtype: ow.dtype = ow.float32) -> ow.Tensor:
    return ow.arange(ow.zeros(sizes).numel()).reshape(sizes).to(dtype)


def by_sample(
    func: Callable[..., ow.Tensor], in_dims: Sequence[int | None], *args: ow.Tensor
) -> ow.Tensor:
    pairs = list(zip(args, in_dims, strict=True))
    (size,) = {arg.shape[dim] for arg, dim in pairs if dim is not None}
    samples = [
        func(*[arg if dim is None else arg.select(dim, i) for arg, dim in pairs])
        for i in range(size)
    ]
    return ow.stack(samples)


def assert_same(actual: ow.Tensor, expected: ow.Tensor) -> None:
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert actual.tolist() == expected.tolist()
