"""Under a transform a compiled function computes what the function computes."""

import opwright as ow
import pytest
from opwright.func import grad, hessian, jacrev, jvp, vjp, vmap

from .same_results import BACKENDS, assert_same

FUNCTIONS = {
    "pointwise": lambda x: ow.sin(x * x) + ow.exp(x) * 0.5,
    "softmax": lambda x: ow.softmax(x, -1) * x,
    "norm": lambda x: ow.nn.functional.gelu(ow.nn.functional.layer_norm(x, (x.shape[-1],))),
    "fold": lambda x: (x - x.mean(-1, keepdim=True)).pow(2).sum(-1),
    "product": lambda x: ow.relu(x @ x.transpose(-1, -2)),
    "view": lambda x: ow.cat([x[..., 1:], x[..., :1] * 2], -1).transpose(-1, -2),
    "write": lambda x: x.clone().mul_(2).add_(x),
}
X = ow.randn(3, 4, generator=ow.Generator().manual_seed(1))


@pytest.fixture(params=BACKENDS)
def backend(request):
    return request.param


@pytest.fixture(params=FUNCTIONS)
def function(request):
    return FUNCTIONS[request.param]


def loss_of(function):
    return lambda x: function(x).sum()


def test_vmap(function, backend):
    compiled = ow.compile(function, backend=backend)
    batch = ow.stack([X, X + 1, X * 2])

    assert_same(vmap(compiled)(batch), vmap(function)(batch))


def test_grad(function, backend):
    compiled = ow.compile(loss_of(function), backend=backend)

    assert_same(grad(compiled)(X), grad(loss_of(function))(X))


def test_a_compiled_gradient(function, backend):
    compiled = ow.compile(grad(loss_of(function)), backend=backend)

    assert_same(compiled(X), grad(loss_of(function))(X))


def test_a_compiled_vmap_of_a_gradient(function, backend):
    batch = ow.stack([X, X + 1])
    per_sample = vmap(grad(loss_of(function)))

    assert_same(ow.compile(per_sample, backend=backend)(batch), per_sample(batch))


def test_jvp(function, backend):
    compiled = ow.compile(function, backend=backend)

    assert_same(jvp(compiled, (X,), (X + 1,)), jvp(function, (X,), (X + 1,)))


def test_vjp(function, backend):
    value, pull = vjp(ow.compile(function, backend=backend), X)
    plain_value, plain_pull = vjp(function, X)

    assert_same(value, plain_value)
    assert_same(pull(plain_value), plain_pull(plain_value))


def test_jacrev(backend):
    function = FUNCTIONS["softmax"]

    assert_same(jacrev(ow.compile(function, backend=backend))(X), jacrev(function)(X))


def test_hessian(backend):
    def energy(x):
        return (ow.sin(x) * x).sum()

    assert_same(hessian(ow.compile(energy, backend=backend))(X), hessian(energy)(X))


def test_make_fx_sees_through_it(function, backend):
    compiled = ow.compile(function, backend=backend)

    traced, plain = ow.make_fx(compiled)(X), ow.make_fx(function)(X)

    called, plainly_called = ([node.name for node in each.graph.nodes] for each in (traced, plain))
    assert called[1:] == plainly_called[1:]  # the first is the input
    assert_same(traced(X), function(X))


def test_export_sees_through_it(function, backend):
    class Model(ow.nn.Module):
        def forward(self, x):
            return ow.compile(function, backend=backend)(x)

    program = ow.export.export(Model(), (X,))

    assert_same(program.module()(X), function(X))


def test_functionalize(backend):
    def writes(x):
        y = x.clone()
        y[0].fill_(1)
        return y * x

    compiled = ow.compile(writes, backend=backend)

    assert_same(ow.func.functionalize(compiled)(X), writes(X))


def test_a_compiled_function_in_a_compiled_function(function, backend):
    inner = ow.compile(function, backend=backend)
    outer = ow.compile(lambda x: inner(x) * 2, backend=backend)

    assert_same(outer(X), function(X) * 2)


def test_fake_tensors_stay_fake(backend):
    compiled = ow.compile(FUNCTIONS["softmax"], backend=backend)
    mode = ow.FakeTensorMode()

    with mode:
        result = compiled(mode.from_tensor(X))

    assert isinstance(result, ow.Tensor)
    assert tuple(result.shape) == (3, 4)
    with pytest.raises(RuntimeError):
        result.tolist()


def test_no_grad_and_grad_modes_are_two_cases(backend):
    compiled = ow.compile(FUNCTIONS["pointwise"], backend=backend)
    x = X.clone().requires_grad_()

    with ow.no_grad():
        assert not compiled(x).requires_grad
    assert compiled(x).requires_grad
    with ow.no_grad():
        assert not compiled(x).requires_grad
