"""Graph breaks of compiled functions: eager meaning, each effect once."""

import contextlib
import copy
import io
import pickle
import threading

import numpy as np
import opwright as ow
import pytest
from opwright import nn

from .eager_meaning import check_equals_eager, compiled, ramp, same

pytestmark = pytest.mark.filterwarnings("ignore")


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


def test_memory_can_be_exchanged():
    def f(x):
        y = x * 2
        y.data = ow.ones(3)
        return y + 1, y

    check_equals_eager(f, ramp)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: [v.item() for row in x for v in row],
        lambda x: np.sin(x * 2),
        lambda x: (x.flatten()[: (x > 0).sum().item()], x.flatten()[int(x.argmax())]),
        lambda x: [10, 20, 30, 40, 50, 60][x.argmax()],
        lambda x: (max(x.flatten()), sorted(x.flatten().tolist())),
        lambda x: ow.tensor([x.sum(), x.mean()]),
        lambda x: x * 2 if ow.isnan(x).any() else x * 3,
        lambda x: x.resize_(2, 2).sum().item() + x,
    ],
)
def test_idioms_of_eager_code_work(f):
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
        return y.reshape(n, 3) + n, ow.zeros(n), int(n), x.expand(2, n, 3), [n] * 2 == [len(x)] * 2

    call = ow.compile(f, backend="plan", dynamic=True)

    for n in (2, 4):
        x = ow.ones(n, 3)
        assert same(call(x), f(x))
