"""Samples of overloads that no entry of the database reaches.

Each function yields (name, args, kwargs): aten's name and torch's arguments. If torch rejects a
sample, we must reject it. `--op` runs the samples of its names; nothing else lists them.
"""

import random
from collections import defaultdict
from collections.abc import Iterator

import torch

from .call import copy_arguments
from .handwritten_layers import LAYERS
from .replayer import Replayer
from .sample_tensors import DTYPES, REALS, layouts, values

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
ARITHMETIC = ("add", "sub", "rsub", "mul", "div", "floor_divide", "fmod", "remainder")
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor")


def numbers_as_operands() -> Iterator[tuple]:
    """x op 2 as a new tensor, in place and into `out`."""
    for name in (*COMPARISONS, *ARITHMETIC, *BITS):
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                number = 3 if name in BITS or not dtype.is_floating_point else 1.5
                yield f"{name}.Scalar", (tensor, number), {}
                if hasattr(torch.ops.aten, name + "_"):
                    yield f"{name}_.Scalar", (tensor.contiguous(), number), {}
                out = torch.empty(0, dtype=torch.bool if name in COMPARISONS else dtype)
                yield f"{name}.Scalar_out", (tensor, number), {"out": out}
    for name in (*BITS, "remainder"):
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                yield f"{name}.Scalar_Tensor", (13, tensor), {}
                yield f"{name}.Scalar_Tensor_out", (13, tensor), {"out": torch.empty_like(tensor)}


def rounded_divisions() -> Iterator[tuple]:
    for mode in ("floor", "trunc", None, "nearest"):
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                keyword = {"rounding_mode": mode}
                yield "div.Scalar_mode", (tensor, 2), keyword
                yield "div_.Scalar_mode", (tensor.contiguous(), 2), keyword
                yield (
                    "div.Scalar_mode_out",
                    (tensor, 2),
                    {**keyword, "out": torch.empty_like(tensor)},
                )


def choices() -> Iterator[tuple]:
    condition = torch.tensor([[True], [False], [True]])
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            for number in (2, 0.5, True):
                yield "where.ScalarSelf", (condition, number, tensor), {}
                yield "where.ScalarOther", (condition, tensor, number), {}
    for one, other in ((1, 2), (1, 0.5), (True, False), (1.5, 2j)):
        yield "where.Scalar", (condition, one, other), {}


def results_in_out() -> Iterator[tuple]:
    """Forms with `out`: of its dtype and another, of its size and empty."""
    calls = {
        "clamp.out": (-1, 2),
        "elu.out": (1.5,),
        "hardtanh.out": (-1, 1),
        "isinf.out": (),
        "isnan.out": (),
        "leaky_relu.out": (0.1,),
        "relu.out": (),
        "silu.out": (),
    }
    for name, others in calls.items():
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                for out_dtype in (dtype, torch.bool, torch.float64):
                    out = torch.empty_like(tensor, dtype=out_dtype)
                    yield name, (tensor, *others), {"out": out}
                    yield name, (tensor, *others), {"out": torch.empty(0, dtype=out_dtype)}
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            yield "pow.Scalar_out", (2, tensor), {"out": torch.empty_like(tensor)}
            yield (
                "rsub.Tensor_out",
                (tensor, values(1, dtype=dtype)),
                {"out": torch.empty(0, dtype=dtype)},
            )


def in_place() -> Iterator[tuple]:
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            yield "hardtanh_", (tensor.contiguous(), -1, 1), {}
            yield "gelu_", (tensor.contiguous(),), {}
            yield "gelu_", (tensor.contiguous(),), {"approximate": "tanh"}


def fills_and_copies() -> Iterator[tuple]:
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            for value in (torch.tensor(2), torch.tensor(1.5), torch.ones(1)):
                yield "fill.Tensor", (tensor, value), {}
                yield "fill_.Tensor", (tensor.contiguous(), value), {}
            for source in (values(4), values(1, 1, dtype=torch.int64), values(3, 4), values(5)):
                yield "copy", (tensor, source), {}


