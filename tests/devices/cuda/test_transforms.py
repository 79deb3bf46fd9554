"""Autograd, vmap, traced and exported graphs, fake tensors and compile on device tensors."""

import opwright as ow
from opwright.func import grad, jvp, vmap

from .beside_cpu import assert_close


def network(x, weight, bias):
    hidden = (x @ weight + bias).relu()
    return hidden.softmax(-1).log().mean()


def tensors(device):
    ow.manual_seed(3)
    made = (ow.randn(16, 8), ow.randn(8, 4), ow.randn(4))
    return tuple(each.to(device) for each in made)


def test_gradients_are_those_of_the_cpu():
    def gradients(device):
        leaves = [each.detach().requires_grad_() for each in tensors(device)]
        network(*leaves).backward()
        return [each.grad for each in leaves]

    for actual, expected in zip(gradients("cuda"), gradients("cpu"), strict=True):
        assert actual.device.type == "cuda"
        assert_close(actual, expected, tolerance=1e-4)


def test_per_sample_gradients_are_those_of_the_cpu():
    def per_sample(device):
        x, weight, bias = tensors(device)
        return vmap(grad(network, argnums=1), in_dims=(0, None, None))(x, weight, bias)

    assert_close(per_sample("cuda"), per_sample("cpu"), tolerance=1e-4)


def test_a_traced_graph_runs_on_the_device():
    inputs = tensors("cuda")

    graph = ow.make_fx(network)(*inputs)

    assert_close(graph(*inputs), network(*tensors("cpu")), tolerance=1e-4)


def test_an_exported_program_runs_on_the_device():
    class Net(ow.nn.Module):
        def forward(self, x, weight, bias):
            return network(x, weight, bias)

    inputs = tensors("cuda")

    program = ow.export.export(Net(), inputs)

    assert_close(program.module()(*inputs), network(*tensors("cpu")), tolerance=1e-4)


def test_fake_tensors_know_their_device():
    with ow.fake.FakeTensorMode():
        x = ow.empty(4, 5, device="cuda")
        assert (x @ x.t()).device.type == "cuda"


def test_a_module_moves_to_the_device_and_trains():
    ow.manual_seed(0)
    net = ow.nn.Sequential(
        ow.nn.Linear(8, 16), ow.nn.ReLU(), ow.nn.LayerNorm(16), ow.nn.Linear(16, 2)
    )
    net = net.to("cuda")
    optimizer = ow.optim.Adam(net.parameters(), lr=0.02)
    x = ow.randn(64, 8, device="cuda")
    classes = (x[:, 0] > 0).to(ow.int64)

    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = ow.nn.functional.cross_entropy(net(x), classes)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    assert losses[-1] < 0.2 * losses[0]


def test_a_compiled_function_runs_on_the_device():
    compiled = ow.compile(network)

    for _ in range(2):
        assert_close(compiled(*tensors("cuda")), network(*tensors("cpu")), tolerance=1e-4)


def test_a_saved_program_runs_on_the_device(tmp_path):
    class Net(ow.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = ow.nn.Linear(8, 4)

        def forward(self, x):
            return self.linear(x).relu()

    net = Net().to("cuda")
    rows = ow.export.Dim("rows")
    program = ow.export.export(net, (tensors("cuda")[0],), dynamic_shapes={"x": {0: rows}})
    ow.export.save(program, tmp_path / "net.opw")

    loaded = ow.export.load(tmp_path / "net.opw").module()

    x = ow.randn(5, 8, device="cuda")
    assert loaded(x).device.type == "cuda"
    assert_close(loaded(x), net(x), tolerance=1e-6)


def test_forward_derivatives_are_those_of_the_cpu():
    def derivative(device):
        x, weight, bias = tensors(device)
        return jvp(lambda weight: network(x, weight, bias), (weight,), (weight * 0.5,))[1]

    assert_close(derivative("cuda"), derivative("cpu"), tolerance=1e-4)


def test_autocast_multiplies_in_halves():
    x, weight, _ = tensors("cuda")

    with ow.autocast("cuda", dtype=ow.bfloat16):
        product = x @ weight

    assert product.dtype == ow.bfloat16
    assert_close(product.to(ow.float32).cpu(), (x @ weight).cpu(), tolerance=5e-2)
