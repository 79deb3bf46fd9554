"""Values that tests of derivatives compare."""

import opwright as ow


def assert_same(found: ow.Tensor, wanted: ow.Tensor, tolerance: float = 1e-5) -> None:
    """Sizes, dtype and values agree."""
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    assert ow.allclose(found, wanted, rtol=tolerance, atol=tolerance), f"{found} != {wanted}"
