"""opcheck invents complex inputs only where the kernel and the formula take them."""

import opwright as ow


def make_square(name, backward=None):
    """x * x, and the names of the dtypes that its kernel got."""
    seen = set()

    @ow.library.custom_op(f"invented_dtypes::{name}", mutates_args=())
    def square(x: ow.Tensor) -> ow.Tensor:
        seen.add(x.dtype)
        return x * x

    square.register_fake(ow.empty_like)
    if backward:
        square.register_autograd(
            backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs)
        )
    return square, seen


def test_a_formula_for_real_numbers_gets_no_complex_inputs():
    square, seen = make_square("real", lambda ctx, g: g * 2 * ctx.saved_tensors[0])

    report = ow.opcheck(square, (ow.randn(3, requires_grad=True),), raise_exception=False)

    assert report.ok
    assert {ow.float32, ow.float64} <= seen
    assert not any(dtype.is_complex for dtype in seen)


def test_a_kernel_without_a_formula_gets_complex_inputs():
    square, seen = make_square("kernel")

    report = ow.opcheck(square, (ow.randn(3),), raise_exception=False)

    assert report.ok
    assert ow.complex64 in seen
