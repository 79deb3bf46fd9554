"""Gradient helpers, losses, norms and related operators match torch."""
# Covers: src/ops/*/*_gradients.

import pytest

from .torch_referee import INTS, REALS, Calls, check_against_torch, torch

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 6.0, 1e-8, -1e-30, 25.0, -30.0, 1e5]
SPECIAL += [float("inf"), float("-inf"), float("nan")]
# The arguments after grad_output and self or output.
BACKWARD = {
    "threshold_backward": (0.25,),
    "sigmoid_backward": (),
    "tanh_backward": (),
    "gelu_backward": (),
    "silu_backward": (),
    "hardtanh_backward": (-0.5, 0.75),
    "leaky_relu_backward": (0.1, False),
    "softplus_backward": (2.0, 3.0),
    "hardswish_backward": (),
    "hardsigmoid_backward": (),
    "mish_backward": (),
    "logit_backward": (0.1,),
    "softshrink_backward": (0.5,),
    "hardshrink_backward": (0.5,),
}
FORWARD = {
    "threshold": (0.25, 2),
    "softplus": (2.0, 3.0),
    "hardswish": (),
    "hardsigmoid": (),
    "mish": (),
    "log_sigmoid": (),
    "log_sigmoid_forward": (),
    "logit": (),
    "celu": (1.5,),
    "selu": (),
    "relu6": (),
    "softshrink": (0.5,),
    "hardshrink": (0.5,),
}


def activation_calls(calls: Calls) -> None:
    for op, args in FORWARD.items():
        for dtype in [*REALS, *REALS, "int64"]:
            calls.add(f"aten::{op}", calls.tensor(calls.sizes(), dtype), *args)
    for op in ("threshold", "hardswish", "hardsigmoid", "mish", "logit", "celu", "selu", "relu6"):
        calls.add(f"aten::{op}_", calls.tensor([3, 4], "float32"), *FORWARD[op])
    for dtype in REALS:
        x = torch.tensor(SPECIAL).to(getattr(torch, dtype))
        for op, args in FORWARD.items():
            calls.add(f"aten::{op}", x, *args)
        calls.add("aten::logit", x.sigmoid(), 0.2)
        calls.add("aten::prelu", calls.tensor([2, 3, 4], dtype), calls.tensor([3], dtype))
        calls.add("aten::prelu", calls.tensor([2, 3, 4], dtype), calls.tensor([], dtype))
        calls.add("aten::prelu", calls.tensor([2, 3], dtype), calls.tensor([2], dtype))
        calls.add("aten::glu", calls.tensor([2, 6, 4], dtype), 1)
        calls.add("aten::glu", calls.tensor([2, 3], dtype), 1)
        calls.add("aten::glu_backward", calls.tensor([2, 3], dtype), calls.tensor([2, 6], dtype), 1)


def activation_gradient_calls(calls: Calls) -> None:
    for op, args in BACKWARD.items():
        for dtype in [*REALS, *REALS, "complex64", "int64"]:
            if dtype == "int64" and op != "threshold_backward":
                continue
            a, b = calls.broadcast_pair()
            if op == "gelu_backward":  # torch's does not broadcast halves
                b = a
            calls.add(f"aten::{op}", calls.tensor(a, dtype), calls.tensor(b, dtype), *args)
        x = torch.tensor(SPECIAL)
        calls.add(f"aten::{op}", torch.ones_like(x), x, *args)
        grad = calls.tensor([3, 4], "float32")
        if op not in ("mish_backward", "hardswish_backward"):
            calls.add(
                f"aten::{op}.grad_input",
                grad,
                calls.tensor([3, 4], "float32"),
                *args,
                grad_input=torch.empty(0),
            )
    for dtype in REALS:
        grad, x = calls.tensor([3, 4], dtype), calls.tensor([3, 4], dtype)
        calls.add("aten::gelu_backward", grad, x, approximate="tanh")
        calls.add("aten::gelu_backward", grad, x, approximate="other")
        calls.add("aten::logit_backward", grad, x.sigmoid())
        for is_result in (True, False):
            calls.add("aten::elu_backward", grad, 1.5, 0.5, 2.0, is_result, x)
        calls.add("aten::elu_backward", grad, -1.5, 0.5, 2.0, True, x)
        calls.add("aten::leaky_relu_backward", grad, x, -0.1, True)
        calls.add("aten::log_sigmoid_backward", grad, x, torch.exp(-x.abs()))
        calls.add("aten::_prelu_kernel_backward", grad, x, calls.tensor([4], dtype))