def views() -> Iterator[tuple]:
    tensor = values(2, 3, 4)
    for one, other in ((0, 1), (-1, 0), (2, 2), (3, 0), (0, -4)):
        yield "swapaxes", (tensor, one, other), {}
        yield "swapdims", (tensor, one, other), {}


def conversions() -> Iterator[tuple]:
    for tensor in layouts(torch.float32):
        for dtype in (None, torch.float32, torch.int64, torch.bool, torch.complex64):
            yield "to.dtype_layout", (tensor,), {"dtype": dtype, "layout": torch.strided}
            yield "to.dtype_layout", (tensor,), {"dtype": dtype, "copy": True}


def norms() -> Iterator[tuple]:
    for dtype in REALS:
        mean, variance = values(3, dtype=dtype), values(3, dtype=dtype).abs() + 1
        weight, bias = values(3, dtype=dtype), values(3, dtype=dtype).flip(0)
        for tensor in (
            values(2, 3, dtype=dtype),
            values(2, 3, 4, dtype=dtype),
            values(2, 3, 4, 5, dtype=dtype).contiguous(memory_format=torch.channels_last),
            values(0, 3, 4, dtype=dtype),
        ):
            for each in ((weight, bias), (None, None), (weight, None)):
                args = (tensor, *each, mean, variance, 0.1, 1e-5)
                yield "_native_batch_norm_legit_no_training", args, {}


def outs(tensor: torch.Tensor, dtype: torch.dtype | None = None) -> Iterator[torch.Tensor]:
    """Return tensors to write a result into: of its size, empty, of another dtype."""
    yield torch.empty_like(tensor, dtype=dtype)
    yield torch.empty(0, dtype=dtype or tensor.dtype)
    yield torch.empty(tensor.shape, dtype=torch.int64)


def plain_activations() -> Iterator[tuple]:
    for dtype in (*DTYPES, torch.bfloat16):
        for tensor in layouts(dtype):
            for name in ("relu6", "selu"):
                yield name, (tensor,), {}
            for name in ("relu6_", "selu_", "hardswish_"):
                yield name, (tensor.clone(),), {}
            for out in outs(tensor):
                for name in ("hardsigmoid.out", "hardswish.out", "mish.out"):
                    yield name, (tensor,), {"out": out}
                yield "threshold.out", (tensor, 0.5, 2), {"out": out}


# The arguments after grad_output and self.
ACTIVATION_GRADIENTS = {
    "gelu_backward": ((),),
    "hardshrink_backward": ((0.5,),),
    "hardsigmoid_backward": ((),),
    "hardtanh_backward": ((-1, 1.5),),
    "leaky_relu_backward": ((0.1, False), (0.1, True)),
    "logit_backward": ((), (0.1,)),
    "sigmoid_backward": ((),),
    "silu_backward": ((),),
    "softplus_backward": ((2, 1.5),),
    "softshrink_backward": ((0.5,),),
    "tanh_backward": ((),),
    "threshold_backward": ((0.5,),),
}


def activation_gradients() -> Iterator[tuple]:
    for dtype in (*REALS, torch.int64):
        for tensor in layouts(dtype):
            gradient = values(*tensor.shape, dtype=dtype).flip(-1) if tensor.dim() else tensor + 1
            for out in outs(tensor):
                given = {"grad_input": out}
                for name, variants in ACTIVATION_GRADIENTS.items():
                    for others in variants:
                        yield f"{name}.grad_input", (gradient, tensor, *others), given
                yield (
                    "gelu_backward.grad_input",
                    (gradient, tensor),
                    given | {"approximate": "tanh"},
                )
                for is_result in (False, True):
                    args = (gradient, 1.5, 1, 2, is_result, tensor)
                    yield "elu_backward.grad_input", args, given
                yield "hardswish_backward.out", (gradient, tensor), {"out": out}
                buffer = torch.empty(0, dtype=dtype)
                yield "log_sigmoid_backward.grad_input", (gradient, tensor, buffer), given


def loss_gradients() -> Iterator[tuple]:
    for dtype in REALS:
        for tensor in layouts(dtype):
            target = values(*tensor.shape, dtype=dtype) + 0.5
            for reduction, gradient in ((0, tensor + 1), (1, values(dtype=dtype)), (2, target)):
                for out in outs(tensor):
                    args = (gradient, tensor, target, reduction)
                    given = {"grad_input": out}
                    yield "mse_loss_backward.grad_input", args, given
                    yield "smooth_l1_loss_backward.grad_input", (*args, 0.75), given


