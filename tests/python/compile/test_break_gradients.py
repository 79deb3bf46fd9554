"""Gradients through graph breaks: the recorded history continues."""

import opwright as ow
import pytest
from opwright import nn

from .eager_meaning import compiled, ramp, same

pytestmark = pytest.mark.filterwarnings("ignore")


def make_weight():
    return (ramp() / 3).requires_grad_()


def check_gradients(f, *make_args):
    eager = [make() for make in make_args]
    f(*eager).sum().backward()
    args = [make() for make in make_args]

    compiled(f)(*args).sum().backward()

    assert [a.grad is None for a in args] == [a.grad is None for a in eager]
    assert same([a.grad for a in args], [a.grad for a in eager])
    return args


def test_gradients_go_through_a_break():
    def f(w, x):
        y = ow.sin(w * x) * w
        if y.sum().item() > -100:
            y = y * w
        return ow.exp(y)

    check_gradients(f, make_weight, ramp)


def test_gradients_of_captured_parameters_go_through_a_break():
    def make():
        ow.manual_seed(0)
        return nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2))

    def run(model, call):
        y = call(ramp()).sum()
        y.backward()
        return [p.grad for p in model.parameters()]

    eager, model = make(), make()

    def f(x):
        h = model[:2](x)
        h.mean().item()
        return model[2:](h)

    assert same(run(model, compiled(f)), run(eager, eager))


def test_backward_inside_the_function_goes_on_after_a_break():
    def step(w, x):
        loss = (w * x).sum()
        loss.item()
        (loss * loss).backward()
        return w.grad * 1

    w, eager = make_weight(), make_weight()

    assert same(compiled(step)(w, ramp()), step(eager, ramp()))
    assert same(w.grad, eager.grad)


def test_gradients_that_were_summed_up_before_the_break_stay():
    def f(w):
        (w * w).sum().backward()
        w.sum().item()
        (w * 3).sum().backward()
        return w * 1

    w, eager = make_weight(), make_weight()
    w.grad, eager.grad = ow.ones(2, 3), ow.ones(2, 3)
    own = w.grad

    compiled(f)(w)
    f(eager)

    assert same(w.grad, eager.grad)
    assert w.grad is own


def test_a_gradient_that_was_made_before_the_break_is_the_leafs():
    def f(w):
        (w * w).sum().backward()
        w.sum().item()
        return w.grad

    w, eager = make_weight(), make_weight()

    result = compiled(f)(w)

    assert result is w.grad
    assert same(w.grad, f(eager))


def test_history_from_outside_goes_on():
    def f(h):
        y = h * h
        y.sum().item()
        return y + h

    w, eager = make_weight(), make_weight()

    compiled(f)(w * 2).sum().backward()
    f(eager * 2).sum().backward()

    assert same(w.grad, eager.grad)


def test_a_write_to_a_tensor_with_a_history_is_differentiated():
    def f(h):
        h.mul_(h.detach() + 1)
        h[0].mul_(3)
        h.sum().item()
        h[1].mul_(2)
        return h

    w, eager = make_weight(), make_weight()
    h, eager_h = w * 2, eager * 2
    view, eager_view = h[0], eager_h[0]

    compiled(f)(h)
    f(eager_h)
    (h.sum() + view.sum()).backward()
    (eager_h.sum() + eager_view.sum()).backward()

    assert same(h, eager_h)
    assert same(w.grad, eager.grad)


def test_hooks_and_kept_gradients_work_on_both_sides():
    def run(call):
        w = make_weight()
        seen = []
        w.register_hook(lambda g: seen.append(("leaf", g.sum().item())))

        def f(x):
            y = x * x
            y.register_hook(lambda g: seen.append(("y", g.sum().item())))
            y.retain_grad()
            z = y * 3
            z.sum().item()
            z.register_hook(lambda g: g * 2)
            kept.append(y)
            return z + x

        kept = []
        call(f)(w).sum().backward()
        return seen, w.grad, kept[0].grad

    assert same(run(compiled), run(lambda f: f))


def test_a_function_of_autograd_keeps_its_backward():
    class Cube(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.factor = x.shape[0]
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x * x * 3 * ctx.factor

    def f(w):
        y = Cube.apply(w * 2)
        y.sum().item()
        return Cube.apply(y)

    check_gradients(f, make_weight)


def test_double_backward_goes_through_a_break():
    def f(w):
        y = ow.sin(w) * w
        y.sum().item()
        return (y * y).sum()

    def second(call):
        w = make_weight()
        (g,) = ow.autograd.grad(call(f)(w), w, create_graph=True)
        (g * g).sum().backward()
        return w.grad

    assert same(second(compiled), second(lambda f: f))


def test_nothing_is_recorded_under_no_grad():
    def f(w):
        with ow.no_grad():
            y = w * 2
            y.sum().item()
            z = y * 3
        return y, z, w * 4

    y, z, tracked = compiled(f)(make_weight())

    assert (y.requires_grad, z.requires_grad, tracked.requires_grad) == (False, False, True)


def test_a_saved_value_that_is_written_later_is_found():
    def f(w):
        y = w * 2
        z = y * y
        y.sum().item()
        with ow.no_grad():
            y.add_(1)
        return z

    with pytest.raises(RuntimeError, match="modified by an in-place operation"):
        compiled(f)(make_weight()).sum().backward()


def test_a_detached_value_may_be_read():
    check_gradients(lambda w: w * (w * 2).detach().sum().item(), make_weight)


def test_gradients_of_a_function_with_symbolic_sizes_go_through_a_break():
    def f(w):
        n = w.shape[0]
        y = w.reshape(n * 3).expand(2, n * 3) * 2
        z = y[:, :3].sum(0)
        z.sum().item()
        return z.reshape(3, 1).expand(3, n) * n

    call = ow.compile(f, backend="plan", dynamic=True)
    for n in (2, 4):
        w, eager = ow.ones(n, 3, requires_grad=True), ow.ones(n, 3, requires_grad=True)
        call(w).sum().backward()
        f(eager).sum().backward()
        assert same(w.grad, eager.grad)
