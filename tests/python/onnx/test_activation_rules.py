"""Activations, their gradients and dropout as ONNX nodes."""

from collections.abc import Callable

import opwright as ow
import pytest
from opwright.export import Dim
from opwright.nn import functional as F

from .exported import Exported, check_export, node_types, through_bfloat16

INF = float("inf")
NAN = float("nan")

EDGES = [0.0, -0.0, 0.5, -0.5, 1e-4, -1e-4, 3.0, -3.0, 6.5, -7.0, 25.0, -25.0, INF, NAN]

ACTIVATIONS: dict[str, Callable] = {
    "relu": F.relu,
    "relu6": F.relu6,
    "sigmoid": ow.sigmoid,
    "silu": F.silu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "elu": F.elu,
    "elu with alpha": lambda x: F.elu(x, alpha=0.7),
    "selu": F.selu,
    "celu": lambda x: F.celu(x, alpha=1.3),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 2.0),
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "mish": F.mish,
    "softplus": F.softplus,
    "softplus with beta": lambda x: F.softplus(x, beta=2.0, threshold=5.0),
    "logsigmoid": F.logsigmoid,
    "threshold": lambda x: F.threshold(x, 0.1, 20.0),
    "softshrink": lambda x: F.softshrink(x, 0.4),
    "hardshrink": lambda x: F.hardshrink(x, 0.4),
}


@pytest.mark.parametrize("dtype", [ow.float16, ow.float32, ow.float64], ids=str)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_gives_what_eager_gives(name: str, dtype: ow.dtype) -> None:
    check_export(ACTIVATIONS[name], ow.tensor(EDGES, dtype=dtype))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_of_bfloat16(name: str) -> None:
    fn = through_bfloat16(ACTIVATIONS[name])
    check_export(fn, ow.tensor(EDGES), opsets=(13, 18, 20), rtol=1e-2, atol=1e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_takes_free_sizes(name: str) -> None:
    check_export(
        lambda x: ACTIVATIONS[name](x),
        ow.randn(3, 4),
        dynamic_shapes={"x": {0: Dim("n")}},
        at=[(ow.randn(1, 4),), (ow.randn(7, 4),)],
        opsets=(12, 20),
    )


@pytest.mark.parametrize("dtype", [ow.float16, ow.float32], ids=str)
def test_gelu_is_exact_where_it_is_asked_to_be(dtype: ow.dtype) -> None:
    check_export(F.gelu, ow.tensor(EDGES, dtype=dtype))


def test_an_activation_is_the_node_that_the_opset_has() -> None:
    x = ow.rand(3)
    assert node_types(F.gelu, x, opset=20) == ["Gelu"]
    assert node_types(F.gelu, x, opset=19) == ["Mul", "Mul", "Erf", "Add", "Mul"]
    assert node_types(F.mish, x, opset=18) == ["Mish"]
    assert "Mish" not in node_types(F.mish, x, opset=17)
    assert node_types(F.hardswish, x, opset=14) == ["HardSwish"]
    assert "HardSwish" not in node_types(F.hardswish, x, opset=13)
    assert node_types(F.silu, x) == ["Sigmoid", "Mul"]
    assert node_types(F.leaky_relu, x) == ["LeakyRelu"]
    assert node_types(F.elu, x) == ["Elu"]
    assert node_types(F.selu, x) == ["Selu"]
    assert node_types(F.softplus, x) == ["Softplus"]
    assert node_types(F.hardsigmoid, x) == ["HardSigmoid"]
    assert node_types(F.relu, x.to(ow.float16)) == ["Relu"]


def test_relu_of_ints() -> None:
    check_export(F.relu, ow.tensor([-3, 0, 5]))
    check_export(F.relu, ow.tensor([-3, 0, 5], dtype=ow.int8))


@pytest.mark.parametrize("dtype", [ow.float16, ow.float32, ow.float64], ids=str)
def test_prelu_has_a_slope_for_each_channel(dtype: ow.dtype) -> None:
    x, weight = ow.randn(2, 3, 4).to(dtype), ow.tensor([0.1, 0.5, -0.2], dtype=dtype)
    check_export(F.prelu, x, weight)
    check_export(F.prelu, x, weight[:1], opsets=(12, 20))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_glu_gates_a_half_by_the_other(dim: int) -> None:
    check_export(lambda x: F.glu(x, dim), ow.randn(4, 2, 6))


def test_logit_with_and_without_eps() -> None:
    check_export(lambda x: ow.logit(x), ow.tensor([0.0, 0.2, 0.5, 1.0, 1.5]))
    check_export(lambda x: ow.logit(x, 0.1), ow.tensor([0.0, 0.2, 0.5, 1.0, NAN]))


# ---- Gradients of activations, in graphs that compute them ----

FORWARD = [name for name in ACTIVATIONS if name not in {"logsigmoid", "celu"}]


@pytest.mark.parametrize("name", FORWARD)
def test_a_gradient_of_an_activation(name: str) -> None:
    gradient = ow.func.grad(lambda x: ACTIVATIONS[name](x).sum())
    check_export(gradient, ow.tensor([0.3, -0.3, 1.7, -1.7, 4.0]), opsets=(12, 20), rtol=1e-5)


# ---- Dropout ----


@pytest.mark.parametrize(
    "fn",
    [F.dropout, F.alpha_dropout, F.dropout2d, F.feature_alpha_dropout],
    ids=["dropout", "alpha_dropout", "dropout2d", "feature_alpha_dropout"],
)
def test_dropout_is_no_node_where_it_does_nothing(fn: Callable) -> None:
    module = lambda x: fn(x * 2, 0.5, training=False)  # noqa: E731
    x = ow.rand(2, 3, 4, 4)
    assert node_types(module, x) == ["Mul"]
    check_export(module, x, opsets=(12, 20))


def test_dropout_in_training_is_refused_with_what_to_do() -> None:
    def drop(x: ow.Tensor) -> ow.Tensor:
        return F.dropout(x, 0.5, training=True)

    with pytest.raises(NotImplementedError) as refusal:
        Exported(drop, (ow.rand(3),), 20)
    assert "Export the module in eval mode" in str(refusal.value)
