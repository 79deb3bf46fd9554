"""The custom operators that torch's tests take from its database, written by us with NumPy."""

from collections.abc import Sequence

import numpy as np
import opwright
from opwright import library

NAMESPACE = "_torch_testing"


@library.custom_op(f"{NAMESPACE}::numpy_cube", mutates_args=())
def numpy_cube(x: opwright.Tensor) -> tuple[opwright.Tensor, opwright.Tensor]:
    """Return x ** 3 and its derivative."""
    values = x.numpy(force=True)
    return opwright.from_numpy(values**3), opwright.from_numpy(3 * values**2)


@numpy_cube.register_fake
def _(x: opwright.Tensor) -> tuple[opwright.Tensor, opwright.Tensor]:
    return x.clone(), x.clone()


def _keep_cube(ctx: object, inputs: tuple, output: tuple) -> None:
    ctx.save_for_backward(inputs[0], output[1])


def _cube_backward(
    ctx: object, grad: opwright.Tensor, grad_slope: opwright.Tensor
) -> opwright.Tensor:
    x, slope = ctx.saved_tensors
    return grad * slope + 6 * grad_slope * x


numpy_cube.register_autograd(_cube_backward, setup_context=_keep_cube)


@library.custom_op(f"{NAMESPACE}::numpy_nonzero", mutates_args=())
def numpy_nonzero(x: opwright.Tensor) -> opwright.Tensor:
    """Return the indices of the elements that are not zero, a row for each."""
    found = np.stack(np.nonzero(x.numpy(force=True)), axis=1)
    if found.shape[0] <= 1:
        raise RuntimeError("not supported")
    return opwright.from_numpy(found)


@numpy_nonzero.register_fake
def _(x: opwright.Tensor) -> opwright.Tensor:
    count = library.get_ctx().new_dynamic_size(min=2, max=x.numel())
    return x.new_empty([count, x.ndim], dtype=opwright.int64)


@library.custom_op(f"{NAMESPACE}::numpy_view_copy", mutates_args=())
def numpy_view_copy(x: opwright.Tensor, shape: Sequence[int]) -> opwright.Tensor:
    """Return a copy with another shape."""
    return opwright.from_numpy(x.numpy(force=True).reshape(shape).copy())


@numpy_view_copy.register_fake
def _(x: opwright.Tensor, shape: Sequence[int]) -> opwright.Tensor:
    return x.clone().view(shape)


def names() -> dict:
    """Return the operators that test files import by name."""
    return {
        "numpy_cube": numpy_cube,
        "numpy_nonzero": numpy_nonzero,
        "numpy_view_copy": numpy_view_copy,
    }
