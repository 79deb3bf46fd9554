"""Training under compile(backend="ge"): forward and backward are graphs of the engine."""

import copy

import opwright as ow
import pytest
from opwright import ge, nn

F = nn.functional

DEVICES = ["cpu", pytest.param("opencl", marks=pytest.mark.devices)]


def make_network():
    ow.manual_seed(0)
    return nn.Sequential(
        nn.Linear(6, 16),
        nn.ReLU(),
        nn.LayerNorm(16),
        nn.Linear(16, 16),
        nn.GELU(),
        nn.Linear(16, 4),
    )


def make_image_network():
    ow.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1),
        nn.SiLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(3, 4, 3, padding=1),
        nn.Tanh(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 4),
    )


def train(model, x, labels, steps, wrap):
    """Give the losses of some steps and the gradients of the last one."""
    loss_of = wrap(lambda x, labels: F.cross_entropy(model(x), labels))
    optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(x, labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [parameter.grad for parameter in model.parameters()]


def assert_trains_as_eager(model, x, device):
    if not ow.is_available(device):  # checked here, so that nothing is loaded before
        pytest.skip(f"there is no device {device} here (PoCL makes one of the CPU for OpenCL)")
    labels = ow.tensor([0, 1, 2, 3, 0])
    compiled = []

    def compile_for_engine(f):
        compiled.append(ow.compile(f, backend="ge", fullgraph=True))
        return compiled[-1]

    there = copy.deepcopy(model).to(device)
    losses, gradients = train(there, x.to(device), labels.to(device), 5, compile_for_engine)
    expected, expected_gradients = train(model, x, labels, 5, lambda f: f)

    assert losses == pytest.approx(expected, rel=1e-4)
    assert expected[-1] < expected[0]
    for ours, theirs in zip(gradients, expected_gradients, strict=True):
        assert ours.device.type == device
        assert ow.allclose(ours.cpu(), theirs, rtol=1e-3, atol=1e-5)
    assert compiled[0].num_compiles == 1


@pytest.mark.parametrize("device", DEVICES)
def test_a_network_has_the_losses_and_gradients_of_eager(device):
    assert_trains_as_eager(make_network(), ow.randn(5, 6), device)


@pytest.mark.parametrize("device", DEVICES)
def test_a_network_over_images_has_the_losses_and_gradients_of_eager(device):
    assert_trains_as_eager(make_image_network(), ow.randn(5, 1, 8, 8), device)


def test_a_batch_of_any_size_is_trained_by_one_pair_of_graphs():
    model = make_network()
    loss_of = ow.compile(
        lambda x, labels: F.cross_entropy(model(x), labels), backend="ge", dynamic=True
    )

    for rows in (3, 5, 8):
        x, labels = ow.randn(rows, 6), ow.arange(rows) % 4
        model.zero_grad()
        loss_of(x, labels).backward()
        ours = [parameter.grad for parameter in model.parameters()]
        model.zero_grad()
        F.cross_entropy(model(x), labels).backward()
        for mine, parameter in zip(ours, model.parameters(), strict=True):
            assert ow.allclose(mine, parameter.grad, atol=1e-6)
    assert loss_of.num_compiles == 1


def test_the_backward_is_made_of_the_engines_ops():
    x = ow.randn(2, 3, requires_grad=True)
    with ow.library.Library("ge", "FRAGMENT") as kernels:
        kernels.impl(
            "ReluGrad", lambda gradients, features: gradients * (features > 0) * 100, "CPU"
        )
        ow.compile(lambda x: x.relu().sum(), backend="ge", fullgraph=True)(x).backward()

    assert ow.equal(x.grad, (x > 0) * 100.0)


GRADIENTS = {
    "abs": lambda x: x.abs(),
    "max": lambda x: x.max(),
    "cumsum": lambda x: x.cumsum(1),
    "sigmoid": lambda x: x.sigmoid(),
    "log_sigmoid": F.logsigmoid,
    "leaky_relu": F.leaky_relu,
    "hardtanh": F.hardtanh,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "softmax": lambda x: x.softmax(0) * x,
    "log_softmax": lambda x: x.log_softmax(-1) * x,
    "layer_norm without weight": lambda x: F.layer_norm(x, (6,)) * x,
    "mse_loss": lambda x: F.mse_loss(x, x.detach() + 1),
    "avg_pool": lambda x: F.avg_pool2d(x.view(1, 1, 3, 6), 2, stride=1) * 2,
    "slice": lambda x: x[:, 1:4] * 2,
    "select": lambda x: x[-1] * 2,
    "index_select": lambda x: x.index_select(0, ow.tensor([1, 1, 0])),
    "gather": lambda x: x.gather(1, ow.tensor([[0, 0], [2, 3], [1, 1]])),
    "embedding": lambda x: F.embedding(ow.tensor([1, 1, 0]), x),
    "stack": lambda x: ow.stack([x, x * 2]) ** 2,
    "smoothed labels": lambda x: F.cross_entropy(x, ow.tensor([0, 5, 2]), label_smoothing=0.1),
    "labels of pixels": lambda x: F.cross_entropy(
        x.view(1, 3, 2, 3), ow.tensor([[[0, 1, 2], [2, 1, 0]]]), weight=ow.tensor([1.0, 2.0, 3.0])
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_those_of_eager(name):
    ow.manual_seed(1)
    f = GRADIENTS[name]
    x = ow.randn(3, 6, requires_grad=True)

    ow.compile(lambda x: f(x).sum(), backend="ge", fullgraph=True)(x).backward()
    ours, x.grad = x.grad, None
    f(x).sum().backward()

    assert ow.allclose(ours, x.grad, atol=1e-6)


# ---- what is refused -----------------------------------------------------------------------------


@pytest.fixture
def half_way(npu):
    """Give trial_ge::half_way a converter; its backward has none."""
    npu.define("half_way(Tensor x) -> Tensor")
    npu.impl("half_way", lambda x: x / 2, "CPU")
    npu.impl("half_way", lambda x: ow.empty_like(x), "Meta")
    ow.convert.register_converter(
        "trial_ge::half_way",
        "ge",
        lambda x: ge.custom_op("TrialHalfWay", inputs={"x": x}, outputs=["y"]),
        lib=npu,
    )
    ow.library.register_autograd(
        "trial_ge::half_way",
        lambda context, grad: ow.ops.trial_ge.add_custom(grad, grad) / 4,  # the formula
        lib=npu,
    )
    return ow.ops.trial_ge.half_way


def test_an_operator_of_a_formula_without_a_converter_is_named_with_its_line(half_way, here):
    f = ow.compile(lambda x: half_way(x).sum(), backend="ge", fullgraph=True)
    loss = f(ow.ones(2, requires_grad=True))

    with pytest.raises(NotImplementedError, match="trial_ge::add_custom") as raised:
        loss.backward()

    assert f"trial_ge::add_custom ({here('the formula')}): it has no converter for GE" in str(
        raised.value
    )
    assert "register_fx_node_ge_converter" in str(raised.value)


def test_a_built_in_gradient_without_a_converter_is_named_with_the_line_of_the_call(here):
    f = ow.compile(lambda x: x.prod(), backend="ge", fullgraph=True)

    with pytest.raises(NotImplementedError, match="aten::cumprod") as raised:
        f(ow.ones(2, requires_grad=True)).backward()  # the call

    assert f"aten::cumprod ({here('the call')}): it has no converter for GE" in str(raised.value)
