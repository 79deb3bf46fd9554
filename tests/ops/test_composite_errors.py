"""What composites refuse, and results that PyTorch's database has no samples of."""

import math

import opwright as ow
import pytest
import torch
from opwright.testing import assert_close

X = ow.ones(2, 3)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ow.addr(X, X, ow.ones(3)), "addr: vec1 and vec2 must have one dimension each"),
        (lambda: ow.addbmm(X, X, X), "addbmm: batch1 and batch2 must have three dimensions each"),
        (lambda: ow.inner(X, ow.ones(2)), "inner: the last dimensions of self and other must be"),
        (lambda: ow.tensordot(X, X, [0], []), "tensordot: dims_self and dims_other must name as"),
        (lambda: ow.tensordot(X, X, [0], [1]), "tensordot: contracted dimensions must have equal"),
        (lambda: ow.tensordot(X, X, [0, 0], [0, 1]), "tensordot: dimension 0 appears twice"),
        (lambda: ow.cross(ow.ones(2), ow.ones(2)), "cross: no dimension of self .* has the size 3"),
        (lambda: ow.chain_matmul([X, ow.ones(2)]), "chain_matmul: each matrix must have two dim"),
        (lambda: ow.vander(X), "vander: x must have one dimension"),
        (lambda: ow.cov(ow.ones(1, 1, 1)), "cov: self must have at most two dimensions"),
        (lambda: ow.cov(X, fweights=ow.ones(3)), "cov: fweights must be of an integer dtype"),
        (
            lambda: ow.cov(X, fweights=ow.tensor([1, -2, 3])),
            "cov: fweights must not be negative or NaN, got -2",
        ),
        (
            lambda: ow.cov(X, aweights=ow.tensor([1.0, 0.0, -0.5])),
            "cov: aweights must not be negative or NaN, got -0.5",
        ),
        (
            lambda: ow.cov(X, aweights=ow.tensor([1.0, math.nan, 0.5])),
            "cov: aweights must not be negative or NaN, got nan",
        ),
        (
            lambda: ow.block_diag([ow.ones(1, 1, 1)]),
            "block_diag: each tensor must have at most two",
        ),
        (lambda: ow.hstack([]), "hstack: tensors must not be empty"),
        (lambda: ow.cartesian_prod([X]), "cartesian_prod: each tensor must have one dimension"),
        (lambda: ow.combinations(ow.ones(2), -1), "combinations: r must not be negative, got -1"),
        (lambda: ow.rot90(X, 1, [0]), "rot90: dims must name two dimensions"),
        (lambda: ow.rot90(X, 1, [0, 0]), "rot90: dims must be two different dimensions"),
        (lambda: ow.fliplr(ow.ones(2)), "fliplr: self must have at least two dimensions"),
        (lambda: ow.diag(ow.ones(1, 1, 1)), "diag: self must have one or two dimensions"),
        (lambda: ow.diag_embed(X, 0, 1, 1), "diag_embed: dim1 and dim2 must be two different"),
        (lambda: ow.ones(2).fill_diagonal_(1), "fill_diagonal_: self must have at least two dim"),
        (lambda: X.sum_to_size([4]), "sum_to_size: size .4. does not broadcast to the sizes of"),
        (lambda: ow.quantile(X, 1.5), "quantile: q must be between 0 and 1, got 1.5"),
        (lambda: ow.quantile(X.to(ow.int64), 0.5), "quantile: self must be of float32 or float64"),
        (
            lambda: ow.quantile(X, ow.tensor([0.5, 1.25])),
            "^quantile: each element of q must be between 0 and 1, got 1.25",
        ),
        (
            lambda: ow.nanquantile(X, ow.tensor(math.nan)),
            "^nanquantile: each element of q must be between 0 and 1, got nan",
        ),
        (
            lambda: ow.quantile(ow.ones(0, 3), 0.5),
            r"quantile: self must have elements, got float32\[0, 3\]",
        ),
        (
            lambda: ow.ops.aten.stft(X, 2, pad_mode="mirror", center=False, return_complex=True),
            "stft: pad_mode must be 'constant', 'reflect' or 'replicate', got 'mirror'",
        ),
        (lambda: ow.renorm(X, -1, 0, 1), "renorm: p must be a positive number, got -1"),
        (
            lambda: ow.isclose(X, X.to(ow.float64)),
            "isclose: self and other must have the same dtype",
        ),
        (lambda: ow.isclose(X, X, -1.0), "isclose: rtol must not be negative, got -1"),
        (lambda: ow.gradient(X > 0), "gradient: self must not be a tensor of bools, which have no"),
        (lambda: ow.gradient(X, edge_order=3), "gradient: edge_order must be 1 or 2, got 3"),
        (lambda: ow.gradient(ow.ones(1)), r"gradient: each dimension must have at least edge_ord"),
        (
            lambda: ow.trapezoid(ow.ones(3), ow.ones(2)),
            "trapezoid: x must have an element for each",
        ),
        (lambda: ow.hann_window(-1), "hann_window: window_length must not be negative, got -1"),
        (lambda: ow.range(0, 3, -1), "range: step must lead from start to end, got 0, 3 and -1"),
        (lambda: ow.einsum("i$", [X]), "einsum: subscripts must be letters, got '\\$'"),
        (lambda: ow.einsum("i,j", [X]), "einsum: the equation has 2 operands, but there are 1"),
        (lambda: ow.einsum("i", [X]), "einsum: the number of subscripts, 1, must be the number"),
        (lambda: ow.einsum("ij->k", [X]), "einsum: each subscript of the output must appear"),
        (lambda: ow.einsum("ij,jk", [X, X]), "einsum: operands must have equal sizes for one"),
        (lambda: ow.einsum("ij,jk", [X, X.t()], path=[0, 5]), "einsum: the operands 0 and 5 of pa"),
        (lambda: ow.nansum(X.to(ow.complex64)), "nansum: self must not be complex"),
    ],
)
def test_a_composite_refuses_in_its_own_name(call, text):
    with pytest.raises((RuntimeError, ValueError, TypeError, IndexError), match=text):
        call()


