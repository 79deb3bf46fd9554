"""Graph breaks of compiled functions: eager meaning, each effect once."""

import contextlib
import copy
import inspect
import io
import pickle
import threading

import numpy as np
import opwright as ow
import pytest
from opwright import nn

pytestmark = pytest.mark.filterwarnings("ignore")


def compiled(f, **options):
    return ow.compile(f, backend="plan", **options)


def same(a, b):
    """Equal bit for bit, with sizes, strides and dtype."""
    if isinstance(a, ow.Tensor):
        return (
            type(a) is type(b)
            and a.dtype == b.dtype
            and a.shape == b.shape
            and a.stride() == b.stride()
            and a.detach().contiguous().numpy().tobytes()
            == b.detach().contiguous().numpy().tobytes()
        )
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def check_equals_eager(f, *make_args):
    """f gives and does to its arguments what it does eagerly; gives the compiled result."""
    ow.manual_seed(11)
    eager_args = [make() for make in make_args]
    expected = f(*eager_args)
    after = ow.rand(3)

    ow.manual_seed(11)
    args = [make() for make in make_args]
    result = compiled(f)(*args)

    assert same(result, expected)
    assert same(args, eager_args)
    assert same(ow.rand(3), after)
    return result


def ramp():
    return ow.arange(6, dtype=ow.float32).reshape(2, 3) - 2


# ---- What breaks ----


def test_item_gives_the_number():
    check_equals_eager(lambda x: (x * 2).sum().item() + x, ramp)


@pytest.mark.parametrize("shift", [-10.0, 10.0])
def test_a_branch_on_data_goes_the_right_way(shift):
    def f(x):
        y = x + shift
        if y.sum() > 0:
            return y * 2
        return y - 1

    check_equals_eager(f, ramp)


@pytest.mark.parametrize("convert", [float, int, bool, complex])
def test_python_numbers_are_read(convert):
    check_equals_eager(lambda x: (convert((x * x).sum()), x + 1), ramp)


def test_an_integer_may_stay_a_symbol_until_python_needs_it():
    def f(x):
        count = (x > 0).sum().item()
        y = x + count
        return y * 2 if count > 2 else y

    check_equals_eager(f, ramp)


def test_sizes_that_data_decide_may_be_asked_for():
    def f(x):
        picked = x[x > 0]
        rows = [row * 2 for row in picked]
        return picked, len(rows), picked.shape[0], ow.zeros(picked.shape[0])

    check_equals_eager(f, ramp)


def test_numpy_sees_the_values_and_writes_through():
    def f(x):
        y = x * 3
        array = y.numpy()
        array[0, 0] = 100
        return y + 1

    check_equals_eager(f, ramp)


@pytest.mark.parametrize(
    "read",
    [
        lambda y: y.tolist(),
        lambda y: np.asarray(y).sum().item(),
        lambda y: memoryview(y).tolist(),
        lambda y: ow.from_dlpack(y.__dlpack__()).sum().item(),
        lambda y: np.from_dlpack(y).tolist(),
        lambda y: repr(y),
        lambda y: f"{y}",
        lambda y: f"{y.sum():.3f}",
        lambda y: pickle.loads(pickle.dumps(y)).tolist(),
        lambda y: copy.deepcopy(y).tolist(),
        lambda y: y.data_ptr() != 0,
        lambda y: ow.equal(y, y * 1),
        lambda y: ow.allclose(y, y + 1e-9),
        lambda y: [float(v) for v in y[0]],
        lambda y: sorted(y[0], key=lambda v: -v.item())[0],
    ],
)
def test_data_can_be_read(read):
    check_equals_eager(lambda x: (read(x * 2 + 1), x), ramp)


def test_the_data_of_a_captured_tensor_are_read_now():
    scale = ow.tensor([2.0])

    def f(x):
        scale.mul_(2)
        return x * scale.item()

    with ow.no_grad():
        result = compiled(f)(ramp())

    assert scale.tolist() == [4.0]
    assert same(result, ramp() * 4)


