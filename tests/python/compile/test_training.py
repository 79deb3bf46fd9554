"""Compiled functions are trained as eager ones: values, gradients, loss curves."""

import opwright as ow
import pytest
from opwright import nn
from opwright.nn import functional

from .training_checks import check_as_eager, check_module, close, leaf

# ---- Models ----


def test_an_mlp_has_eagers_gradients(compile):
    model = nn.Sequential(
        nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3)
    )

    check_module(compile, model, leaf(5, 8))


def test_a_block_with_layer_norm_and_gelu_has_eagers_gradients(compile):
    model = nn.Sequential(nn.LayerNorm(12), nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 12))

    check_module(compile, model, leaf(2, 4, 12))


def test_an_embedding_has_eagers_gradients(compile):
    table = nn.Embedding(10, 6)
    tokens = ow.tensor([[1, 2, 9], [1, 1, 0]])

    check_module(compile, nn.Sequential(table, nn.Linear(6, 2)), tokens)


def test_attention_has_eagers_gradients(compile):
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(16, 48)
            self.out = nn.Linear(16, 16)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = self.qkv(x).view(batch, length, 3, 4, 4).permute(2, 0, 3, 1, 4).unbind(0)
            scores = (q @ k.transpose(-2, -1)) * 0.5
            mixed = ow.softmax(scores, -1) @ v
            return x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))

    check_module(compile, Attention(), leaf(2, 5, 16))


def test_a_convolution_with_batch_norm_trains_and_writes_its_statistics(compile):
    def make():
        ow.manual_seed(3)
        return nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU())

    eager, other = make(), make()
    compiled = compile(lambda x: other(x))
    for step in range(3):
        ow.manual_seed(step)
        x = ow.randn(3, 2, 5, 5)
        expected, actual = eager(x), compiled(x)
        close(actual, expected)
        (expected * expected).sum().backward()
        (actual * actual).sum().backward()
    for (name, wanted), (_, buffer) in zip(
        eager.named_buffers(), other.named_buffers(), strict=True
    ):
        assert ow.allclose(buffer, wanted, 1e-4, 1e-5), name
    for wanted, parameter in zip(eager.parameters(), other.parameters(), strict=True):
        close(parameter.grad, wanted.grad, rtol=1e-3, atol=1e-4)


def test_dropout_has_one_mask_for_both_directions(compile):
    check_as_eager(
        compile,
        lambda x: functional.dropout(x * 2, 0.5, training=True) * x,
        (x := leaf(64),),
        [x],
    )


def test_dropout_draws_a_new_mask_for_each_call(compile):
    compiled = compile(lambda x: functional.dropout(x, 0.5, training=True))
    x = leaf(256)

    first, second = compiled(x), compiled(x)

    assert not ow.equal(first.detach(), second.detach())


# ---- Optimizers ----


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda p: ow.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: ow.optim.AdamW(p, lr=0.05),
    ],
)
def test_loss_curves_are_eagers(compile, optimizer):
    def make():
        ow.manual_seed(1)
        return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))

    def curve(model, loss_of):
        step = optimizer(model.parameters())
        losses = []
        for i in range(20):
            ow.manual_seed(100 + i)
            x = ow.randn(8, 4)
            loss = loss_of(x, (x * x).sum(1, keepdim=True))
            step.zero_grad()
            loss.backward()
            step.step()
            losses.append(loss.item())
        return losses

    eager, other = make(), make()
    compiled = compile(lambda x, y: functional.mse_loss(other(x), y))

    expected = curve(eager, lambda x, y: functional.mse_loss(eager(x), y))
    actual = curve(other, compiled)

    assert actual == pytest.approx(expected, rel=1e-4)
    assert actual[-1] < actual[0]


def test_gradients_add_up_in_grad(compile):
    w = leaf(3)
    compiled = compile(lambda x: (x * w).sum())
    x = ow.ones(3)

    compiled(x).backward()
    compiled(x * 2).backward()

    close(w.grad, ow.full((3,), 3.0))


def test_tied_parameters_get_one_gradient(compile):
    w = leaf(4, 4)

    check_as_eager(compile, lambda x: ow.tanh(x @ w) @ w.t(), (x := leaf(2, 4),), [x, w])


def test_frozen_parameters_get_none(compile):
    frozen, free = ow.randn(4, 4), leaf(4, 4)

    check_as_eager(compile, lambda x: (x @ frozen) @ free, (ow.randn(2, 4),), [free])
    assert frozen.grad is None


# ---- Outputs ----


def test_only_what_is_used_is_run_backward(compile):
    compiled = compile(lambda x, w: (x * 2, ow.log(x) * w))
    x = ow.zeros(3, requires_grad=True)
    w = leaf(3)

    first, _ = compiled(x, w)
    gradients = ow.autograd.grad(first.sum(), [x, w], allow_unused=True)

    close(gradients[0], ow.full((3,), 2.0))
    assert gradients[1] is None


def test_outputs_keep_what_they_are(compile):
    def function(x, y):
        h = x * 2
        return x, h, h, h.t(), x.view(-1), x.detach(), y + 1, (x > 0), ow.arange(3)

    check_as_eager(compile, function, (x := leaf(2, 3), ow.ones(2)), [x])


def test_an_output_that_is_an_input_is_that_object(compile):
    x = leaf(3)
    compiled = compile(lambda x: (x, x * 2))

    assert compiled(x)[0] is x