def interpolation_calls(calls: Calls) -> None:
    for dtype in [*REALS, "complex64"]:
        a, b = calls.broadcast_pair()
        x, y = calls.tensor(a, dtype), calls.tensor(b, dtype)
        for weight in (0.25, 0.75, -2):
            calls.add("aten::lerp.Scalar", x, y, weight)
        calls.add("aten::lerp.Tensor", x, y, calls.tensor(b, dtype))
        calls.add("aten::lerp.Tensor", x, y, calls.tensor(b, "float64"))
    for dtype in [*REALS, *INTS]:
        a, b = calls.broadcast_pair()
        calls.add("aten::xlogy.Tensor", calls.tensor(a, dtype), calls.tensor(b, dtype))
        calls.add("aten::xlogy.Scalar_Self", 2, calls.tensor(b, dtype))
        calls.add("aten::xlogy.Scalar_Other", calls.tensor(a, dtype), 3.0)
    x = torch.tensor(SPECIAL)
    calls.add("aten::xlogy.Tensor", x[:, None], x)


ELEMENTWISE_LOSSES = {"mse_loss": (), "smooth_l1_loss": (0.5,), "huber_loss": (0.7,)}


def elementwise_loss_calls(calls: Calls) -> None:
    for op, args in ELEMENTWISE_LOSSES.items():
        for dtype in REALS:
            for reduction in (0, 1, 2):
                a, b = calls.broadcast_pair()
                x, y = calls.tensor(a, dtype), calls.tensor(b, dtype)
                calls.add(f"aten::{op}", x, y, reduction, *args)
                grad = calls.tensor(a if reduction == 0 else [], dtype)
                calls.add(f"aten::{op}_backward", grad, x, y, reduction, *args)
                calls.add("aten::l1_loss", x, y, reduction)
    calls.add("aten::smooth_l1_loss", torch.ones(3), torch.zeros(3), 1, 0.0)
    calls.add("aten::huber_loss", torch.ones(3), torch.zeros(3), 1, 0.0)
    calls.add("aten::mse_loss", torch.ones(3).long(), torch.ones(3).long())


def probability_loss_calls(calls: Calls) -> None:
    for dtype in REALS:
        for reduction in (0, 1, 2):
            sizes = calls.sizes()
            logits, target = calls.tensor(sizes, dtype), calls.tensor(sizes, dtype).sigmoid()
            x = logits.sigmoid()
            weight = calls.random.choice([None, calls.tensor(sizes, dtype)])
            name = "aten::binary_cross_entropy"
            calls.add(name, x, target, weight, reduction)
            grad = calls.tensor(sizes if reduction == 0 else [], dtype)
            calls.add(f"{name}_backward", grad, x, target, weight, reduction)
            calls.add(f"{name}_with_logits", logits, target, weight, None, reduction)
            positive = calls.tensor(sizes[-1:], dtype)
            calls.add(f"{name}_with_logits", logits, target, weight, positive, reduction)
            for log_target in (False, True):
                calls.add("aten::kl_div", logits, target, reduction, log_target=log_target)
            sign = target.round() * 2 - 1
            calls.add("aten::soft_margin_loss", logits, sign, reduction)
            calls.add("aten::hinge_embedding_loss", logits, sign, 0.5, reduction)
            calls.add("aten::margin_ranking_loss", logits, x, sign, 0.5, reduction)
            vectors = [calls.tensor([4, 3], dtype) for _ in range(2)]
            pairs = torch.tensor([1, -1, 1, -1])
            calls.add("aten::cosine_embedding_loss", *vectors, pairs, 0.1, reduction)
    calls.add("aten::binary_cross_entropy", torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0]))
    calls.add("aten::binary_cross_entropy", torch.tensor([0.5, 1.5]), torch.ones(2))
    calls.add("aten::binary_cross_entropy", torch.tensor([0.5, float("nan")]), torch.ones(2))


