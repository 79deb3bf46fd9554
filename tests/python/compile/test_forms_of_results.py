"""Results have the strides, dtype, device and history that eager execution gives them."""

import opwright as ow
import pytest

from .same_results import BACKENDS, assert_same, check_against_eager

X = ow.arange(24.0).reshape(2, 3, 4)

# Functions whose results are laid out otherwise than dense, or are an argument or a view of one.
LAYOUTS = {
    "transposed input": lambda x: x.transpose(0, 2) * 2,
    "permuted result": lambda x: (x + 1).permute(2, 0, 1),
    "slice of a result": lambda x: (x * 2)[:, 1:, ::2],
    "expanded result": lambda x: x.sum(0).expand(5, *x.shape[1:]),
    "view of an argument": lambda x: x[0],
    "the argument": lambda x: x,
    "the argument twice": lambda x: (x, x),
    "argument and value": lambda x: (x, x + 1),
    "mixed strides": lambda x: x.transpose(0, 1) + x.transpose(0, 1).contiguous(),
    "half a row": lambda x: x.chunk(2, -1)[1] * 1,
    "softmax of a transposed": lambda x: ow.softmax(x.transpose(0, 2), -1),
    "norm": lambda x: ow.nn.functional.layer_norm(x, (4,)),
    "sum": lambda x: x.sum((0, 2)),
    "sum kept": lambda x: x.sum(1, keepdim=True),
    "a number": lambda x: (x.sum(), x.shape[0], 3),
    "comparison": lambda x: x > 3,
    "cast": lambda x: x.to(ow.int32),
    "half": lambda x: x.to(ow.bfloat16) * 2,
    "like it": lambda x: ow.zeros_like(x.transpose(0, 1)),
    "new": lambda x: ow.ones(x.shape[1]) + x[0, :, 0],
    "dict": lambda x: {"a": x + 1, "b": x * 2},
    "none": lambda x: (x + 1, None),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_strides_are_eagers(name, backend):
    check_against_eager(LAYOUTS[name], X, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_strides_are_eagers_of_an_input_that_is_not_dense(name, backend):
    check_against_eager(LAYOUTS[name], X.permute(1, 0, 2), backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_argument_that_is_returned_is_the_argument(backend):
    compiled = ow.compile(lambda x: (x, x + 1), backend=backend)

    for _ in range(2):
        assert compiled(X)[0] is X


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_view_of_an_argument_shares_its_memory(backend):
    compiled = ow.compile(lambda x: (x[0], x * 2), backend=backend)
    for _ in range(2):
        x = X.clone()
        view, _ = compiled(x)
        x.fill_(7)
        assert view.tolist() == x[0].tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_written_argument_that_is_returned_is_the_argument(backend):
    def double(x):
        x.mul_(2)
        return x

    compiled = ow.compile(double, backend=backend)
    for _ in range(2):
        x = X.clone()
        assert compiled(x) is x
        assert x.tolist() == (X * 2).tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_of_two_calls_have_memory_of_their_own(backend):
    compiled = ow.compile(lambda x: x * 2 + 1, backend=backend)

    first = compiled(X)
    kept = first.clone()
    second = compiled(X + 1)

    assert first.tolist() == kept.tolist()
    assert second.tolist() == ((X + 1) * 2 + 1).tolist()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("needs", ["first", "second", "both", "none"])
def test_results_require_gradients_as_eagers_do(needs, backend):
    def function(x, y):
        return x * y, (x * 2).detach(), x + 1, y > 0, ow.sin(y)

    x, y = X.clone(), X.clone() + 1
    x.requires_grad_(needs in ("first", "both"))
    y.requires_grad_(needs in ("second", "both"))

    assert_same(ow.compile(function, backend=backend)(x, y), function(x, y))


ALIASED = {
    "the same tensor twice": lambda x: (x, x),
    "two halves": lambda x: (x[:2], x[2:]),
    "overlapping rows": lambda x: (x[:3], x[1:]),
    "a transposed view": lambda x: (x, x.transpose(0, 1)),
    "expanded": lambda x: (x[:1].expand(4, 4), x),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ALIASED)
def test_inputs_that_share_memory_are_read_as_eager_reads_them(name, backend):
    def function(x, y):
        return ow.relu(x).sum() + ow.sin(y) * 2, x.amax(-1)

    x, y = ALIASED[name](ow.randn(4, 4))

    assert_same(ow.compile(function, backend=backend)(x, y), function(x, y))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["the same tensor twice", "two halves", "a transposed view"])
def test_a_write_to_one_of_two_that_share_memory_is_seen_in_the_other(name, backend):
    def function(x, y):
        before = y * 1
        x.add_(1)
        return before, y * 2, x * y

    base = ow.arange(16.0).reshape(4, 4)
    ours, plain = base.clone(), base.clone()
    compiled = ow.compile(function, backend=backend)

    assert_same(compiled(*ALIASED[name](ours)), function(*ALIASED[name](plain)))
    assert ours.tolist() == plain.tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_with_apart_tensors_after_one_with_a_shared_one_is_right(backend):
    def function(x, y):
        x.add_(1)
        return x * y

    compiled = ow.compile(function, backend=backend)
    for _ in range(2):
        x, plain = ow.ones(3), ow.ones(3)
        assert_same(compiled(x, x), function(plain, plain))
        x, plain = ow.ones(3), ow.ones(3)
        assert_same(compiled(x, ow.ones(3)), function(plain, ow.ones(3)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_special_numbers_come_out_as_in_eager(backend):
    x = ow.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40, 3e38, -1e-45] * 5)

    for function in (
        lambda x: ow.relu(x),
        lambda x: ow.exp(x),
        lambda x: ow.tanh(x) + ow.sigmoid(x),
        lambda x: x * 2 - x,
        lambda x: ow.maximum(x, ow.zeros_like(x)),
        lambda x: x.amax(0),
        lambda x: ow.sqrt(x),
        lambda x: ow.log(x),
        lambda x: 1 / x,
        lambda x: ow.where(x > 1, x, -x),
        lambda x: x == x,
    ):
        check_against_eager(function, x, calls=1, backend=backend)


def test_a_module_is_a_result():
    @ow.compile(fullgraph=True)
    def library_and_double(x):
        return ow, ow.device_module("cpu"), x * 2

    for value in (1.0, 2.0):
        library, device_module, doubled = library_and_double(ow.tensor(value))

        assert library is ow
        assert device_module is ow.device_module("cpu")
        assert doubled.item() == value * 2