def test_a_write_to_a_returned_view_reaches_its_base(compile):
    def use(function):
        z = ow.arange(6.0).requires_grad_()
        x = z * 1
        view, _ = function(x)
        view.mul_(3)
        return ow.autograd.grad((x * x).sum(), z)[0]

    def function(x):
        return x.view(2, 3), x + 1

    close(use(compile(function)), use(function))


def test_two_views_of_one_value_share_its_history(compile):
    def use(function):
        x = ow.arange(4.0).requires_grad_()
        a, b = function(x)
        a.mul_(3)
        return ow.autograd.grad((b * b).sum(), x)[0]

    def function(x):
        h = x * 2
        return h.view(2, 2), h[1:]

    close(use(compile(function)), use(function))


# ---- Inside of the function ----


def test_no_grad_and_detach_inside_hold(compile):
    def function(x, w):
        with ow.no_grad():
            scale = (x * w).sum()
        return x * scale + (x * 3).detach() * w

    check_as_eager(compile, function, (x := leaf(3), w := leaf(3)), [x, w])


def test_in_place_writes_inside_are_differentiated(compile):
    def function(x):
        h = x * 2
        h[0].mul_(x[1])
        h.add_(1)
        with ow.no_grad():
            h[1].fill_(7)
        return ow.sin(h)

    check_as_eager(compile, function, (x := leaf(3, 2),), [x])


def test_a_written_input_gets_its_history(compile):
    def use(function):
        w = ow.arange(3.0).requires_grad_()
        buffer = ow.ones(3)
        out = function(buffer, w)
        gradient = ow.autograd.grad(out + (buffer * buffer).sum(), w)[0]
        return buffer.detach(), gradient, buffer.requires_grad

    def function(buffer, w):
        buffer.add_(w * 2)
        return (buffer * w).sum()

    actual, expected = use(compile(function)), use(function)
    close(actual[0], expected[0])
    close(actual[1], expected[1])
    assert (actual[2], expected[2]) == (True, True)


def test_a_leaf_is_not_written(compile):
    def function(x, w):
        x.mul_(w)
        return x.sum()

    compiled = compile(function)

    with pytest.raises(RuntimeError, match="leaf that requires grad"):
        compiled(leaf(3), leaf(3))


def test_backward_inside_fills_grad(compile):
    def use(make):
        w = ow.arange(3.0).requires_grad_()

        def step(x):
            loss = (w * x).sum() ** 2
            loss.backward()
            return loss.detach()

        function = make(step)
        values = [function(ow.ones(3)).item(), function(ow.ones(3) * 2).item()]
        return values, w.grad

    values, gradient = use(compile)
    expected_values, expected = use(lambda f: f)
    assert values == expected_values
    close(gradient, expected)


def test_a_history_that_the_function_freed_stays_freed(compile):
    w = leaf(3)

    def step(x):
        loss = ((w * x) ** 2).sum()
        loss.backward()
        return loss

    loss = compile(step)(ow.ones(3))

    assert loss.requires_grad
    with pytest.raises(RuntimeError, match="were freed by an earlier backward"):
        loss.backward()


def test_a_write_that_spoils_the_backward_is_reported_by_the_backward(compile):
    def function(x):
        y = x.exp()
        y.add_(1)
        return y

    x = leaf(3)
    out = compile(function)(x)

    close(out, x.exp() + 1)
    with pytest.raises(RuntimeError, match="was modified by an in-place operation"):
        out.sum().backward()


def test_a_write_that_spoils_a_python_formula_is_reported_by_the_backward(compile):
    class Scaled(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * y

    def function(x):
        return Scaled.apply(x).add_(1)

    x = leaf(3)
    out = compile(function)(x)

    close(out, x * 2 + 1)
    with pytest.raises(RuntimeError, match="was modified by an in-place operation"):
        out.sum().backward()


def test_control_flow_is_trained_as_eager_outside_of_one_graph(compile):
    def function(x):
        return ow.cond(x.sum() > 0, lambda x: x * 2, lambda x: x * 3, (x,))

    x = ow.ones(3, requires_grad=True)

    with pytest.raises(RuntimeError, match="opwright::cond has no backward formula"):
        compile(function)(x)
    with pytest.warns(match="runs eagerly for such arguments"):
        out = ow.compile(function)(x)

    close(ow.autograd.grad(out.sum(), x)[0], ow.full((3,), 2.0))


def test_autograd_function_inside_keeps_its_formula(compile):
    class Scaled(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x * 10

    check_as_eager(compile, lambda x: Scaled.apply(x * 3), (x := leaf(4),), [x])


def test_a_custom_operator_keeps_its_formula(compile):
    @ow.library.custom_op("training_test::cube", mutates_args=())
    def cube(x: ow.Tensor) -> ow.Tensor:
        return x**3

    @cube.register_fake
    def _(x):
        return ow.empty_like(x)

    def save(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    def backward(ctx, grad):
        return grad * 30 * ctx.saved_tensors[0] ** 2

    cube.register_autograd(backward, setup_context=save)

    check_as_eager(compile, lambda x: ow.sin(cube(x * 2)), (x := leaf(4),), [x])


@pytest.mark.parametrize("what", ["hook", "retain_grad"])
def test_hooks_inside_are_refused(compile, what):
    def function(x):
        h = x * 2
        if what == "hook":
            h.register_hook(lambda gradient: gradient * 2)
        else:
            h.retain_grad()
        return h.sum()

    with pytest.raises(RuntimeError, match=r"hook|retain_grad"):
        compile(function)(leaf(3))
