"""autocast: the dtype of each operator, against torch; nesting, transforms, rules of authors."""

import re
import threading
from pathlib import Path

import opwright as ow
import pytest
import torch
from opwright import library

F = ow.nn.functional
ROOT = Path(__file__).parents[3]


# ---- Policies, against torch ----


def image(*sizes):
    return torch.rand(sizes)


PREDICTION, TARGET = image(3, 4), image(3, 4)
CLASSES = torch.tensor([0, 3, 1])
SIGNS = torch.tensor([1.0, -1.0, 1.0])
SQUARE = image(3, 3)
BATCH = image(2, 3, 3)

# The arguments of each operator that torch's autocast knows on the cpu.
CALLS = {
    "mm": (SQUARE, SQUARE),
    "bmm": (BATCH, BATCH),
    "addmm": (SQUARE, SQUARE, SQUARE),
    "baddbmm": (BATCH, BATCH, BATCH),
    "matmul": (BATCH, SQUARE),
    "linear": (SQUARE, SQUARE, SQUARE[0]),
    "view_as_complex": (image(3, 2),),
    "scaled_dot_product_attention": (image(1, 2, 4, 8), image(1, 2, 4, 8), image(1, 2, 4, 8)),
    "conv1d": (image(1, 2, 5), image(3, 2, 2), image(3)),
    "conv1d.padding": (image(1, 2, 5), image(3, 2, 3), None, [1], "same"),
    "conv2d": (image(1, 2, 5, 5), image(3, 2, 2, 2)),
    "conv2d.padding": (image(1, 2, 5, 5), image(3, 2, 3, 3), None, [1], "same"),
    "conv3d": (image(1, 2, 4, 4, 4), image(3, 2, 2, 2, 2)),
    "conv3d.padding": (image(1, 2, 4, 4, 4), image(3, 2, 3, 3, 3), None, [1], "same"),
    "conv_transpose1d": (image(1, 2, 5), image(2, 3, 2)),
    "conv_transpose2d.input": (image(1, 2, 5, 5), image(2, 3, 2, 2)),
    "conv_transpose3d.input": (image(1, 2, 4, 4, 4), image(2, 3, 2, 2, 2)),
    "prelu": (SQUARE, image(1)),
    "prod": (SQUARE,),
    "prod.dim_int": (SQUARE, 0),
    "trace": (SQUARE,),
    "mse_loss": (PREDICTION, TARGET),
    "smooth_l1_loss": (PREDICTION, TARGET),
    "huber_loss": (PREDICTION, TARGET),
    "l1_loss": (PREDICTION, TARGET),
    "binary_cross_entropy": (PREDICTION, TARGET),
    "binary_cross_entropy_with_logits": (PREDICTION, TARGET),
    "nll_loss": (PREDICTION, CLASSES),
    "nll_loss2d": (image(1, 4, 1, 3), CLASSES.view(1, 1, 3)),
    "cross_entropy_loss": (PREDICTION, CLASSES),
    "kl_div": (PREDICTION, TARGET),
    "soft_margin_loss": (PREDICTION[:, 0], SIGNS),
    "margin_ranking_loss": (PREDICTION[:, 0], TARGET[:, 0], SIGNS),
    "hinge_embedding_loss": (PREDICTION[:, 0], SIGNS),
    "cosine_embedding_loss": (PREDICTION, TARGET, SIGNS),
    "avg_pool3d": (image(1, 1, 4, 4, 4), [2]),
    "max_pool3d": (image(1, 1, 4, 4, 4), [2]),
    "adaptive_avg_pool3d": (image(1, 1, 4, 4, 4), [2, 2, 2]),
    "adaptive_max_pool3d": (image(1, 1, 4, 4, 4), [2, 2, 2]),
    "grid_sampler_2d": (image(1, 1, 4, 4), image(1, 2, 2, 2), 0, 0, False),
    "polar": (image(3), image(3)),
    "reflection_pad1d": (image(1, 4), [1, 1]),
    "reflection_pad2d": (image(1, 4, 4), [1, 1, 1, 1]),
    "replication_pad1d": (image(1, 4), [1, 1]),
    "replication_pad2d": (image(1, 4, 4), [1, 1, 1, 1]),
    "replication_pad3d": (image(1, 4, 4, 4), [1, 1, 1, 1, 1, 1]),
    "cat": ([SQUARE, SQUARE.bfloat16()],),
    "stack": ([SQUARE, SQUARE.bfloat16()],),
    "index_copy": (SQUARE, 0, torch.tensor([0]), SQUARE[:1].bfloat16()),
}
OTHERS = {
    "add.Tensor": (SQUARE, SQUARE.bfloat16()),
    "exp": (SQUARE.bfloat16(),),
    "softmax.int": (SQUARE.bfloat16(), 1),
    "sum": (SQUARE.bfloat16(),),
    "layer_norm": (SQUARE.bfloat16(), [3]),
    "mv": (SQUARE, SQUARE[0]),
}


