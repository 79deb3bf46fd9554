"""Compiled training: values and gradients are those of eager execution."""

import opwright as ow
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from .random_programs import make_tensor, programs
from .same_results import BACKENDS, assert_same

F = ow.nn.functional


def seeded(*shape, seed=1):
    return ow.randn(*shape, generator=ow.Generator().manual_seed(seed))


FUNCTIONS = {
    "pointwise": (lambda x, y: ow.sin(x * y) + ow.exp(x * 0.1) / (1 + y * y), [(4, 5), (4, 5)]),
    "broadcast": (lambda x, y: ow.tanh(x + y) * x, [(4, 5), (5,)]),
    "softmax": (lambda x: ow.softmax(x, -1) * x, [(4, 5)]),
    "norm and gelu": (lambda x, w, b: F.gelu(F.layer_norm(x, (5,), w, b)), [(4, 5), (5,), (5,)]),
    "linear": (lambda x, w, b: ow.relu(F.linear(x, w, b)), [(4, 5), (3, 5), (3,)]),
    "gated": (lambda x, w: F.silu((x * w).chunk(2, -1)[0]) * x[..., :3], [(4, 6), (6,)]),
    "views": (lambda x: ow.cat([x[:, 1:], x[:, :1] * 2], 1).transpose(0, 1) * 3, [(4, 5)]),
    "folds": (lambda x: (x - x.mean(-1, keepdim=True)).pow(2).sum(-1).sqrt(), [(4, 5)]),
    "write": (lambda x: (x * 2).add_(1).mul_(x), [(4, 5)]),
    "loss": (lambda x, t: F.mse_loss(ow.tanh(x), t), [(4, 5), (4, 5)]),
    "several": (lambda x, y: (x * y, ow.sin(x).sum(), y + 1), [(3,), (3,)]),
}


def gradients_of(function, inputs, needs):
    """Results, and the gradients of all that is needed, of a sum of all results."""
    pairs = zip(inputs, needs, strict=True)
    own = [each.detach().clone().requires_grad_(need) for each, need in pairs]
    results = function(*own)
    several = results if isinstance(results, tuple | list) else [results]
    total = sum(ow.sin(each).sum() for each in several if each.requires_grad)
    total.backward()
    return [*several, *(each.grad for each in own if each.requires_grad)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_eagers(name, backend):
    function, shapes = FUNCTIONS[name]
    compiled = ow.compile(function, backend=backend)
    inputs = [seeded(*shape, seed=index) for index, shape in enumerate(shapes)]

    for turn in range(2):
        values = [each + turn for each in inputs]
        needs = [True] * len(inputs)
        assert_same(gradients_of(compiled, values, needs), gradients_of(function, values, needs))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_only_what_requires_a_gradient_gets_one(which, backend):
    function, shapes = FUNCTIONS["norm and gelu"]
    compiled = ow.compile(function, backend=backend)
    inputs = [seeded(*shape, seed=index) for index, shape in enumerate(shapes)]
    needs = [index == which for index in range(3)]

    assert_same(gradients_of(compiled, inputs, needs), gradients_of(function, inputs, needs))


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_gradients_of_random_programs_are_eagers(backend, data):
    dtype = data.draw(st.sampled_from([ow.float32, ow.float64]))
    inputs = [make_tensor(dtype, [4, 5], layout, 2) for layout in ("dense", "transposed")]
    program = data.draw(programs(inputs, most_steps=6))
    note(str(program))
    try:
        should = gradients_of(program, inputs, [True, True])
    except (RuntimeError, AttributeError):  # nothing of it has a gradient
        return

    actual = gradients_of(ow.compile(program, backend=backend), inputs, [True, True])

    assert [each is None for each in actual] == [each is None for each in should]
    assert_same(
        [each for each in actual if each is not None],
        [each for each in should if each is not None],
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_model_is_trained_as_eagerly(backend):
    def make():
        ow.manual_seed(3)
        return ow.nn.Sequential(
            ow.nn.Linear(6, 16), ow.nn.GELU(), ow.nn.LayerNorm(16), ow.nn.Linear(16, 3)
        )

    x, target = seeded(8, 6), ow.arange(8) % 3

    def train(model, run):
        optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
        losses = []
        for _ in range(5):
            loss = F.cross_entropy(run(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return [*losses, *(each.detach() for each in model.parameters())]

    plain, ours = make(), make()

    assert_same(train(ours, ow.compile(ours, backend=backend)), train(plain, plain))


@pytest.mark.parametrize("backend", BACKENDS)
def test_batches_of_other_sizes_are_trained_as_eagerly(backend):
    function, _ = FUNCTIONS["linear"]
    compiled = ow.compile(function, backend=backend)
    weight, bias = seeded(3, 5), seeded(3)

    for rows in (4, 6, 9, 1):
        inputs = [seeded(rows, 5), weight, bias]
        needs = [False, True, True]
        assert_same(gradients_of(compiled, inputs, needs), gradients_of(function, inputs, needs))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_second_derivative_is_eagers_or_refused(backend):
    def cube(x):
        return (x * x * x).sum()

    x = seeded(4).requires_grad_()
    (first,) = ow.autograd.grad(ow.compile(cube, backend=backend)(x), x, create_graph=True)
    second, refusal = None, ""
    try:
        (second,) = ow.autograd.grad(first.sum(), x)
    except RuntimeError as error:
        refusal = str(error)

    assert second is not None or "compile" in refusal
    if second is not None:
        assert_same(second, (6 * x).detach())