def test_a_picture_of_pil_can_be_made():
    image = pytest.importorskip("PIL.Image")

    def f(x):
        grey = (x * 40 + 100).to(ow.uint8)
        picture = image.fromarray(grey.numpy()).transpose(image.Transpose.FLIP_LEFT_RIGHT)
        return ow.from_numpy(np.array(picture)).to(ow.float32) / 255

    check_equals_eager(f, ramp)


def test_printing_shows_the_values_once():
    def f(x):
        y = x * 2
        print(y)
        return y + 1

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = compiled(f)(ow.ones(2))

    assert out.getvalue() == "tensor([2., 2.])\n"
    assert same(result, ow.tensor([3.0, 3.0]))


def test_an_operator_without_a_fake_kernel_runs_once():
    calls = []
    with ow.library._scoped_library("breaks_a", "FRAGMENT") as lib:
        lib.define("shift(Tensor x) -> Tensor")

        def shift(x):
            calls.append(1)
            return ow.from_numpy(x.numpy() + 1)

        lib.impl("shift", shift, "CPU")
        result = compiled(lambda x: ow.ops.breaks_a.shift(x * 2) * 3)(ow.ones(2))

    assert same(result, ow.tensor([9.0, 9.0]))
    assert calls == [1]


def test_a_python_operator_without_a_fake_kernel_runs_once():
    calls = []

    @ow.library.custom_op("breaks_b::halve", mutates_args=())
    def halve(x: ow.Tensor) -> ow.Tensor:
        calls.append(1)
        return ow.from_numpy(x.numpy() / 2)

    result = compiled(lambda x: halve(x * 2) * 3)(ow.ones(2))

    assert same(result, ow.tensor([3.0, 3.0]))
    assert calls == [1]


# ---- Effects ----


def test_each_effect_happens_once():
    seen = []
    counter = {"calls": 0}

    def f(x):
        counter["calls"] += 1
        seen.append("before")
        y = x * 2
        seen.append(y.sum().item())
        seen.append("after")
        return y

    compiled(f)(ow.ones(3))

    assert seen == ["before", 6.0, "after"]
    assert counter == {"calls": 1}


def test_objects_stay_the_same():
    kept = []

    def f(x):
        y = x * 2
        kept.append(y)
        y.note = "mine"
        y.sum().item()
        assert kept[0] is y
        assert y.note == "mine"
        return y

    result = compiled(f)(ow.ones(3))

    assert result is kept[0]
    assert type(result) is ow.Tensor
    assert result.tolist() == [2, 2, 2]


def test_an_argument_is_the_callers_own_tensor():
    x = ow.ones(3)
    before = []

    def f(given):
        before.append(given is x)
        given.add_(1)
        given.sum().item()
        return given

    assert compiled(f)(x) is x
    assert before == [True]
    assert x.tolist() == [2, 2, 2]


def test_inputs_are_written_once():
    def f(x, y):
        x.add_(1)
        y[0].mul_(10)
        x.sum().item()
        x.mul_(2)
        return x + y

    check_equals_eager(f, ramp, ramp)


def test_versions_are_those_of_an_eager_run():
    def f(x):
        y = x * 1
        y.add_(1)
        y[0].add_(1)
        x.mul_(2)
        x.sum().item()
        return y._version, x._version

    assert compiled(f)(ramp()) == f(ramp())


def test_views_stay_views():
    def f(x):
        y = x * 2
        row, column = y[0], y.t()[1]
        y.sum().item()
        row.add_(100)
        column.mul_(-1)
        x.t()[0].zero_()
        return y, row, column

    check_equals_eager(f, ramp)


def test_arguments_that_share_memory_share_it_afterwards():
    def f(x, y):
        y.add_(1)
        x.sum().item()
        x.mul_(2)
        return y * 1

    eager = ramp()
    expected = f(eager, eager[0])
    x = ramp()

    result = compiled(f)(x, x[0])

    assert same(result, expected)
    assert same(x, eager)