def map_tensors(value, function):
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, list):
        return [map_tensors(each, function) for each in value]
    return value


def cast(dtype):
    return lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor


def dtypes_of(package, name, args):
    base, _, overload = name.partition(".")
    operator = getattr(getattr(package.ops.aten, base), overload or "default")
    try:
        with package.autocast("cpu", dtype=package.bfloat16):
            results = operator(*args)
    except (RuntimeError, TypeError, ValueError):
        return "an error"
    results = results if isinstance(results, (list, tuple)) else [results]
    return [str(result.dtype).partition(".")[2] for result in results]


def expect_the_dtypes_of_torch(name, args):
    ours = [map_tensors(each, ow.from_dlpack) for each in args]
    assert dtypes_of(ow, name, ours) == dtypes_of(torch, name, args)


@pytest.mark.parametrize("name", [*CALLS, *OTHERS])
def test_results_have_the_dtype_of_torch(name):
    expect_the_dtypes_of_torch(name, {**CALLS, **OTHERS}[name])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_results_of_other_arguments_have_the_dtype_of_torch(name, dtype):
    expect_the_dtypes_of_torch(name, [map_tensors(each, cast(dtype)) for each in CALLS[name]])


def operators_cast_on_the_cpu():
    """Operators whose entry in functions.yaml states what autocast does on the CPU."""
    entries = (ROOT / "src/ops/functions.yaml").read_text().split("\n\n")
    cast = [
        each for each in entries if re.search(r"^  autocast: (\w|\{.*cpu:)", each, re.MULTILINE)
    ]
    return {re.search(r"- func: ([\w.]+)", each)[1] for each in cast}


def test_every_operator_that_torch_casts_on_the_cpu_is_among_them():
    def is_cast(name):
        try:
            return torch._C._dispatch_has_kernel_for_dispatch_key(name, "AutocastCPU")
        except RuntimeError:  # only ours has it
            return False

    names = ow._C.list_operators("aten")
    cast = {name.removeprefix("aten::") for name in names if is_cast(name)}
    assert set(CALLS) <= cast
    assert cast - set(CALLS) <= operators_cast_on_the_cpu()