def products() -> Iterator[tuple]:
    for dtype in (*DTYPES, torch.bfloat16):
        one, other = values(4, dtype=dtype), values(6, dtype=dtype)[::2]
        for pair in ((one, other), (other, one), (one[:0], other), (one[:1], values(2, 2))):
            yield "ger", pair, {}
        for tensor in layouts(dtype):
            end, weight = values(3, 4, dtype=dtype).flip(1), values(4, dtype=dtype)
            for out in outs(tensor):
                yield "lerp.Tensor_out", (tensor, end, weight), {"out": out}
            for number in (2, 0.5, 0, float("nan"), True):
                yield "xlogy.Scalar_Other", (tensor, number), {}
                yield "xlogy.Scalar_Self", (number, tensor), {}
                yield "xlogy_.Scalar_Other", (tensor.clone(), number), {}
                for out in outs(tensor):
                    yield "xlogy.OutScalar_Other", (tensor, number), {"out": out}
                    yield "xlogy.OutScalar_Self", (number, tensor), {"out": out}


def grids() -> Iterator[tuple]:
    for dtype in DTYPES:
        one, other = values(3, dtype=dtype), values(8, dtype=dtype)[1::2]
        for tensors in (
            [one],
            [one, other],
            [other, values(dtype=dtype), one],
            [one, other[:0]],
            [],
            [one, values(2, 2, dtype=dtype)],
            [one, values(2, dtype=torch.uint8)],
        ):
            yield "meshgrid", (tensors,), {}


def vector_norms() -> Iterator[tuple]:
    for dtype in (*DTYPES, torch.bfloat16):
        for tensor in layouts(dtype):
            for power in (2, 1, 0, 3, 0.5, -1, float("inf"), -float("inf")):
                yield "norm.Scalar", (tensor, power), {}
                for wide in (torch.float32, torch.float64, torch.complex64):
                    yield "norm.ScalarOpt_dtype", (tensor, power), {"dtype": wide}
                    for dims, keep in (([0], False), ([-1], True), ([0, 1], True), ([], False)):
                        args = (tensor, power, dims, keep)
                        yield "norm.ScalarOpt_dim_dtype", args, {"dtype": wide}
            yield "norm.ScalarOpt_dtype", (tensor, None), {"dtype": torch.float64}


def distances() -> Iterator[tuple]:
    """Losses between tensors that broadcast."""
    for dtype in (*REALS, torch.int64):
        for tensor in layouts(dtype):
            for target in (values(3, 4, dtype=dtype).abs(), values(4, dtype=dtype)):
                signs = torch.where(target > 0, 1, -1).to(dtype)
                for reduction in (0, 1, 2, 3):
                    yield "l1_loss", (tensor, target, reduction), {}
                    yield "kl_div", (tensor, target, reduction), {}
                    yield "kl_div", (tensor, target, reduction), {"log_target": True}
                    yield "hinge_embedding_loss", (tensor, signs, 0.5, reduction), {}
                    yield "margin_ranking_loss", (tensor, target, signs, 0.5, reduction), {}
        one, other = values(3, 4, dtype=dtype), values(4, 3, dtype=dtype).t()
        for signs in (torch.tensor([1, -1, 1]), torch.ones(3, 1), torch.tensor(1)):
            for reduction in (0, 1, 2):
                yield "cosine_embedding_loss", (one, other, signs, 0.1, reduction), {}
                yield "cosine_embedding_loss", (one[0], other[0], signs, 0.1, reduction), {}


