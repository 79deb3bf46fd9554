"""_safe_softmax against torch."""

# Covers: src/ops/normalization/composite_norm.

import opwright as ow
import torch


def test_a_row_of_only_minus_infinity_has_no_gradient_in_safe_softmax():
    def run(lib):
        x = lib.tensor([[-lib.inf, -lib.inf], [-lib.inf, 1.0], [0.5, 1.5]], requires_grad=True)
        y = lib.ops.aten._safe_softmax(x, 1)
        (y * lib.tensor([1.0, 2.0])).sum().backward()
        return y.tolist(), x.grad.tolist()

    for ours, theirs in zip(run(ow), run(torch), strict=True):
        torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs))
