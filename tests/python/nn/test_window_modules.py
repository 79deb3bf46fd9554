"""Modules of windows, sampling and losses do what PyTorch's do, with their gradients."""

import opwright as ow
import pytest
import torch
from opwright import nn
from opwright.nn import functional as F

from .module_cases import case, floats, indices, pair, several
from .torch_twin import assert_same, make_twins, to_ours


def scores_and_classes():
    generator = torch.Generator().manual_seed(5)
    return torch.randn(5, 4, generator=generator), torch.tensor([0, 3, 1, 1, 2])


def scores_and_label_lists():
    generator = torch.Generator().manual_seed(5)
    lists = torch.tensor([[0, 2, -1, 1], [-1, 0, 0, 0], [3, 1, 0, 2]])
    return torch.randn(3, 4, generator=generator), lists


def frames():
    generator = torch.Generator().manual_seed(5)
    log_probs = torch.randn(6, 2, 4, generator=generator).log_softmax(2)
    return log_probs, torch.tensor([[1, 2], [2, 2]]), (6, 5), (2, 2)


def images_and_samples(count):
    generator = torch.Generator().manual_seed(5)
    return torch.rand(2, 3, count, generator=generator)


def features_and_classes():
    generator = torch.Generator().manual_seed(5)
    return torch.randn(6, 8, generator=generator), torch.tensor([0, 4, 7, 9, 12, 19])


def means_targets_variances():
    generator = torch.Generator().manual_seed(5)
    return tuple(torch.rand(3, 4, generator=generator) for _ in range(3))


def bags(*more):
    return lambda: (torch.tensor([0, 3, 3, 1, 5]), torch.tensor([0, 2, 2]), *more)


MODULES = [
    case("PixelShuffle", 2, inputs=floats(2, 8, 3, 3)),
    case("PixelUnshuffle", 2, inputs=floats(2, 2, 4, 6)),
    case("ChannelShuffle", 2, inputs=floats(2, 4, 3)),
    case("Fold", (4, 5), (2, 2), inputs=floats(2, 12, 12)),
    case("Fold", 6, 3, dilation=1, padding=1, stride=2, inputs=floats(2, 18, 9)),
    case("Unfold", (2, 3), padding=1, stride=2, inputs=floats(2, 3, 5, 6)),
    case("LPPool1d", 2, 3, stride=2, inputs=floats(2, 3, 9)),
    case("LPPool2d", 3, (2, 3), ceil_mode=True, inputs=floats(2, 3, 7, 8)),
    case("LPPool3d", 1, 2, inputs=floats(1, 2, 4, 4, 4)),
    case("LocalResponseNorm", 3, alpha=0.5, inputs=floats(2, 5, 4)),
    case("LocalResponseNorm", 2, k=2.0, inputs=floats(2, 5, 3, 4)),
    case("LocalResponseNorm", 4, alpha=0.1, inputs=floats(2, 5, 2, 3, 2)),
    case("UpsamplingNearest2d", scale_factor=2, inputs=floats(1, 2, 3, 3)),
    case("UpsamplingBilinear2d", size=(5, 4), inputs=floats(1, 2, 3, 3)),
    case("PairwiseDistance", inputs=pair(3, 4)),
    case("PairwiseDistance", 1.0, keepdim=True, inputs=pair(3, 4)),
    *(
        case("FractionalMaxPool2d", 2, _random_samples=images_and_samples(2), inputs=make, **size)
        for make, size in [
            (floats(2, 3, 7, 8), {"output_size": (3, 4)}),
            (floats(2, 3, 9, 9), {"output_ratio": 0.6}),
        ]
    ),
    case(
        "FractionalMaxPool3d",
        2,
        output_ratio=(0.5, 0.5, 0.6),
        _random_samples=images_and_samples(3),
        inputs=floats(2, 3, 6, 6, 7),
    ),
    *(
        case(name, reduction=reduction, inputs=make)
        for name, make in [
            ("MultiMarginLoss", scores_and_classes),
            ("MultiLabelMarginLoss", scores_and_label_lists),
            ("MultiLabelSoftMarginLoss", pair(3, 4)),
            ("TripletMarginLoss", several((3, 4), (3, 4), (3, 4))),
            ("TripletMarginWithDistanceLoss", several((3, 4), (3, 4), (3, 4))),
            ("PoissonNLLLoss", pair(3, 4)),
            ("GaussianNLLLoss", means_targets_variances),
            ("CTCLoss", frames),
        ]
        for reduction in ("none", "mean", "sum")
    ),
    case("MultiMarginLoss", p=2, margin=0.5, inputs=scores_and_classes),
    case("TripletMarginLoss", p=1.0, swap=True, inputs=several((3, 4), (3, 4), (3, 4))),
    case("PoissonNLLLoss", log_input=False, full=True, inputs=pair(3, 4)),
    case("GaussianNLLLoss", full=True, inputs=means_targets_variances),
    case("CTCLoss", blank=3, zero_infinity=True, inputs=frames),
    *(case("EmbeddingBag", 6, 3, mode=each, inputs=bags()) for each in ("sum", "mean", "max")),
    case("EmbeddingBag", 6, 3, padding_idx=3, mode="sum", inputs=bags()),
    case("EmbeddingBag", 6, 3, mode="sum", inputs=bags(torch.arange(5.0))),
    case("EmbeddingBag", 6, 3, inputs=indices(2, 4, below=6)),
    case("EmbeddingBag", 6, 3, max_norm=0.5, inputs=indices(2, 4, below=6)),
    case("AdaptiveLogSoftmaxWithLoss", 8, 20, [5, 10], inputs=features_and_classes),
    case("AdaptiveLogSoftmaxWithLoss", 8, 20, [3], head_bias=True, inputs=features_and_classes),
    case("RReLU", inputs=floats(3, 4)),
    case("RReLU", 0.25, 0.5, inplace=True, inputs=floats(3, 4)),
    case("CrossMapLRN2d", 3, alpha=0.5, inputs=floats(2, 6, 3, 4)),
    case("CrossMapLRN2d", 5, inputs=floats(2, 2, 3, 4)),
]
WITH_RANDOM_SLOPES = ("RReLU",)
CASES = pytest.mark.parametrize("case", MODULES, ids=lambda case: str(case)[:60])


