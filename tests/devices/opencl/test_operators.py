"""Operators on tensors of the device opencl match the CPU and run on the device itself."""
# Covers: devices/opencl/*.

import numpy
import opwright as ow
import pytest

pytestmark = pytest.mark.usefixtures("device")
RANDOM = numpy.random.default_rng(13)


def values(*shape, dtype="float32"):
    return ow.from_numpy(RANDOM.standard_normal(shape).astype(dtype))


def assert_same(actual, expected, rtol=1e-5, atol=1e-6):
    assert actual.device.type == "opencl"
    assert actual.dtype == expected.dtype
    numpy.testing.assert_allclose(
        actual.cpu().detach().numpy(), expected.detach().numpy(), rtol=rtol, atol=atol
    )


@pytest.fixture(autouse=True)
def no_fallback():
    """Nothing in this file may run on the CPU by copying."""
    assert ow.fallback_counts() == {}
    yield
    assert ow.fallback_counts() == {}


def test_a_tensor_goes_there_and_back():
    x = values(3, 4)

    there = x.to("opencl")

    assert str(there.device) == "opencl:0"
    assert there.cpu().equal(x)
    assert there.t().contiguous().cpu().equal(x.t())


CALLS = {
    "add": lambda x, y: x + y,
    "scaled add": lambda x, y: ow.add(x, y, alpha=2.5),
    "broadcasting": lambda x, y: x * y[0] - y[:, :1],
    "numbers": lambda x, y: 2 * x + 1 - y / 3,
    "comparison": lambda x, y: x < y,
    "where": lambda x, y: ow.where(x > 0, x, y),
    "gelu": lambda x, y: ow.nn.functional.gelu(x * y),
    "in place": lambda x, y: x.clone().mul_(y).add_(1),
    "out": lambda x, y: ow.sub(x, y, out=ow.empty_like(x)),
    "a transposed operand": lambda x, y: x.t() + y.t(),
    "int64": lambda x, y: (x * 10).to(ow.int64) // 3,
    "half": lambda x, y: x.to(ow.float16) * y.to(ow.float16),
    "bfloat16 sum": lambda x, y: (x.to(ow.bfloat16) + y.to(ow.bfloat16)).to(ow.float32),
    "sum": lambda x, y: x.sum(),
    "sum of rows": lambda x, y: x.sum(1, keepdim=True),
    "mean": lambda x, y: x.mean(0),
    "var": lambda x, y: x.var(1),
    "max with indices": lambda x, y: x.max(1)[1],
    "argmin": lambda x, y: x.argmin(),
    "any": lambda x, y: (x > 2).any(1),
    "norm": lambda x, y: ow.ops.aten.linalg_vector_norm(x),
    "matmul": lambda x, y: x @ y.t(),
    "matmul of a batch": lambda x, y: ow.matmul(x.reshape(2, 3, 8), y.reshape(2, 8, 3)),
    "softmax": lambda x, y: ow.softmax(x, 1),
    "log_softmax": lambda x, y: ow.log_softmax(x, 0),
    "layer norm": lambda x, y: ow.nn.functional.layer_norm(x, [8], y[0], y[1]),
    "cross entropy": lambda x, y: ow.nn.functional.cross_entropy(
        x, y.argmax(1), label_smoothing=0.1
    ),
    "index": lambda x, y: x[[2, 0, 1]],
    "gather": lambda x, y: x.gather(1, y.argmax(1, keepdim=True)),
    "cat": lambda x, y: ow.cat([x, y], 1),
    "tril": lambda x, y: ow.tril(x),
    "arange": lambda x, y: x + ow.arange(8, device=x.device),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_operator_gives_what_it_gives_on_the_cpu(name):
    x, y = values(6, 8), values(6, 8)

    actual = CALLS[name](x.to("opencl"), y.to("opencl"))

    half = {"rtol": 2e-3, "atol": 2e-3} if name == "half" else {}
    assert_same(actual, CALLS[name](x, y), **half)


def test_a_written_view_is_seen_in_its_base():
    base = ow.zeros(4, 6, device="opencl")

    base[1:3, ::2] = 7

    assert float(base.sum()) == 6 * 7


def test_gradients_flow_through_the_device():
    def loss(x, w):
        return (ow.tanh(x @ w) ** 2).mean() + ow.softmax(w, 0).var()

    inputs = [values(5, 4), values(4, 3)]
    expected = [each.clone().requires_grad_() for each in inputs]
    actual = [each.to("opencl").requires_grad_() for each in inputs]

    loss(*expected).backward()
    loss(*actual).backward()

    for mine, cpus in zip(actual, expected, strict=True):
        assert_same(mine.grad, cpus.grad)


def test_vmap_and_grad_on_the_device():
    x = values(5, 4)

    def row(each):
        return (each.sin() * each).sum()

    actual = ow.vmap(ow.func.grad(row))(x.to("opencl"))

    assert_same(actual, ow.vmap(ow.func.grad(row))(x))


def test_a_trace_of_device_tensors_runs_there():
    x = values(3, 4).to("opencl")

    def function(each):
        return (each * 2).relu().sum(1)

    graph = ow.make_fx(function)(x)

    assert_same(graph(x), function(x.cpu()))


def test_a_fake_tensor_of_the_device_has_no_memory():
    before = ow.opencl.memory_allocated()

    with ow.FakeTensorMode():
        x = ow.empty(1 << 20, 1 << 20, device="opencl")
        y = (x + 1).sum(0)

    assert (y.device.type, y.shape[0]) == ("opencl", 1 << 20)
    assert ow.opencl.memory_allocated() == before


@pytest.mark.parametrize(
    "draw",
    [
        lambda device: ow.rand(300, device=device),
        lambda device: ow.randn(300, device=device),
        lambda device: ow.randint(-5, 1000, (300,), device=device),
        lambda device: ow.empty(300, device=device).bernoulli_(0.3),
        lambda device: ow.randn(300, device=device, dtype=ow.float64),
    ],
    ids=["rand", "randn", "randint", "bernoulli", "randn float64"],
)
def test_one_seed_draws_the_cpus_numbers(draw):
    ow.manual_seed(4)
    expected = draw("cpu")
    ow.manual_seed(4)

    assert_same(draw("opencl"), expected, rtol=1e-6, atol=1e-6)


def test_an_index_outside_is_an_index_error():
    x = ow.zeros(3, 2, device="opencl")

    with pytest.raises(IndexError, match="out of range"):
        x[ow.tensor([0, 5], device="opencl")]


def test_tensors_of_two_devices_are_refused():
    with pytest.raises(RuntimeError, match="opencl"):
        ow.ones(2, device="opencl") + ow.ones(2)


def test_a_users_source_is_a_kernel():
    source = "__kernel void twice(__global float* x) { x[get_global_id(0)] *= 2; }"
    x = ow.arange(8, device="opencl", dtype=ow.float32)

    ow.SourceKernel("opencl", source, "twice")(8, None, x)

    assert x.cpu().tolist() == [2.0 * i for i in range(8)]


@pytest.mark.parametrize("dtype", [ow.int64, ow.int8, ow.uint8])
def test_the_largest_of_windows_of_ints_that_reach_over_the_end(dtype):
    x = (ow.arange(70).reshape(1, 1, 7, 10) - 50).to(dtype)

    def pool(x):
        return ow.nn.functional.max_pool2d(x, 3, stride=2, padding=1, ceil_mode=True)

    assert_same(pool(x.to("opencl")), pool(x))


def test_opcheck_gives_gradients_of_the_device_to_a_formula():
    @ow.library.custom_op("opencl_checked::twice", mutates_args=())
    def twice(x: ow.Tensor) -> ow.Tensor:
        return x * 2

    twice.register_fake(lambda x: ow.empty_like(x))
    twice.register_autograd(lambda context, gradient: gradient * 2)
    x = ow.randn(3, 4).to("opencl").requires_grad_()

    ow.library.opcheck(twice, (x,))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.softmax(0), TypeError, "_softmax: dtype int32 is not supported"),
        (lambda x: x.log_softmax(0), TypeError, "_log_softmax: dtype int32 is not supported"),
        (ow.ops.aten.log_sigmoid, TypeError, "log_sigmoid_forward: dtype int32 is not supported"),
        (ow.ops.aten.glu, RuntimeError, r"glu: dimension 0 of self .* must have an even size"),
        (
            lambda x: ow.ops.aten.native_layer_norm(x, [7], None, None, 1e-5),
            RuntimeError,
            r"input of sizes \[3\] does not end with normalized_shape \[7\]",
        ),
    ],
)
def test_what_runs_by_its_decomposition_refuses_what_the_kernel_refuses(call, error, text):
    with pytest.raises(error, match=text):
        call(ow.ones(3, dtype=ow.int32, device="opencl"))


def test_a_product_times_zero_is_not_looked_at():
    bad = ow.full((2, 2), float("nan"), device="opencl")

    assert_same(ow.addmm(ow.ones(2, 2, device="opencl"), bad, bad, alpha=0), ow.ones(2, 2))


def test_acosh_below_its_domain_is_not_a_number():
    x = ow.tensor([-5e3, -1e10, 0.5, 1.0, 1.25, 3.0])

    assert_same(x.to("opencl").acosh(), x.acosh())
