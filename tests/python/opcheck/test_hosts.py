"""opcheck(hosts=...): the same arguments in other hosts, compared with Opwright's results."""

import importlib.util

import opwright as ow
import pytest

from .host import same_form

NAMESPACE = "host_check"


def check(op, *args, hosts, **options):
    options = {"examples": 10, "test_utils": "schema", "raise_exception": False, **options}
    return ow.opcheck(op, args, hosts=hosts, **options)


def require(name):
    pytest.importorskip(name, reason=f"{name} is not installed: the host was not compared")


def test_a_name_that_is_no_host_is_refused_with_those_there_are():
    told = "opcheck: hosts has 'pytorch', which is not a host; there are opwright, torch, jax, o"

    with pytest.raises(ValueError, match=told):
        check(ow.ops.aten.sin, ow.ones(3), hosts=("opwright", "pytorch"))


def test_opwright_alone_adds_no_check():
    report = check(ow.ops.aten.sin, ow.ones(3), hosts="opwright")

    assert [line.check for line in report.lines] == ["schema"]


def test_a_host_that_is_not_installed_is_skipped_with_the_command(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    report = check(ow.ops.aten.sin, ow.ones(3), hosts=("torch", "jax", "onnxruntime"))

    assert report.ok
    assert [(line.check, line.state, line.text) for line in report.lines[1:]] == [
        ("torch", "skipped", "torch is not installed; pip install torch"),
        ("jax", "skipped", "jax is not installed; pip install jax"),
        ("onnxruntime", "skipped", "onnxruntime is not installed; pip install onnxruntime"),
    ]


def test_a_check_of_a_host_by_name_tells_how_to_bring_it():
    report = check(ow.ops.aten.sin, ow.ones(3), hosts=(), test_utils="torch")

    assert report["torch"] == "SKIPPED"
    assert 'opcheck(..., hosts=("torch",))' in report.lines[0].text


@pytest.mark.parametrize("name", ["torch", "jax", "onnxruntime"])
def test_a_sound_operator_gives_the_same_in_each_host(host, name):
    require(name)
    op = host.define(
        "scale(Tensor x, float by=2.0) -> Tensor",
        lambda x, by: x * by,
        fake=lambda x, by: same_form(x),
    )

    report = check(op, ow.randn(3, 4), hosts=("opwright", name))

    assert report.ok, report.table()
    assert report[name] == "SUCCESS"
    assert report.lines[-1].inputs > 1


@pytest.mark.parametrize("name", ["torch", "jax", "onnxruntime"])
def test_what_an_operator_writes_is_compared_too(host, name):
    require(name)

    def kernel(x, y):
        x.add_(y)

    op = host.define("put_(Tensor(a!) x, Tensor y) -> ()", kernel, fake=lambda x, y: None)

    report = check(op, ow.randn(3, 4), ow.randn(3, 4), hosts=(name,))

    assert report.ok, report.table()
    assert report[name] == "SUCCESS"


def test_a_built_in_operator_is_compared_with_the_hosts_own():
    require("torch")

    report = check(ow.ops.aten.softmax.int, ow.randn(3, 4), 1, hosts=("torch",))

    assert report.ok, report.table()
    assert report["torch"] == "SUCCESS"


def test_an_operator_that_reads_its_host_is_told(host):
    require("torch")

    def kernel(x):
        return x * 2 if isinstance(x, ow.Tensor) else x * 3

    op = host.define("two_faced(Tensor x) -> Tensor", kernel, fake=same_form)

    report = check(op, ow.ones(3), hosts=("torch",))

    (found,) = report.findings
    assert found.kind == "torch-differs"
    assert found.message.startswith(
        "host_check::two_faced returns a different result in PyTorch than in Opwright: "
    )
    assert "check what they use from their host" in found.message
    assert "host_check" in found.code


def test_an_error_in_a_host_is_told_with_its_text(host):
    require("torch")

    def kernel(x):
        if not isinstance(x, ow.Tensor):
            raise ValueError("only at home")
        return x.clone()

    op = host.define("homely(Tensor x) -> Tensor", kernel, fake=same_form)

    report = check(op, ow.ones(3), hosts=("torch",))

    (found,) = report.findings
    assert found.kind == "torch-raised"
    assert "raises in PyTorch but not in Opwright: ValueError: only at home" in found.message


def test_random_operators_are_skipped():
    require("torch")

    report = check(ow.ops.aten.bernoulli.default, ow.rand(3), hosts=("torch",))

    assert report["torch"] == "SKIPPED"
    assert report.lines[-1].text == "every host draws its own random numbers"


def test_lists_optional_tensors_and_several_results_come_through(host):
    require("torch")
    require("onnxruntime")

    def kernel(tracks, gain, order):
        picked = [tracks[i] for i in order]
        return picked[0] + picked[1] * (1.0 if gain is None else gain), picked[0] * 2

    op = host.define(
        "mix(Tensor[] tracks, Tensor? gain, int[] order) -> (Tensor, Tensor)",
        kernel,
        fake=lambda tracks, gain, order: (same_form(tracks[0]), same_form(tracks[0])),
    )

    report = check(
        op, [ow.randn(3), ow.randn(3)], None, [1, 0], hosts=("torch", "onnxruntime"), examples=0
    )

    assert report.ok, report.table()
    assert (report["torch"], report["onnxruntime"]) == ("SUCCESS", "SUCCESS")


@pytest.mark.parametrize(
    ("op", "args"),
    [
        (ow.ops.aten.cat.default, ([ow.randn(2, 3), ow.randn(1, 3)],)),
        (ow.ops.aten.cumsum.default, (ow.randn(2, 3), 1)),
    ],
)
def test_a_built_in_operator_runs_as_a_model_in_onnx_runtime(op, args):
    require("onnxruntime")

    report = check(op, *args, hosts=("onnxruntime",), examples=0)

    assert report.ok, report.table()
    assert report["onnxruntime"] == "SUCCESS"