@CASES
def test_the_outputs_are_those_of_torch(case):
    ours, theirs = make_twins(case.name, *case.args, **case.kwargs)

    actual = ours.eval()(*to_ours(case.inputs()))

    assert_same(
        tuple(actual) if isinstance(actual, tuple) else actual, theirs.eval()(*case.inputs())
    )


@CASES
def test_the_text_is_that_of_torch(case):
    ours, theirs = make_twins(case.name, *case.args, **case.kwargs)

    assert repr(ours) == repr(theirs)


def gradients(module, inputs, result_of):
    leaves = [
        each for each in inputs if hasattr(each, "requires_grad") and each.is_floating_point()
    ]
    for leaf in leaves:
        leaf.requires_grad_(True)
    loss = result_of(module(*inputs))
    loss.backward()
    return tuple(leaf.grad for leaf in [*leaves, *module.parameters()])


def loss_of(result):
    result = result[0] if isinstance(result, tuple) else result
    return (result * result).sum()


@pytest.mark.parametrize(
    "case",
    [each for each in MODULES if each.name not in ("RReLU", "CrossMapLRN2d")],
    ids=lambda case: str(case)[:60],
)
def test_the_gradients_are_those_of_torch(case):
    ours, theirs = make_twins(case.name, *case.args, **case.kwargs)

    actual = gradients(ours, to_ours(case.inputs()), loss_of)

    assert_same(actual, gradients(theirs, case.inputs(), loss_of))


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("length", [4, 5])
def test_max_unpool_undoes_max_pool_as_in_torch(ndim, length):
    x = torch.randn(2, 3, *[length] * ndim, generator=torch.Generator().manual_seed(1))
    results = []
    for module, tensor in ((nn, to_ours(x)), (torch.nn, x)):
        pool = getattr(module, f"MaxPool{ndim}d")(2, stride=2, return_indices=True)
        values, places = pool(tensor)
        unpool = getattr(module, f"MaxUnpool{ndim}d")(2, stride=2)
        results.append((unpool(values, places, output_size=list(x.shape)), repr(unpool)))

    assert results[0][1] == results[1][1]
    assert_same(results[0][0], results[1][0])