def class_loss_calls(calls: Calls) -> None:
    for dtype in REALS:
        for reduction in (0, 1, 2):
            for sizes in ([5], [4, 5], [3, 5, 2, 4], [3, 5, 2], [2, 5, 3, 2, 2]):
                x = calls.tensor(sizes, dtype)
                x = x.contiguous() if x.dim() == 4 else x  # torch's gradient needs it
                shape = [sizes[0], *sizes[2:]] if len(sizes) > 1 else []
                target = torch.randint(0, 5, shape, generator=torch.Generator().manual_seed(3))
                weight = calls.random.choice([None, calls.tensor([5], dtype).abs() + 0.1])
                ignored = calls.random.choice([-100, 2])
                rest = (weight, reduction, ignored)
                calls.add("aten::nll_loss_nd", x, target, *rest)
                for smoothing in (0.0, 0.2):
                    calls.add("aten::cross_entropy_loss", x, target, *rest, smoothing)
                    probabilities = calls.tensor(sizes, dtype).softmax(min(1, x.dim() - 1))
                    calls.add(
                        "aten::cross_entropy_loss",
                        x,
                        probabilities,
                        weight,
                        reduction,
                        -100,
                        smoothing,
                    )
                if x.dim() not in (1, 2, 4):
                    continue
                name = "aten::nll_loss2d" if x.dim() == 4 else "aten::nll_loss"
                calls.add(name, x, target, *rest)
                calls.add(f"{name}_forward", x, target, *rest)
                grad = calls.tensor(shape if reduction == 0 else [], dtype)
                calls.add(f"{name}_backward", grad, x, target, *rest, torch.tensor(3.0).to(x.dtype))
    calls.add("aten::nll_loss", torch.ones(2, 3), torch.tensor([0, 3]))
    calls.add("aten::nll_loss", torch.ones(2, 3), torch.tensor([0, 1, 2]))
    calls.add("aten::nll_loss", torch.ones(2, 3), torch.tensor([1, 1]), None, 1, 1)
    calls.add("aten::nll_loss", torch.ones(0, 3), torch.tensor([], dtype=torch.int64))


def softmax_gradient_calls(calls: Calls) -> None:
    for op in ("softmax", "log_softmax"):
        for dtype in REALS:
            for _ in range(5):
                sizes = calls.sizes()
                dim = calls.random.randint(-max(1, len(sizes)), max(1, len(sizes)) - 1)
                x = calls.tensor(sizes, dtype)
                y = getattr(torch, op)(x, dim)
                grad = calls.tensor(sizes, dtype)
                calls.add(f"aten::_{op}_backward_data", grad, y, dim, y.dtype)
                calls.add(f"aten::{op}.int", x, dim)
                calls.add(f"aten::{op}.int", x, dim, torch.float64)
        calls.add(f"aten::{op}.int", torch.arange(6).view(2, 3), 1, torch.float32)
        x = calls.tensor([3, 1000], "float32")
        calls.add(f"aten::_{op}_backward_data", x, getattr(torch, op)(x, 1), 1, torch.float32)
        calls.add(f"aten::_{op}_backward_data", x, getattr(torch, op)(x, 0), 0, torch.float32)


def parameter(calls: Calls, sizes: list[int], dtype: str) -> torch.Tensor | None:
    return calls.tensor(sizes, dtype).contiguous() if calls.random.random() < 0.7 else None


def mask(calls: Calls) -> list[bool]:
    return [calls.random.random() < 0.7 for _ in range(3)]


def layer_norm_calls(calls: Calls) -> None:
    for _ in range(60):
        dtype = calls.dtype(REALS)
        x = calls.tensor(calls.sizes(calls.random.randint(1, 4)), dtype)
        shape = list(x.shape[calls.random.randrange(x.dim()) :])
        weight = calls.tensor(shape, dtype).contiguous()
        bias = calls.tensor(shape, dtype).contiguous()
        if x.numel() == 0 or weight.numel() == 1:  # for one element there is only rounding
            continue
        calls.add("aten::layer_norm", x, shape, weight, bias)
        wide = x.double()
        _, mean, rstd = torch.native_layer_norm(wide, shape, None, None, 1e-5)
        statistics = (mean.to(x.dtype), rstd.to(x.dtype))
        grad = calls.tensor(list(x.shape), dtype)
        calls.add(
            "aten::native_layer_norm_backward",
            grad,
            x,
            shape,
            *statistics,
            weight,
            bias,
            mask(calls),
        )
        calls.add("aten::rms_norm", x, shape, parameter(calls, shape, dtype))
        calls.add("aten::rms_norm", x, shape, None, 1e-3)
        calls.add("aten::_fused_rms_norm", x, shape, parameter(calls, shape, dtype), 1e-3)


