"""compile(backend="ge"): graphs of the engine, built once and run."""

import opwright as ow
import pytest
from opwright import convert, ge, nn


@pytest.fixture
def add_custom(npu):
    """Give trial_ge::add_custom a converter."""

    def convert_add(x, y):
        return ge.custom_op("TrialAddCustom", inputs={"x": x, "y": y}, outputs=["z"])

    convert.register_converter("trial_ge::add_custom", "ge", convert_add, lib=npu)
    return ow.ops.trial_ge.add_custom


def test_the_same_operator_in_eager_and_in_graph_mode(add_custom):
    f = ow.compile(lambda x, y: add_custom(x, y) * 2, backend="ge", fullgraph=True)
    x, y = ow.randn(4, 3), ow.randn(4, 3)

    assert ow.allclose(f(x, y), add_custom(x, y) * 2)
    assert f.num_compiles == 1


def test_one_build_serves_all_sizes(add_custom):
    f = ow.compile(lambda x: add_custom(x, x).relu(), backend="ge", dynamic=True)

    for rows in (2, 5, 9):
        x = ow.randn(rows, 3)
        assert ow.allclose(f(x), (x + x).relu())
    assert f.num_compiles == 1


def test_a_model_of_layers_runs_there():
    ow.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
    compiled = ow.compile(model, backend="ge", fullgraph=True)
    x = ow.randn(3, 4)

    with ow.no_grad():
        assert ow.allclose(compiled(x), model(x))


def test_what_the_function_writes_is_written():
    @ow.compile(backend="ge", fullgraph=True)
    def step(x, total):
        total.add_(x)
        return total * 2

    total = ow.ones(2)

    assert step(ow.ones(2), total).tolist() == [4.0, 4.0]
    assert total.tolist() == [2.0, 2.0]


def test_results_that_are_no_tensors_come_out(add_custom):
    f = ow.compile(lambda x: (add_custom(x, x), x.shape[0], None, x), backend="ge", dynamic=True)
    x = ow.ones(3)

    summed, size, nothing, same = f(x)

    assert (summed.tolist(), size, nothing, same is x) == ([2.0] * 3, 3, None, True)


def test_a_kernel_under_the_ops_own_name_comes_first(npu, add_custom):
    ge.reg_op("TrialAddCustom(x: ALL, y: ALL) -> (z: ALL)")
    with ow.library.Library("ge", "FRAGMENT") as kernels:
        kernels.impl("TrialAddCustom", lambda x, y: x + y + 100, "CPU")
        compiled = ow.compile(lambda x: add_custom(x, x), backend="ge")
        assert compiled(ow.ones(2)).tolist() == [102.0, 102.0]

    compiled = ow.compile(lambda x: add_custom(x, x), backend="ge")
    assert compiled(ow.ones(2)).tolist() == [2.0, 2.0]


# ---- what is refused -----------------------------------------------------------------------------


def test_an_operator_without_a_converter_is_named_with_the_users_line(npu, here):
    def f(x):
        return ow.ops.trial_ge.add_custom(x, x)  # the call

    with pytest.raises(NotImplementedError, match="trial_ge::add_custom") as raised:
        ow.compile(f, backend="ge", fullgraph=True)(ow.ones(2))

    assert here("the call") in str(raised.value)


def test_an_op_that_nothing_can_run_is_named_with_both_operators(npu):
    npu.define("absent(Tensor x) -> Tensor")
    npu.impl("absent", lambda x: ow.empty_like(x), "Meta")
    convert.register_converter(
        "trial_ge::absent",
        "ge",
        lambda x: ge.custom_op("TrialAbsent", inputs={"x": x}, outputs=["y"]),
        lib=npu,
    )

    with pytest.raises(NotImplementedError, match="cannot run on cpu") as raised:
        ow.compile(lambda x: ow.ops.trial_ge.absent(x), backend="ge")(ow.ones(2))

    assert "neither ge::TrialAbsent nor trial_ge::absent" in str(raised.value)
    assert "has a kernel for it" in str(raised.value)


def test_random_numbers_are_refused():
    with pytest.raises(NotImplementedError, match="GE: the program draws random numbers"):
        ow.compile(lambda x: x + ow.rand_like(x), backend="ge", fullgraph=True)(ow.ones(2))


def test_a_configuration_must_be_one():
    with pytest.raises(TypeError, match="config must be a CompilerConfig, got dict"):
        ge.get_compiler({"library": "x"})


# ---- a vendor's library --------------------------------------------------------------------------


def test_a_vendors_library_builds_once_and_runs_in_two_phases(stand_in):
    config = ge.CompilerConfig(library=stand_in.path, options={"level": "2"})
    f = ow.compile(lambda x, y: (x + y).relu(), backend=ge.get_compiler(config), dynamic=True)

    assert f(ow.tensor([1.0, -9.0]), ow.ones(2)).tolist() == [2.0, 0.0]
    assert f(ow.ones(3), ow.ones(3)).tolist() == [2.0, 2.0, 2.0]

    assert stand_in.calls() == [
        "build Data Data Add Relu NetOutput on 0 level=2",
        "workspace of 2 inputs",
        "execute",
        "workspace of 2 inputs",
        "execute",
    ]


def test_the_status_and_the_message_of_a_vendors_library_are_the_error(stand_in):
    backend = ge.get_compiler(ge.CompilerConfig(library=stand_in.path))

    with pytest.raises(RuntimeError, match="failed with status 145000") as raised:
        ow.compile(lambda x: x.neg(), backend=backend, fullgraph=True)(ow.ones(2))

    assert "E89999: no operator Neg" in str(raised.value)


def test_a_vendors_library_that_is_not_there_is_named():
    backend = ge.get_compiler(ge.CompilerConfig(library="libge_nowhere.so"))

    with pytest.raises(OSError, match=r"GE: the engine's library libge_nowhere\.so cannot be"):
        ow.compile(lambda x: x + x, backend=backend, fullgraph=True)(ow.ones(2))
