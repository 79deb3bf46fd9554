"""torch.functional under opwright.compat.torch: the forms of arguments that PyTorch accepts."""

import opwright.compat.torch as torch
import pytest


def test_einsum_takes_operands_a_list_and_lists_of_subscripts():
    a, b = torch.ones(2, 3), torch.ones(3, 4)

    assert torch.einsum("ij,jk", a, b).shape == (2, 4)
    assert torch.einsum("ij,jk", [a, b]).shape == (2, 4)
    assert torch.einsum(a, [0, 1], b, [1, 2], [2, 0]).shape == (4, 2)
    assert torch.einsum(a, [..., 1], b, [1, 2]).shape == (2, 4)


def test_tensordot_takes_a_count_or_two_lists():
    a, b = torch.ones(2, 3, 4), torch.ones(3, 4, 5)

    assert torch.tensordot(a, b).shape == (2, 5)
    assert torch.tensordot(a, b, dims=([1, 2], [0, 1])).shape == (2, 5)
    assert torch.tensordot(a, b, dims=0).shape == (2, 3, 4, 3, 4, 5)
    out = torch.empty(0)
    assert torch.tensordot(a, b, out=out) is out


def test_cdist_names_its_mode():
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0]])

    mode = "donot_use_mm_for_euclid_dist"
    assert torch.cdist(x, x, compute_mode=mode).tolist() == [[0.0, 5.0], [5.0, 0.0]]


def test_unravel_index_counts_in_row_major_order():
    rows, columns = torch.unravel_index(torch.tensor([0, 4, 5]), (2, 3))

    assert rows.tolist() == [0, 1, 1]
    assert columns.tolist() == [0, 1, 2]
    assert torch.unravel_index(torch.tensor(3), 5)[0].item() == 3


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: torch.einsum("ij"), "einsum: there must be an equation and at least one operand"),
        (lambda: torch.einsum(torch.ones(2), [52]), "einsum: subscripts in a list must be between"),
        (lambda: torch.tensordot(torch.ones(2), torch.ones(2), -1), "tensordot: dims must not be"),
        (
            lambda: torch.tensordot(torch.ones(2), torch.ones(2), 2),
            "tensordot: dims must be at most",
        ),
        (
            lambda: torch.cdist(torch.ones(1, 1), torch.ones(1, 1), 2, "x"),
            "cdist: compute_mode must",
        ),
        (
            lambda: torch.unravel_index(torch.ones(1), (1,)),
            "unravel_index: expected 'indices' to be integer, but got opwright.float32; convert it",
        ),
        (
            lambda: torch.unravel_index(torch.tensor(1), 2.0),
            "unravel_index: expected 'shape' to be int or sequence of ints, got float",
        ),
        (
            lambda: torch.unravel_index(torch.tensor(1), (1, 2.0)),
            "unravel_index: expected 'shape' sequence to only contain ints, got float",
        ),
        (
            lambda: torch.unravel_index(torch.tensor(1), (2, -3)),
            r"unravel_index: 'shape' cannot have negative values, but got \(2, -3\)",
        ),
    ],
)
def test_other_arguments_are_refused(call, text):
    with pytest.raises((TypeError, ValueError, RuntimeError), match=text):
        call()


def test_detach_is_a_function_that_writes_too():
    x = torch.ones(1, requires_grad=True) * 2

    assert torch.detach_(x) is x
    assert not x.requires_grad


def test_broadcast_shapes_names_what_does_not_fit():
    with pytest.raises(RuntimeError, match="argument 1 has size 3 at dimension -1, those before"):
        torch.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError, match="sizes must not be negative, got -1 in argument 0"):
        torch.broadcast_shapes((-1,), (3,))
    with pytest.raises(TypeError, match="must be ints"):
        torch.broadcast_shapes((2.5,))
    with pytest.raises(RuntimeError, match=r"should be of type ints, .* got 2.5 as argument 1"):
        torch.broadcast_shapes((2,), 2.5)
