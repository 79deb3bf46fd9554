"""Products of groups of matrices."""

import opwright as ow

from ... import Tensor, ops

__all__ = ["grouped_mm"]


def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: ow.dtype | None = None,
) -> Tensor:
    """Return one matrix product for each group; `offs` (int32) are the ends of the groups.

    A matrix (M, K) and a batch (G, K, N) have groups of rows, a batch (G, M, K) and a matrix (K, N)
    groups of columns, and two matrices groups of K, with a product each. Two batches have no
    `offs`. What is beyond the last group is zero.

    >>> experts = ow.stack([ow.ones(2, 2), 10 * ow.ones(2, 2)])
    >>> ends = ow.tensor([1, 3], dtype=ow.int32)
    >>> ow.nn.functional.grouped_mm(ow.ones(3, 2), experts, offs=ends)
    tensor([[ 2.,  2.],
            [20., 20.],
            [20., 20.]])
    """
    return ops.aten._grouped_mm(mat_a, mat_b, offs, bias, out_dtype)