def image(calls: Calls, dtype: str, channels: int) -> torch.Tensor:
    spatial = calls.random.choice([[4], [4, 3], [2, 5]])
    x = calls.tensor([calls.random.randint(2, 3), channels, *spatial], dtype)
    if x.dim() == 4 and calls.random.random() < 0.4:
        x = x.contiguous(memory_format=torch.channels_last)
    return x if x.is_contiguous(memory_format=torch.channels_last) else x.contiguous()


def group_norm_calls(calls: Calls) -> None:
    for _ in range(60):
        dtype = calls.dtype(REALS)
        x = image(calls, dtype, 6)
        area = x[0, 0].numel()
        if not area:
            continue
        group = calls.random.choice([1, 2, 3, 6])
        weight, bias = calls.tensor([6], dtype).contiguous(), parameter(calls, [6], dtype)
        calls.add("aten::group_norm", x, group, weight, bias)
        sizes = (x.shape[0], 6, area, group)
        _, mean, rstd = torch.native_group_norm(x.double().contiguous(), None, None, *sizes, 1e-5)
        grad = torch.empty_like(x).copy_(calls.tensor(list(x.shape), dtype))
        calls.add(
            "aten::native_group_norm_backward",
            # torch crashes if the gradient of a channels-last input is omitted.
            *(
                grad,
                x,
                mean.to(x.dtype),
                rstd.to(x.dtype),
                weight,
                *sizes,
                [True, *mask(calls)[1:]],
            ),
        )


def batch_norm_calls(calls: Calls) -> None:
    for _ in range(60):
        dtype = calls.dtype(["float32", "float64"])
        x = image(calls, dtype, 5)
        if x.numel() == 0:
            continue
        weight, bias = parameter(calls, [5], dtype), parameter(calls, [5], dtype)
        mean, variance = calls.tensor([5], dtype).contiguous(), calls.tensor([5], dtype).abs()
        training = calls.random.random() < 0.6
        rest = (weight, bias, mean, variance, training, 0.1, 1e-5)
        calls.add("aten::native_batch_norm", x, *rest)
        calls.add("aten::batch_norm", x, *rest, False)
        calls.add("aten::batch_norm", x, weight, bias, None, None, True, 0.1, 1e-5, False)
        calls.add("aten::instance_norm", x, weight, bias, None, None, True, 0.1, 1e-5, False)
        calls.add(
            "aten::instance_norm", x, weight, bias, mean, variance, training, 0.1, 1e-5, False
        )
        grad = torch.empty_like(x).copy_(calls.tensor(list(x.shape), dtype))
        saved = (mean, variance + 0.5)
        calls.add(
            "aten::native_batch_norm_backward",
            *(grad, x, weight, mean, variance, *saved, training, 1e-5, mask(calls)),
        )


def embedding_gradient_calls(calls: Calls) -> None:
    for dtype in REALS:
        for scale in (False, True):
            for padding in (-1, 2):
                sizes = calls.sizes(calls.random.randint(0, 2))
                indices = torch.randint(0, 6, sizes, generator=torch.Generator().manual_seed(5))
                grad = calls.tensor([*sizes, 4], dtype)
                name = "aten::embedding_dense_backward"
                calls.add(name, grad, indices, 6, padding, scale)
                calls.add(name, grad, indices.int(), 6, padding, scale)
    grad = calls.tensor([3000, 40], "float32")
    indices = torch.randint(0, 50, [3000], generator=torch.Generator().manual_seed(5))
    calls.add("aten::embedding_dense_backward", grad, indices, 50, -1, False)


