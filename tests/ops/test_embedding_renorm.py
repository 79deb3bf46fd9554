"""Derivatives of embedding_renorm_ with indices that occur several times."""
# Covers: src/ops/embedding/embedding_bag_composite.cpp

import opwright as ow
import pytest

ATEN = ow.ops.aten


def test_the_gradient_of_embedding_renorm_takes_a_repeated_row_once():
    indices = [ow.tensor([0, 2, 0, 2]), ow.tensor([0, 2])]
    gradients = []
    for each in indices:
        table = ow.tensor([[3.0, 4.0], [1.0, 0.0], [0.1, 0.2]]).requires_grad_()
        ATEN.embedding_renorm_(table * 1, each, 1.0, 2.0).pow(2).sum().backward()
        gradients.append(table.grad.tolist())

    assert gradients[0] == gradients[1]
    assert gradients[0][2] == pytest.approx([0.2, 0.4])


def test_the_tangent_of_embedding_renorm_is_that_of_distinct_rows():
    table = ow.tensor([[3.0, 4.0], [1.0, 0.0]])
    repeated, distinct = ow.tensor([0, 0]), ow.tensor([0])

    def push(indices):
        def renormed(x):
            return ATEN.embedding_renorm_(x * 1, indices, 1.0, 2.0)

        return ow.func.jvp(renormed, (table,), (ow.ones(2, 2),))[1]

    assert push(repeated).tolist() == push(distinct).tolist()