def test_values_of_fake_and_traced_tensors_are_not_checked():
    x, q = ow.tensor([1.0, 2.0, 3.0]), ow.tensor([0.5])

    traced = ow.make_fx(ow.quantile, tracing_mode="symbolic")(x, q)

    assert traced(x, ow.tensor([1.0])).tolist() == [3.0]
    assert ow.quantile(ow.empty(3, device="meta"), ow.empty(2, device="meta")).shape == (2,)
    assert ow.vmap(ow.quantile)(ow.ones(2, 3), ow.ones(2, 1)).tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("sizes", [(3, 3), (2, 5), (7, 2), (8, 3), (3, 3, 3)])
def test_fill_diagonal_starts_again_below_a_tall_matrix(sizes, wrap):
    expected = torch.zeros(sizes).fill_diagonal_(5, wrap)

    assert ow.zeros(*sizes).fill_diagonal_(5, wrap).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hann"])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 8])
@pytest.mark.parametrize("periodic", [False, True])
def test_windows_are_those_of_torch(name, length, periodic):
    expected = getattr(torch, f"{name}_window")(length, periodic, dtype=torch.float64)

    actual = getattr(ow, f"{name}_window")(length, periodic, dtype=ow.float64)

    assert_close(actual, ow.from_numpy(expected.numpy()))


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("numbers", [(0, 4), (0, 4, 0.5), (4, 0, -2), (1, 2, 3), (0.1, 0.75, 0.2)])
def test_a_range_includes_its_end(numbers):
    assert_close(ow.range(*numbers), ow.from_numpy(torch.range(*numbers).numpy()))


@pytest.mark.parametrize("path", [None, [0, 1, 0, 1], [1, 2, 0, 1], [0, 2, 0, 1]])
def test_einsum_gives_one_result_along_every_path(path):
    operands = [torch.randn(2, 3), torch.randn(3, 4), torch.randn(4, 5)]
    expected = torch.einsum("ij,jk,kl->il", *operands)

    ours = [ow.from_numpy(each.numpy()) for each in operands]

    assert_close(ow.einsum("ij,jk,kl->il", ours, path=path), ow.from_numpy(expected.numpy()))


@pytest.mark.parametrize(
    ("equation", "sizes"),
    [
        ("ii", [(3, 3)]),
        ("ii->i", [(3, 3)]),
        ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
        ("b...,b...->b", [(2, 3, 4), (2, 3, 4)]),
        ("i,i,i->", [(3,), (3,), (3,)]),
        ("ij,k", [(2, 3), (4,)]),
        ("Ab,bA->", [(2, 3), (3, 2)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("ij->ji", [(2, 3)]),
        ("ij,ij->", [(0, 3), (0, 3)]),
    ],
)
def test_einsum_agrees_with_torch(equation, sizes):
    operands = [torch.randn(each) for each in sizes]

    actual = ow.einsum(equation, [ow.from_numpy(each.numpy()) for each in operands])

    assert_close(actual, ow.from_numpy(torch.einsum(equation, *operands).numpy()))


def test_nan_and_infinity_are_not_finite():
    x = ow.tensor([1.0, math.inf, -math.inf, math.nan])

    assert ow.isfinite(x).tolist() == [True, False, False, False]
    assert ow.isreal(ow.tensor([1 + 0j, 1j])).tolist() == [True, False]


def test_dtypes_are_promoted_as_in_torch():
    assert ow.result_type(ow.ones(1, dtype=ow.int8), 1.5) == ow.float32
    assert ow.promote_types(ow.int64, ow.float16) == ow.float16
    assert ow.can_cast(ow.float32, ow.int32) is False
    assert ow.ops.aten.result_type.Scalar_Scalar(1, 2j) == ow.complex64


def test_an_operator_with_a_special_name_is_found():
    assert ow.ops.aten.__and__(ow.tensor([3]), ow.tensor([1])).tolist() == [1]
    assert not hasattr(ow.ops.aten, "__wrapped__")


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("pad", [(1, 2), (0, 1, 1, 0), (-1, 1)])
def test_pad_has_the_modes_of_torch(mode, pad):
    x = (
        torch.arange(24.0).reshape(1, 2, 3, 4)
        if len(pad) == 4
        else torch.arange(8.0).reshape(1, 2, 4)
    )
    expected = torch._C._nn.pad(x, list(pad), mode)

    assert_close(
        ow.ops.aten.pad(ow.from_numpy(x.numpy()), pad, mode), ow.from_numpy(expected.numpy())
    )
    with pytest.raises(NotImplementedError, match="pad: mode must be 'constant', 'reflect'"):
        ow.ops.aten.pad(ow.ones(1, 2), [1, 1], "mirror")


def test_a_weight_norm_keeps_one_dimension():
    v, g = torch.randn(3, 4), torch.randn(3, 1)
    expected = torch._weight_norm(v, g, 0)

    actual = ow.ops.aten._weight_norm(ow.from_numpy(v.numpy()), ow.from_numpy(g.numpy()), 0)

    assert_close(actual, ow.from_numpy(expected.numpy()))
    assert_close(
        ow.norm_except_dim(ow.from_numpy(v.numpy()), 2, 0),
        ow.from_numpy(torch.norm_except_dim(v, 2, 0).numpy()),
    )