def test_buffers_that_were_written_before_the_break_are_written_once():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", ow.zeros(1))
            self.norm = nn.BatchNorm1d(3)

        def forward(self, x):
            self.count += 1
            y = self.norm(x)
            return y * 2 if y.sum().item() > -1 else y

    ow.manual_seed(0)
    module, twin = Counting(), Counting()
    x = ow.randn(4, 3)

    result = compiled(module)(x)

    assert same(result, twin(x))
    assert module.count.tolist() == [1.0]
    assert same(list(module.buffers()), list(twin.buffers()))


def test_random_numbers_are_those_of_an_eager_run():
    def f(x):
        y = nn.functional.dropout(x + ow.rand(2, 3), 0.5)
        y.sum().item()
        return y + ow.randn(2, 3)

    check_equals_eager(f, ramp)


def test_a_seed_that_is_set_inside_comes_in_its_order():
    def f(x):
        first = ow.rand(2, 3)
        ow.manual_seed(5)
        return x + first, ow.rand(2)

    check_equals_eager(f, ramp)


# ---- Gradients ----


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


# ---- Levels and calls inside ----


def test_a_break_inside_grad_leaves_it_active():
    def f(x):
        def loss(y):
            scale = y.detach().sum().item()
            return (y * y * scale).sum()

        return ow.func.grad(loss)(x * 2)

    check_equals_eager(f, ramp)


def test_a_read_inside_vmap_is_refused_as_eagerly():
    def f(x):
        return ow.vmap(lambda row: row * row.sum().item())(x)

    with pytest.raises(RuntimeError, match="one sample inside vmap") as eager:
        f(ramp())
    with pytest.raises(RuntimeError, match="one sample inside vmap") as error:
        compiled(f)(ramp())
    assert type(error.value) is type(eager.value)


def test_a_tensor_outside_of_vmap_may_be_read_inside():
    def f(x):
        total = x.sum()
        return ow.vmap(lambda row: row * total.item())(x * 2)

    check_equals_eager(f, ramp)


def test_vmap_works_on_both_sides():
    def f(x):
        y = ow.vmap(lambda row: row * row.sum())(x)
        y.sum().item()
        return ow.vmap(lambda row: row - row.max())(y)

    check_equals_eager(f, ramp)


def test_a_compiled_function_inside_breaks_with_its_caller():
    inner = compiled(lambda x: x * x.sum().item())

    def f(x):
        y = inner(x + 1)
        return inner(y) * 2

    check_equals_eager(f, ramp)


def test_a_compiled_function_after_a_break_is_compiled():
    inner = compiled(lambda x: x * 2 + 1)

    def f(x):
        (x * 1).sum().item()
        return inner(x)

    check_equals_eager(f, ramp)


def test_autocast_is_not_applied_twice():
    def f(x):
        with ow.autocast("cpu", dtype=ow.bfloat16):
            y = x @ x.t()
            with ow.autocast("cpu", enabled=False):
                z = x @ x.t()
            y.sum().item()
            return y, z, x @ x.t()

    check_equals_eager(f, ramp)


# ---- Errors ----


class Unusual(Exception):
    pass


def test_an_exception_after_the_break_is_the_functions_own():
    def f(x):
        x.add_(1)
        raise Unusual(x.sum().item())

    x = ow.ones(2)

    with pytest.raises(Unusual, match="^4.0$"):
        compiled(f)(x)
    assert x.tolist() == [2, 2]


def test_a_call_that_fails_gives_the_eager_error_after_the_writes():
    def f(x, y):
        x.add_(1)
        try:
            return x + y
        except ValueError as error:
            return str(error), x * 2

    check_equals_eager(f, ramp, lambda: ow.ones(7))