def vector_norm_calls(calls: Calls) -> None:
    orders = [0, 1, 2, 3, 0.5, -1, -2, float("inf"), float("-inf")]
    for order in orders:
        for dtype in [*REALS, "complex64", "int64"]:
            x = calls.tensor(calls.sizes(), dtype)
            dim = calls.random.choice([None, [0] if x.dim() else None, [-1] if x.dim() else []])
            calls.add("aten::linalg_vector_norm", x, order, dim, calls.random.random() < 0.5)
        calls.add("aten::linalg_vector_norm", torch.ones(3), order, dtype=torch.float64)
        calls.add("aten::linalg_vector_norm", torch.ones(0, 3), order, [0])
        calls.add("aten::linalg_vector_norm", torch.tensor([1.0, float("nan")]), order)
        calls.add("aten::norm.Scalar", calls.tensor([3, 4], "float32"), order)
        calls.add("aten::norm.ScalarOpt_dim", calls.tensor([3, 4], "float32"), order, [1], True)
    x = calls.tensor([3, 4], "float32")
    calls.add("aten::norm.ScalarOpt_dim", x, None, [])
    calls.add("aten::norm.ScalarOpt_dim_dtype", x, None, [0], False, dtype=torch.float64)
    calls.add("aten::norm.ScalarOpt_dtype", x, None, dtype=torch.float64)
    for dtype in REALS:
        a, b = calls.tensor([3, 4, 2], dtype), calls.tensor([4, 1], dtype)
        calls.add("aten::cosine_similarity", a, b, 1)
        calls.add("aten::pairwise_distance", a[..., 0], b[:, 0])


def deviation_calls(calls: Calls) -> None:
    for op in ("std", "var", "std_mean", "var_mean"):
        for dtype in [*REALS, "complex64", "int64"]:
            x = calls.tensor(calls.sizes(), dtype)
            dim = calls.random.choice([None, [0] if x.dim() else None])
            calls.add(
                f"aten::{op}.correction", x, dim, correction=calls.random.choice([0, 1, 2, None])
            )
            calls.add(f"aten::{op}", x, calls.random.random() < 0.5)
            calls.add(f"aten::{op}.dim", x, dim, calls.random.random() < 0.5, True)


def composite_reduction_calls(calls: Calls) -> None:
    infinity = float("inf")
    for dtype in [*REALS, "int64", "bool"]:
        for _ in range(3):
            x = calls.tensor(calls.sizes(), dtype)
            dim = [calls.random.randrange(x.dim())] if x.dim() else []
            calls.add("aten::logsumexp", x, dim or [0], calls.random.random() < 0.5)
            calls.add("aten::count_nonzero", x)
            calls.add("aten::count_nonzero.dim_IntList", x, dim)
            if x.dim():
                calls.add("aten::count_nonzero", x, dim[0])
        if dtype != "bool":
            calls.add("aten::trace", calls.tensor([3, 4], dtype))
    x = torch.tensor([[infinity, 1.0], [-infinity, -infinity], [float("nan"), 1.0]])
    calls.add("aten::logsumexp", x, [1])
    calls.add("aten::trace", torch.ones(3))


def scan_calls(calls: Calls) -> None:
    for dtype in [*REALS, "complex64", *INTS, "bool"]:
        for _ in range(3):
            x = calls.tensor(calls.sizes(), dtype)
            dim = calls.random.randint(-max(1, x.dim()), max(1, x.dim()) - 1)
            calls.add("aten::cumprod", x, dim)
            calls.add("aten::cumprod", x, dim, dtype=torch.float64)
            if dtype != "complex64":
                calls.add("aten::logcumsumexp", x, dim)
            if x.dim() and dtype not in ("uint8",):
                calls.add("aten::diff", x, calls.random.randint(0, 3), dim)
    infinity = float("inf")
    values = torch.tensor([1.0, -infinity, infinity, 2.0, float("nan"), 1.0])
    calls.add("aten::logcumsumexp", values, 0)
    calls.add("aten::logcumsumexp", torch.tensor([-infinity, -infinity, 3.0]), 0)
    x = calls.tensor([3, 4], "float32")
    calls.add("aten::diff", x, 1, 0, x[:1], x[1:])


def triangle_calls(calls: Calls) -> None:
    for op in ("tril", "triu"):
        for dtype in ["bool", *INTS, *REALS, "complex128"]:
            x = calls.tensor(calls.sizes(calls.random.randint(1, 4)), dtype)
            calls.add(f"aten::{op}", x, calls.random.randint(-4, 4))
            calls.add(f"aten::{op}_", x, calls.random.randint(-2, 2))
        calls.add(f"aten::{op}", torch.ones(3, 3), 2**62 - 1)
        calls.add(f"aten::{op}", torch.ones(3, 3), -(2**62))