def test_values_are_those_of_torch():
    x, w = image(4, 8), image(3, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = torch.nn.functional.linear(x, w).softmax(1)
    with ow.autocast("cpu"):
        result = F.linear(ow.from_dlpack(x), ow.from_dlpack(w)).softmax(1)
    torch.testing.assert_close(torch.from_dlpack(result), expected, rtol=2e-2, atol=1e-3)


# ---- Contexts ----


@pytest.fixture
def x():
    return ow.ones(2, 2)


def test_an_inner_autocast_decides(x):
    with ow.autocast("cpu", ow.bfloat16):
        with ow.autocast("cpu", ow.float16):
            assert ow.mm(x, x).dtype == ow.float16
            assert ow.get_autocast_dtype("cpu") == ow.float16
        assert ow.mm(x, x).dtype == ow.bfloat16
    assert ow.mm(x, x).dtype == ow.float32


def test_a_disabled_autocast_stops_the_ones_around_it(x):
    with ow.autocast("cpu"), ow.autocast("cpu"):
        with ow.autocast("cpu", enabled=False):
            assert ow.mm(x, x).dtype == ow.float32
            assert not ow.is_autocast_enabled("cpu")
            with ow.autocast("cpu"):
                assert ow.mm(x, x).dtype == ow.bfloat16
            assert ow.mm(x, x).dtype == ow.float32
        assert ow.is_autocast_enabled("cpu")


def test_another_device_is_left_alone(x):
    with ow.autocast("cuda"):
        assert ow.mm(x, x).dtype == ow.float32
        assert ow.is_autocast_enabled("cuda")
        assert not ow.is_autocast_enabled("cpu")
        with ow.autocast("cpu"):
            assert ow.mm(x, x).dtype == ow.bfloat16


def test_the_rules_of_accelerators_apply_to_their_tensors():
    with ow.FakeTensorMode(), ow.autocast("cuda"):
        x = ow.ones(2, 2, device="cuda")
        assert (x @ x).dtype == ow.float16
        assert (x @ x).exp().dtype == ow.float32
        assert (x @ x).softmax(1).dtype == ow.float32


def test_it_is_that_of_its_thread(x):
    dtypes = []
    with ow.autocast("cpu"):
        thread = threading.Thread(target=lambda: dtypes.append(ow.mm(x, x).dtype))
        thread.start()
        thread.join()
    assert dtypes == [ow.float32]


def test_it_ends_with_an_exception(x):
    with pytest.raises(KeyError), ow.autocast("cpu"):
        raise KeyError
    assert ow.mm(x, x).dtype == ow.float32


def test_one_object_may_be_entered_again(x):
    autocast = ow.autocast("cpu")
    with autocast, autocast:
        assert ow.mm(x, x).dtype == ow.bfloat16
    with autocast:
        assert ow.mm(x, x).dtype == ow.bfloat16
    assert ow.mm(x, x).dtype == ow.float32


def test_functions_are_decorated(x):
    @ow.autocast("cpu", dtype=ow.float16)
    def f(x):
        return x @ x

    assert f(x).dtype == ow.float16
    assert f.__name__ == "f"
    assert not ow.is_autocast_enabled()


def test_layers_compute_in_the_lower_dtype():
    net = ow.nn.Sequential(ow.nn.Conv2d(1, 2, 3), ow.nn.ReLU(), ow.nn.Flatten(), ow.nn.Linear(8, 3))
    with ow.autocast("cpu"):
        result = net(ow.ones(2, 1, 4, 4))
        loss = F.cross_entropy(result, ow.tensor([0, 2]))
    assert (result.dtype, loss.dtype) == (ow.bfloat16, ow.float32)


# ---- Transforms ----


def test_casts_are_in_the_graph(x):
    @ow.autocast("cpu")
    def f(x):
        return ow.mm(x, x).sin()

    traced = ow.make_fx(f)(x)

    names = [node.target.name for node in traced.graph.nodes if node.op == "call_function"]
    assert names == ["aten::_to_copy", "aten::_to_copy", "aten::mm", "aten::sin"]
    assert traced(x).dtype == ow.bfloat16


def test_a_function_is_traced_under_the_autocast_around_it(x):
    with ow.autocast("cpu"):
        traced = ow.make_fx(lambda x: ow.mm(x, x), tracing_mode="symbolic")(x)
    assert traced(ow.ones(3, 3)).dtype == ow.bfloat16


def test_vmap_sees_the_casts():
    xs = ow.ones(3, 2, 2)
    with ow.autocast("cpu"):
        result = ow.vmap(lambda x: x @ x)(xs)
        loss = ow.vmap(lambda x: F.mse_loss(x @ x, x))(xs)
    assert (result.dtype, loss.dtype) == (ow.bfloat16, ow.float32)
    assert result.tolist() == (xs @ xs).tolist()


def test_autocast_inside_of_a_mapped_function():
    @ow.autocast("cpu")
    def f(x):
        return x @ x

    assert ow.vmap(f)(ow.ones(3, 2, 2)).dtype == ow.bfloat16


def test_functionalize_sees_the_casts(x):
    @ow.autocast("cpu")
    def f(x):
        y = ow.mm(x, x)
        y.add_(1)
        return y

    assert ow.func.functionalize(f)(x).tolist() == f(x).tolist()


# ---- Gradients ----


def make_net():
    ow.manual_seed(0)
    return ow.nn.Sequential(ow.nn.Linear(8, 16), ow.nn.Tanh(), ow.nn.Linear(16, 3))


def test_gradients_of_float32_parameters_are_float32_and_those_of_torch():
    net = make_net()
    twin = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
    twin.load_state_dict({k: torch.from_dlpack(v).clone() for k, v in net.state_dict().items()})
    x, classes = image(5, 8), torch.tensor([0, 1, 2, 1, 0])

    with ow.autocast("cpu"):
        loss = F.cross_entropy(net(ow.from_dlpack(x)), ow.from_dlpack(classes))
    loss.backward()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = torch.nn.functional.cross_entropy(twin(x), classes)
    expected.backward()

    for ours, theirs in zip(net.parameters(), twin.parameters(), strict=True):
        assert ours.grad.dtype == ow.float32
        torch.testing.assert_close(torch.from_dlpack(ours.grad), theirs.grad, rtol=5e-2, atol=5e-3)


def test_backward_may_run_inside_of_autocast_and_twice(x):
    weight = ow.nn.Parameter(ow.ones(2, 2))
    with ow.autocast("cpu"):
        for _ in range(2):
            F.mse_loss(x @ weight, x).backward()
    assert weight.grad.dtype == ow.float32
    assert weight.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_a_parameter_that_is_used_twice_gets_both_gradients(x):
    def gradient(cache_enabled):
        weight = ow.nn.Parameter(ow.ones(2, 2))
        with ow.autocast("cpu", cache_enabled=cache_enabled):
            ((x @ weight) @ weight).sum().backward()
        return weight.grad.tolist()

    assert gradient(True) == gradient(False) == [[8.0, 8.0], [8.0, 8.0]]


def test_a_cast_made_under_no_grad_is_not_taken_for_training(x):
    weight = ow.nn.Parameter(ow.ones(2, 2))
    with ow.autocast("cpu"):
        with ow.no_grad():
            assert not (x @ weight).requires_grad
        (x @ weight).sum().backward()
    assert weight.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_a_step_inside_of_autocast_changes_what_is_computed(x):
    weight = ow.nn.Parameter(ow.ones(2, 2))
    optimizer = ow.optim.SGD([weight], lr=0.25)
    losses = []
    with ow.autocast("cpu"):
        for _ in range(3):
            optimizer.zero_grad()
            loss = (x @ weight).sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses == [8.0, 4.0, 0.0]


def test_backward_in_a_traced_function_has_its_casts_in_the_graph(x):
    weight = ow.nn.Parameter(ow.ones(2, 2))

    def f(x):
        with ow.autocast("cpu"):
            loss = (x @ weight).sum()
        loss.backward()
        return loss

    traced = ow.make_fx(f)(x)
    weight.grad = None
    traced(x)

    assert weight.grad.dtype == ow.float32
    assert weight.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def squared_error(weight, x):
    return F.mse_loss(x @ weight, x)


@pytest.mark.parametrize("autocast_is", ["around", "inside"])
def test_transforms_give_float32_gradients(x, autocast_is):
    function = squared_error
    if autocast_is == "inside":
        function = ow.autocast("cpu")(squared_error)
    weight = ow.ones(2, 2)
    with ow.autocast("cpu", enabled=autocast_is == "around"):
        gradient = ow.func.grad(function)(weight, x)
        batched = ow.vmap(ow.func.grad(function), in_dims=(None, 0))(weight, ow.ones(3, 2, 2))
        traced = ow.make_fx(ow.func.grad(function))(weight, x)
        value, tangent = ow.func.jvp(function, (weight, x), (weight, x))

    for each in (gradient, batched, traced(weight, x)):
        assert each.dtype == ow.float32
        assert set(each.flatten().tolist()) == {1.0}
    assert (value.item(), tangent.item()) == (1.0, 6.0)
    casts = [node for node in traced.graph.nodes if "_to_copy" in str(node.target)]
    assert len(casts) >= 3


# ---- Rules of authors ----


def test_an_operator_of_an_author_is_cast_as_it_says():
    with library.Library("autocast_test", "FRAGMENT") as lib:
        lib.define("pair(Tensor x, Tensor[] rest, *, Tensor? y=None) -> Tensor")
        seen = []

        @library.impl(lib, "pair", "CPU")
        def pair(x, rest, *, y=None):
            seen.append((x.dtype, rest[0].dtype, rest[1].dtype, y.dtype))
            return x @ x

        library.register_autocast("autocast_test::pair", "cpu", ow.float16, lib=lib)
        x = ow.ones(2, 2)
        with ow.autocast("cpu"):
            result = ow.ops.autocast_test.pair(x, [x, x.to(ow.int64)], y=x.to(ow.float64))

        assert seen == [(ow.float16, ow.float16, ow.int64, ow.float64)]
        assert result.dtype == ow.float16


def test_the_body_of_an_operator_that_asked_for_float32_is_left_alone():
    with library.Library("autocast_test", "FRAGMENT") as lib:
        lib.define("exact(Tensor x) -> Tensor")
        library.impl(lib, "exact", "CompositeImplicitAutograd")(lambda x: x @ x)
        library.register_autocast("autocast_test::exact", "cpu", ow.float32, lib=lib)
        with ow.autocast("cpu"):
            assert ow.ops.autocast_test.exact(ow.ones(2, 2)).dtype == ow.float32


def test_the_body_of_an_operator_without_a_rule_is_cast():
    with library.Library("autocast_test", "FRAGMENT") as lib:
        lib.define("open(Tensor x) -> Tensor")
        library.impl(lib, "open", "CompositeImplicitAutograd")(lambda x: x @ x)
        library.register_autocast("autocast_test::open", "cuda", ow.float32, lib=lib)
        with ow.autocast("cpu"):
            assert ow.ops.autocast_test.open(ow.ones(2, 2)).dtype == ow.bfloat16


# ---- Wrong uses ----


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.int8], ids=str)
def test_a_dtype_that_is_not_lower_is_refused(dtype):
    with pytest.raises(ValueError, match="autocast: dtype must be bfloat16 or float16, got"):
        ow.autocast("cpu", dtype)


def test_an_unknown_device_is_refused():
    with pytest.raises((ValueError, RuntimeError), match="nowhere"):
        ow.autocast("nowhere")


def test_the_innermost_is_left_first():
    outer, inner = ow.autocast("cpu"), ow.autocast("cpu")
    with outer, inner, pytest.raises(RuntimeError, match="innermost first"):
        outer.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="autocast: left without having been entered"):
        outer.__exit__(None, None, None)