def test_a_recorded_call_that_fails_on_data_is_not_hidden():
    def f(x, places):
        y = x.index_select(0, places)
        with contextlib.suppress(Exception):
            y.sum().item()
        return y

    with pytest.raises(IndexError):
        compiled(f)(ramp(), ow.tensor([7]))


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    ("read", "cause"),
    [
        (lambda y: y.sum().item(), r"item\(\) reads the data of a tensor \(float32\[\]\)"),
        (lambda y: bool(y.sum() > 0), r"bool\(\) reads the data of a tensor \(bool\[\]\)"),
        (lambda y: y.numpy(), r"numpy\(\) reads the data of a tensor \(float32\[2, 3\]\)"),
        (lambda y: y.tolist(), r"tolist\(\) reads the data"),
        (lambda y: str(y), r"print\(\) reads the data"),
        (lambda y: int((y > 0).sum()), r"Python needs the value of a number"),
    ],
)
def test_fullgraph_refuses_with_line_cause_and_ways_out(read, cause):
    def f(x):
        y = x * 2
        value = read(y)
        return y, value

    x = ramp()
    with pytest.raises(ow.GraphBreakError, match=cause) as error:
        compiled(f, fullgraph=True)(x)

    assert "test_breaks.py:" in str(error.value)
    assert "custom_op" in str(error.value)
    assert "fullgraph=False" in str(error.value)


def test_fullgraph_names_the_line_of_a_branch():
    def f(x):
        if x.sum() > 0:  # here
            return x
        return -x

    with pytest.raises(ow.GraphBreakError, match=rf"test_breaks.py:{line_of(f, '# here')}\b"):
        compiled(f, fullgraph=True)(ramp())


def test_fullgraph_names_the_operator_without_a_fake_kernel():
    @ow.library.custom_op("breaks_c::opaque", mutates_args=())
    def opaque(x: ow.Tensor) -> ow.Tensor:
        return ow.from_numpy(x.numpy() * 2)

    with pytest.raises(ow.GraphBreakError, match="breaks_c::opaque has no fake kernel"):
        compiled(lambda x: opaque(x), fullgraph=True)(ramp())


def test_fullgraph_is_not_fooled_by_a_caught_error():
    def f(x):
        try:
            return x * x.sum().item()
        except RuntimeError:
            return x

    with pytest.raises(ow.GraphBreakError):
        compiled(f, fullgraph=True)(ramp())


def test_an_error_of_the_function_stays_its_own_under_fullgraph():
    with pytest.raises(ValueError, match="add") as error:
        compiled(lambda x: x + ow.ones(7), fullgraph=True)(ramp())
    assert not isinstance(error.value, ow.GraphBreakError)


def test_fullgraph_writes_nothing():
    def f(x):
        x.add_(1)
        return x.sum().item()

    x = ow.ones(2)
    with pytest.raises(ow.GraphBreakError):
        compiled(f, fullgraph=True)(x)
    assert x.tolist() == [1, 1]


# ---- Threads and memory ----


def test_two_threads_break_by_themselves():
    def f(x, shift):
        y = x * 2
        for _ in range(20):
            y = y + shift
        if y.sum().item() > 0:
            return y * 3
        return y

    results = {}

    def work(name, shift):
        call = compiled(f)
        results[name] = [call(ramp() + i, shift) for i in range(20)]

    threads = [threading.Thread(target=work, args=(s, s)) for s in (-1.0, 1.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for shift in (-1.0, 1.0):
        assert same(results[shift], [f(ramp() + i, shift) for i in range(20)])


def test_values_that_died_before_the_break_are_let_go():
    sizes = []

    def f(x):
        for _ in range(5):
            x = x + 1
        del _
        sizes.append(x.sum().item())
        return x

    assert same(compiled(f)(ramp()), ramp() + 1 + 1 + 1 + 1 + 1)


def test_a_function_with_symbolic_sizes_goes_on_with_numbers():
    def f(x):
        n = x.shape[0]
        y = x.reshape(n * 3) * 2
        y.sum().item()
        return y.reshape(n, 3) + n, ow.zeros(n), n, x.expand(2, n, 3)

    call = ow.compile(f, backend="plan", dynamic=True)

    for n in (2, 4):
        x = ow.ones(n, 3)
        assert same(call(x), f(x))


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