def class_losses() -> Iterator[tuple]:
    for dtype in REALS:
        weight = values(4, dtype=dtype).abs() + 0.5
        for sizes in ((), (3,), (3, 2), (3, 2, 5), (0,), (0, 2, 5)):
            batch, *places = sizes or (0,)
            scores = values(*([batch, 4] if sizes else [4]), *places, dtype=dtype)
            target = torch.arange(torch.Size(sizes).numel()).reshape(sizes) % 4
            for each in (None, weight, weight[:3]):
                for reduction in (0, 1, 2):
                    for ignored in (-100, 1):
                        args = (scores, target, each, reduction, ignored)
                        for name in ("nll_loss", "nll_loss2d", "nll_loss_nd", "cross_entropy_loss"):
                            yield name, args, {}
                        yield "cross_entropy_loss", (*args, 0.2), {}
                    shares = scores.softmax(min(1, scores.dim() - 1))
                    yield "cross_entropy_loss", (scores, shares, each, reduction, -100, 0.1), {}
            yield "nll_loss_nd", (scores, target + 1), {}
            yield "nll_loss", (scores, target.to(torch.int32)), {}


def pools() -> Iterator[tuple]:
    for dtype in (*REALS, torch.int64):
        for dims in (1, 2, 3):
            sizes = (7, 6, 5)[:dims]
            whole = values(2, 3, *sizes, dtype=dtype)
            for tensor in (
                whole,
                whole[0],
                whole.transpose(1, -1).contiguous().transpose(1, -1),
                whole[:0],
                whole[:, :, ::2],
                whole[0, 0],
            ):
                for others in (
                    ([2],),
                    ([3], [2], [1]),
                    ([2], [1], [0], [2]),
                    ([2], [2], [0], [1], True),
                    ([2], [2], [2]),
                    ([9],),
                    ([2] * dims, [1] * dims, [1] * dims),
                ):
                    yield f"max_pool{dims}d", (tensor, *others), {}
                    if dims == 1:
                        yield "max_pool1d_with_indices", (tensor, *others), {}
                if dims == 1:
                    for size in (1, 3, 9, 0):
                        yield "adaptive_max_pool1d", (tensor, [size]), {}


def statistics_of_channels() -> Iterator[tuple]:
    """batch_norm and instance_norm, with and without running statistics."""
    for dtype in REALS:
        for tensor in (
            values(2, 3, 4, dtype=dtype),
            values(3, 2, 4, dtype=dtype).transpose(0, 1),
            values(2, 3, 4, 5, dtype=dtype).contiguous(memory_format=torch.channels_last),
            values(2, 3, dtype=dtype),
            values(0, 3, 4, dtype=dtype),
        ):
            mean, variance = values(3, dtype=dtype), values(3, dtype=dtype).abs() + 1
            weight, bias = values(3, dtype=dtype), values(3, dtype=dtype).flip(0)
            for learned in ((weight, bias), (None, None)):
                for kept in ((mean, variance), (None, None)):
                    for training in (True, False):
                        args = (tensor, *learned, *kept, training, 0.1, 1e-5, True)
                        yield "batch_norm", args, {}
                        yield "instance_norm", args, {}
        for tensor in layouts(dtype):
            for weight in (None, values(4, dtype=dtype)):
                for epsilon in (None, 1e-3):
                    yield "_fused_rms_norm", (tensor, [4], weight, epsilon), {}


def upsamplings() -> Iterator[tuple]:
    smooth = {1: ("linear1d",), 2: ("bilinear2d", "bicubic2d"), 3: ("trilinear3d",)}
    for dtype in (*REALS, torch.uint8):
        for dims in (1, 2, 3):
            whole = values(2, 3, *(4, 5, 3)[:dims], dtype=dtype)
            for tensor in (whole, whole.transpose(1, -1).contiguous().transpose(1, -1), whole[:0]):
                for size, scales in (
                    ([6, 3, 5][:dims], None),
                    (None, [2.0] * dims),
                    (None, [0.6] * dims),
                    ([6] * dims, [2.0] * dims),
                    (None, None),
                    ([6] * (dims + 1), None),
                ):
                    yield f"upsample_nearest{dims}d.vec", (tensor, size, scales), {}
                    yield f"_upsample_nearest_exact{dims}d.vec", (tensor, size, scales), {}
                    for name in smooth[dims]:
                        for aligned in (False, True):
                            yield f"upsample_{name}.vec", (tensor, size, aligned, scales), {}


GENERATOR = torch.Generator()