def test_max_unpool_makes_sizes_of_the_windows():
    values, places = F.max_pool2d(ow.ones(1, 4, 6), 2, return_indices=True)

    assert F.max_unpool2d(values, places, 2).shape == (1, 4, 6)


@pytest.mark.parametrize("mode", ["nearest-exact", "area", "bilinear", "bicubic", "lanczos"])
def test_interpolate_has_the_modes_of_torch(mode):
    x = torch.randn(1, 2, 7, 9, generator=torch.Generator().manual_seed(1))
    antialias = mode in ("bilinear", "bicubic", "lanczos")

    actual = F.interpolate(to_ours(x), size=(4, 5), mode=mode, antialias=antialias)

    expected = torch.nn.functional.interpolate(x, size=(4, 5), mode=mode, antialias=antialias)
    assert_same(actual, expected)


def test_lanczos_needs_antialias():
    with pytest.raises(ValueError, match="mode 'lanczos' needs antialias=True"):
        F.interpolate(ow.ones(1, 1, 4, 4), size=2, mode="lanczos")


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample_of_an_affine_grid_is_that_of_torch(mode, padding):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, 3, 5, 6, generator=generator)
    theta = torch.randn(2, 2, 3, generator=generator)
    results = []
    for module, image, matrix in ((F, *map(to_ours, (x, theta))), (torch.nn.functional, x, theta)):
        grid = module.affine_grid(matrix, [2, 3, 4, 4], align_corners=False)
        results.append(module.grid_sample(image, grid, mode, padding, align_corners=False))

    assert_same(*results)


def test_a_hard_gumbel_sample_is_one_hot_with_a_gradient():
    logits = ow.zeros(5, 4, requires_grad=True)

    sample = F.gumbel_softmax(logits, hard=True)
    (sample * ow.arange(4.0)).sum().backward()

    assert sample.sum(1).tolist() == pytest.approx([1.0] * 5)
    assert float(logits.grad.abs().sum()) > 0


def test_rrelu_draws_slopes_between_its_bounds_in_training():
    x = -ow.ones(1000)

    slopes = -nn.RReLU(0.25, 0.75)(x)

    assert 0.25 <= float(slopes.min()) < 0.3
    assert 0.7 < float(slopes.max()) <= 0.75


def test_rrelu_with_noise_writes_the_slopes_that_it_used():
    x = ow.linspace(-2, 2, 1001)
    noise = ow.full_like(x, 9)

    result = ow.ops.aten.rrelu_with_noise(x, noise, 0.25, 0.75, True)

    negative = x <= 0
    assert (noise[~negative] == 1).all()
    assert 0.25 <= float(noise[negative].min()) < float(noise[negative].max()) <= 0.75
    assert (result == x * noise).all()


def test_the_classes_predicted_by_adaptive_softmax_are_the_most_probable():
    layer = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [3, 10])
    x = ow.randn(50, 8)

    assert layer.predict(x).tolist() == layer.log_prob(x).argmax(1).tolist()


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match=r"mode must be one of .* got 'median'"):
        F.embedding_bag(ow.tensor([0]), ow.ones(2, 2), ow.tensor([0]), mode="median")
    with pytest.raises(ValueError, match="give either output_size or output_ratio"):
        nn.FractionalMaxPool2d(2)
    with pytest.raises(ValueError, match="cutoffs must be unique, ascending and between 1 and 19"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 20, [10, 5])
    with pytest.raises(ValueError, match=r"no size of output_size .* may differ from"):
        F.max_unpool1d(ow.ones(1, 2), ow.tensor([[0, 2]]), 2, output_size=[9])
