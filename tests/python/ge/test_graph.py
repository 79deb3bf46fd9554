"""ge.convert: graphs to be read and saved; prototypes; the name that the comparison has too."""
# Covers: python/bindings/ge/*.

import subprocess
import sys

import opwright as ow
import pytest
from opwright import ge, nn


def test_parameters_become_constants():
    graph = ge.convert(nn.Linear(3, 2), (ow.ones(1, 3),))

    constants = [op.output_descriptors[0][2] for op in graph.ops if op.type == "Const"]
    assert [2, 3] in constants
    assert [2] in constants
    assert [op.type for op in graph.ops].count("Data") == 1


def test_a_program_is_converted_as_it_is():
    program = ow.export.export(lambda x: x + x, (ow.ones(2),))

    assert [op.type for op in ge.convert(program).ops] == ["Data", "Add", "NetOutput"]
    with pytest.raises(ValueError, match="an ExportedProgram has its arguments"):
        ge.convert(program, (ow.ones(2),))


def test_an_op_tells_the_users_line(here):
    def f(x):
        return x.relu()  # the call

    (relu,) = [op for op in ge.convert(f, (ow.ones(2),)).ops if op.type == "Relu"]

    assert here("the call").endswith(relu.line) or relu.line.endswith(here("the call"))


def test_what_is_saved_is_what_is_serialized(tmp_path):
    graph = ge.convert(lambda x: x + 1, (ow.ones(2),), name="saved")

    graph.save(tmp_path / "graph.pb")

    assert (tmp_path / "graph.pb").read_bytes() == graph.serialize()
    assert b"saved" in graph.serialize()


def test_a_prototype_is_an_operator_and_has_both_texts():
    proto = ge.reg_op("TrialScale(x: {FLOAT, FLOAT16}, b?: ALL; factor: Float = 1.0) -> (y: ALL)")

    assert ge.prototype("TrialScale").text == proto.text
    assert "REG_OP(TrialScale)" in proto.cpp
    assert ".INPUT(x, " in proto.cpp
    assert "ge::TrialScale" in str(ow.ops.ge.TrialScale.default.schema)


def test_the_same_prototype_twice_is_harmless_and_another_one_is_refused_with_both():
    first = ge.reg_op("TrialTwice(x: ALL) -> (y: ALL)")
    ge.reg_op("TrialTwice(x: ALL) -> (y: ALL)")

    with pytest.raises(ValueError, match="TrialTwice") as raised:
        ge.reg_op("TrialTwice(x: ALL, w: ALL) -> (y: ALL)")

    assert first.text in str(raised.value)
    assert "w: ALL" in str(raised.value)


def test_a_prototype_comes_from_an_operator(npu):
    npu.define("scale_rows(Tensor x, float factor) -> Tensor")

    made = ge.reg_op(ow.ops.trial_ge.scale_rows.default)

    assert made.text == "ScaleRows(x: ALL; factor: Float) -> (y: ALL)"


def test_a_prototype_that_is_not_there_is_named():
    with pytest.raises(KeyError, match="there is no prototype of 'TrialNowhere'"):
        ge.prototype("TrialNowhere")


def test_the_package_can_be_called_as_the_comparison_in_every_order():
    program = (
        "import opwright as ow\n"
        "x = ow.tensor([1.0, 3.0])\n"
        "print(ow.ge(x, 2.0).tolist(), ow.ge(x, other=ow.tensor(3.0)).tolist())\n"
        "from opwright import ge\n"
        "print(ge is ow.ge, ge.DataType(0).name)\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout == "[False, True] [False, True]\nTrue DT_FLOAT\n", done.stderr