def random_numbers() -> Iterator[tuple]:
    for generator in (GENERATOR, None):
        given = {"generator": generator}
        for dtype in (None, *DTYPES):
            for size in ([3, 4], [], [0, 2]):
                yield "rand.generator", (size,), {**given, "dtype": dtype}
                yield "randn.generator", (size,), {**given, "dtype": dtype}
                yield "randint.generator", (5, size), {**given, "dtype": dtype}
                yield "randint.low_generator", (-5, 5, size), {**given, "dtype": dtype}
                yield "randint.low_generator", (5, 5, size), {**given, "dtype": dtype}
            for count in (0, 1, 7):
                yield "randperm", (count,), {"dtype": dtype}
                yield "randperm.generator", (count,), {**given, "dtype": dtype}
            yield "randperm.generator", (-1,), given
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                for name in ("rand_like", "randn_like"):
                    yield f"{name}.generator", (tensor,), {**given, "dtype": torch.float64}
                    yield f"{name}.generator", (tensor,), given
                yield "rand_like", (tensor,), {}
                yield "randint_like.generator", (tensor, 5), given
                yield "randint_like.low_generator_dtype", (tensor, -2, 5), given
                yield "randint_like.Tensor", (tensor, torch.tensor(5)), {}
                yield "randint_like.Tensor_generator", (tensor, torch.tensor(5)), given
                yield "random_", (tensor.clone(),), given
                yield "random_.from", (tensor.clone(), 0, 2), given
                yield "random_.from", (tensor.clone(), 2, None), given
                yield "random_.to", (tensor.clone(), 2), given
                yield "random_.to", (tensor.clone(), 0), given
                yield "bernoulli.p", (tensor, 0.25), given
                yield "bernoulli.p", (tensor, 1.25), given
                chances = values(*tensor.shape).abs() / 8
                yield "bernoulli.Tensor", (tensor, chances), given
                yield "bernoulli_.Tensor", (tensor.clone(), chances), given
                yield "bernoulli_.Tensor", (tensor.clone(), chances + 1), given
                squares = tensor * tensor
                yield "normal.float_Tensor", (1.5, squares), given
                yield "poisson", (squares, generator), {}
                yield "poisson", (tensor, generator), {}


def dropouts() -> Iterator[tuple]:
    names = ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
    for dtype in (*DTYPES, torch.bfloat16):
        for tensor in layouts(dtype):
            for chance in (0, 0.5, 1, 1.5):
                for training in (True, False):
                    for name in names:
                        yield name, (tensor, chance, training), {}
                        yield f"{name}_", (tensor.clone(), chance, training), {}
                if tensor.numel() == 0:
                    continue  # torch's empty mask has the dtype of the input
                for training in (True, False, None):
                    yield "native_dropout", (tensor, chance, training), {}


FAMILIES = (
    *LAYERS,
    numbers_as_operands,
    rounded_divisions,
    choices,
    results_in_out,
    in_place,
    fills_and_copies,
    views,
    conversions,
    norms,
    plain_activations,
    activation_gradients,
    loss_gradients,
    products,
    grids,
    vector_norms,
    distances,
    class_losses,
    pools,
    statistics_of_channels,
    upsamplings,
    random_numbers,
    dropouts,
)


def samples() -> Iterator[tuple]:
    for family in FAMILIES:
        yield from family()


def find_overload(name: str):
    base, _, form = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), form or "default")


def chosen_samples(rng: random.Random, limit: int | None) -> Iterator[tuple]:
    """Return all samples in order, or `limit` per overload."""
    if limit is None:
        yield from samples()
        return
    by_name = defaultdict(list)
    for sample in samples():
        by_name[sample[0]].append(sample)
    for group in by_name.values():
        yield from rng.sample(group, min(limit, len(group)))


def run_handwritten(replayer: Replayer, limit: int | None = None) -> None:
    replayer.entry = "handwritten"
    for name, args, kwargs in chosen_samples(replayer.rng, limit):
        with torch.no_grad():
            try:
                # Copies: samples share tensors, and torch writes to some.
                replayer.run(find_overload(name), *copy_arguments(args, kwargs))
            except (RuntimeError, IndexError, TypeError, ValueError):
                continue  # torch rejects it; that we do too was compared
