"""The check `onnx`: a call as an ONNX model, its description, contents and results."""

import opwright as ow
import pytest
from opwright._opcheck import hosts

from .host import same_form

runs_models = pytest.mark.skipif(
    not hosts.is_installed("onnxruntime"),
    reason="onnxruntime is not installed: models were not run",
)


NAMESPACE = "onnx_check"


def check(op, *args, **options):
    return ow.opcheck(op, args, test_utils="onnx", raise_exception=False, **options)


def define_scale(host, name="scale"):
    return host.define(
        f"{name}(Tensor x, float by) -> Tensor",
        lambda x, by: x * by,
        fake=lambda x, by: same_form(x),
    )


@pytest.fixture
def symbolic():
    """Return a function that registers a symbolic until the end of the test."""
    onnx = pytest.importorskip("opwright.onnx")
    names = []

    def register(name, function, opset=12):
        onnx.register_custom_op_symbolic(name, function, opset)
        names.append((name, opset))

    yield register
    for name, opset in names:
        onnx.unregister_custom_op_symbolic(name, opset)


def test_a_sound_operator_passes(host):
    report = check(define_scale(host), ow.randn(3, 4), 2.0)

    assert report.ok, report.table()
    assert report["onnx"] == "SUCCESS"
    assert report.remarks == []


def test_one_that_writes_passes(host):
    def kernel(x, y):
        x.add_(y)

    op = host.define("put_(Tensor(a!) x, Tensor y) -> ()", kernel, fake=lambda x, y: None)

    report = check(op, ow.randn(3, 4), ow.randn(3, 4))

    assert report.ok, report.table()


@pytest.mark.parametrize(
    ("op", "args"),
    [
        (ow.ops.aten.cat.default, ([ow.randn(2, 3), ow.randn(1, 3)],)),
        (ow.ops.aten.sum.dim_IntList, (ow.randn(2, 3), [1])),
        (ow.ops.aten.permute.default, (ow.randn(2, 3, 4), [2, 0, 1])),
    ],
)
def test_built_in_operators_with_rules_pass(op, args):
    report = check(op, *args)

    assert report.ok, report.table()
    assert report["onnx"] == "SUCCESS"


def test_a_built_in_operator_without_a_rule_is_skipped_with_the_reason():
    report = check(ow.ops.aten._pdist_forward.default, ow.randn(3, 4))

    assert report["onnx"] == "SKIPPED"
    assert report.lines[0].text == "it has no rule for ONNX opset 20"


def test_a_random_operator_is_skipped_with_the_reason():
    report = check(ow.ops.aten.bernoulli.default, ow.rand(3))

    assert report["onnx"] == "SKIPPED"
    assert "draws random numbers" in report.lines[0].text


def test_an_argument_that_no_attribute_can_hold_is_a_remark_with_what_to_do(host):
    op = host.define(
        "turn(Tensor x, complex by) -> Tensor",
        lambda x, by: x * by.real,
        fake=lambda x, by: same_form(x),
    )

    report = check(op, ow.randn(3), 2j, examples=0)

    assert report.ok
    (remark,) = report.remarks
    assert remark.kind == "onnx-left-out"
    assert "argument 'by' (complex) cannot be an attribute of an ONNX node" in remark.message
    assert "register_custom_op_symbolic" in remark.message


def test_a_float_that_float32_cannot_hold_is_a_remark(host):
    report = check(define_scale(host), ow.ones(3), 1e-50, examples=0)

    (remark,) = report.remarks
    assert remark.kind == "onnx-float-attribute"
    assert "'by' is 1e-50, and the attribute 'by' of its ONNX node onnx_check::scale holds 0" in (
        remark.message
    )


def test_a_float_that_is_only_rounded_is_none(host):
    assert check(define_scale(host), ow.ones(3), 0.1, examples=0).remarks == []


def test_a_fake_kernel_that_is_wrong_makes_a_model_that_is(host):
    op = host.define(
        "halve(Tensor x) -> Tensor",
        lambda x: x * 0.5,
        fake=lambda x: ow.empty_like(x, dtype=ow.float64),
    )

    report = check(op, ow.ones(3), examples=0)

    (found,) = report.findings
    assert found.kind == "onnx-wrong-outputs"
    assert "output 1 is float64, and the call gives float32" in found.message
    assert "Fix the fake kernel" in found.message


def test_a_symbolic_with_too_few_outputs_is_told(host, symbolic):
    op = host.define(
        "pair(Tensor x) -> (Tensor, Tensor)",
        lambda x: (x.clone(), x * 2),
        fake=lambda x: (same_form(x), same_form(x)),
    )
    symbolic("onnx_check::pair", lambda g, x: g.op("vendor::Pair", x))

    (found,) = check(op, ow.ones(3), examples=0).findings

    assert found.kind == "onnx-raised"
    assert "returned 1 value, but the operator has 2 results" in found.message
    assert "outputs=2" in found.message


def test_a_symbolic_that_forgets_an_argument_is_a_remark(host, symbolic):
    op = define_scale(host, "forgetful")
    symbolic("onnx_check::forgetful", lambda g, x, by: g.op("vendor::Scale", x))

    report = check(op, ow.ones(3), 1.0, examples=0)

    remark = report.remarks[0]
    assert remark.kind == "onnx-drops-argument"
    assert "vendor::Scale does not hold the argument 'by'" in remark.message


@runs_models
def test_a_model_that_gives_something_else_is_told(host, symbolic):
    op = host.define(
        "less(Tensor x, Tensor y) -> Tensor", lambda x, y: x - y, fake=lambda x, y: same_form(x)
    )
    symbolic("onnx_check::less", lambda g, x, y: g.op("Sub", y, x))

    (found,) = check(op, ow.ones(3), ow.zeros(3), examples=0).findings

    assert found.kind == "onnx-differs"
    assert found.message.startswith(
        "the ONNX model of onnx_check::less differs in ONNX Runtime from the call: "
    )
    assert "Look at its symbolic" in found.message


@runs_models
def test_a_model_that_is_right_for_one_size_only_is_told(host, symbolic):
    op = host.define("flat(Tensor x) -> Tensor", lambda x: x.reshape(-1) * 1.0, fake=flat_form)
    symbolic("onnx_check::flat", reshape_to_twelve)

    (found,) = check(op, ow.randn(3, 4), examples=0).findings

    assert found.kind == "onnx-differs-at-other-size"
    assert "is right for the sizes given, but where dimension 0 of 'x' is" in found.message


def flat_form(x):
    return x.new_empty([x.shape[0] * x.shape[1]])


def reshape_to_twelve(g, x):
    return g.op("Reshape", x, g.op("Constant", value_t=ow.tensor([12])))


@runs_models
def test_a_node_that_onnx_does_not_have_is_told(host, symbolic):
    op = define_scale(host, "unknown")
    symbolic("onnx_check::unknown", lambda g, x, by: g.op("Scaled", x, by_f=2.0))

    (found,) = check(op, ow.ones(3), 2.0, examples=0).findings

    assert found.kind == "onnx-differs"
    assert "Scaled" in found.message