def repeated_calls(calls: Calls) -> None:
    counts = torch.tensor([2, 0, 3])
    x = calls.tensor([3, 2], "float32")
    for dim in (None, 0, 1, -1, 2):
        calls.add("aten::repeat_interleave.self_int", x, 2, dim)
    calls.add("aten::repeat_interleave.self_int", x, -1)
    calls.add("aten::repeat_interleave.self_Tensor", x, counts, 0)
    calls.add("aten::repeat_interleave.self_Tensor", x, counts, 1)
    calls.add("aten::repeat_interleave.self_Tensor", x, torch.tensor([2]), 1)
    calls.add("aten::repeat_interleave.self_Tensor", x, torch.tensor(2))
    calls.add("aten::repeat_interleave.self_Tensor", x, counts, 0, output_size=5)
    calls.add("aten::repeat_interleave.Tensor", counts)
    calls.add("aten::repeat_interleave.Tensor", counts.int())
    calls.add("aten::repeat_interleave.Tensor", -counts)
    calls.add("aten::outer", calls.tensor([3], "float32"), calls.tensor([4], "int64"))
    calls.add("aten::outer", calls.tensor([3], "float32"), x)
    calls.add("aten::one_hot", torch.tensor([[0, 2], [1, 1]]))
    calls.add("aten::one_hot", torch.tensor([0, 2]), 5)
    calls.add("aten::one_hot", torch.tensor(1), 3)
    calls.add("aten::one_hot", torch.tensor([0, 5]), 3)
    calls.add("aten::one_hot", torch.tensor([-1]), 3)


def indexed_write_calls(calls: Calls) -> None:
    for dtype in ["bool", *INTS, *REALS, "complex64"]:
        for _ in range(3):
            sizes = calls.sizes(calls.random.randint(1, 3))
            dim = calls.random.randrange(len(sizes))
            if sizes[dim] == 0:
                continue
            index = torch.randint(0, sizes[dim], [3], generator=torch.Generator().manual_seed(2))
            x = calls.tensor(sizes, dtype)
            source = calls.tensor([3 if i == dim else size for i, size in enumerate(sizes)], dtype)
            for name in ("index_add", "index_add_"):
                calls.add(f"aten::{name}", x, dim, index, source)
            unique = index.unique()
            part = source.narrow(dim, 0, unique.numel())
            for name in ("index_copy", "index_copy_"):
                calls.add(f"aten::{name}", x, dim, unique, part)
            for name in ("index_fill", "index_fill_"):
                calls.add(f"aten::{name}.int_Scalar", x, dim, index, 1)
                calls.add(f"aten::{name}.int_Tensor", x, dim, index, torch.tensor(1).to(x.dtype))
            along = index.view([-1 if i == dim else 1 for i in range(len(sizes))])
            calls.add("aten::take_along_dim", x, along, dim)
        x = calls.tensor([4], dtype)
        calls.add("aten::take_along_dim", x, torch.tensor([[1, 2], [0, 0]]))
    x = torch.ones(4, 2)
    calls.add("aten::index_add", x, 0, torch.tensor([1, 2]), torch.ones(2, 2), alpha=2)
    calls.add("aten::index_add", x, 0, torch.tensor([1, 4]), torch.ones(2, 2))
    calls.add("aten::index_add", x, 0, torch.tensor([-1]), torch.ones(1, 2))
    calls.add("aten::index_add", x, 0, torch.tensor([1]), torch.ones(2, 2))
    calls.add("aten::index_add", torch.tensor(1.0), 0, torch.tensor([0]), torch.tensor([2.0]))


@pytest.mark.parametrize(
    "make_calls",
    [
        activation_calls,
        activation_gradient_calls,
        interpolation_calls,
        elementwise_loss_calls,
        probability_loss_calls,
        class_loss_calls,
        softmax_gradient_calls,
        layer_norm_calls,
        group_norm_calls,
        batch_norm_calls,
        embedding_gradient_calls,
        vector_norm_calls,
        deviation_calls,
        composite_reduction_calls,
        scan_calls,
        triangle_calls,
        repeated_calls,
        indexed_write_calls,
    ],
)
def test_gradients_and_losses_give_what_torch_gives(make_calls):
    check_against_torch(make_calls)
