"""explain: the report about a call, and the log while a program runs."""

import os
import re
import subprocess
import sys

import opwright as ow
import pytest
from opwright._compile.explain import Break, Explanation, measure_bandwidth


def scaled(x, y):
    return ow.sin(x) * y + 1


@pytest.fixture
def operands():
    return ow.ones(64, 128), ow.ones(128)


def test_a_fused_function_is_one_graph_one_nest_and_no_break(operands):
    explanation = ow.explain(scaled)(*operands)

    assert len(explanation.graphs) == 1
    assert "aten::sin" in explanation.graphs[0]
    assert explanation.num_nests == len(explanation.groups) == 1
    assert explanation.breaks == []


def test_a_fused_function_moves_its_inputs_and_results_once(operands):
    explanation = ow.explain(scaled)(*operands)

    assert explanation.least_bytes == 4 * (64 * 128 + 128 + 64 * 128)
    assert explanation.bytes_moved == explanation.least_bytes


def test_groups_name_their_operators(operands):
    [group] = ow.explain(scaled)(*operands).groups

    operators = group.splitlines()[0]
    assert re.findall(r"aten::(\w+)", operators) == ["sin", "mul", "add"]


def test_the_code_can_be_read_as_ir_and_as_assembly(operands):
    explanation = ow.explain(scaled)(*operands)

    assert "define void @nest(ptr" in explanation.code
    assert "nest:" in explanation.assembly
    assert "ret" in explanation.assembly


def test_guards_are_lines_of_text(operands):
    guards = ow.explain(scaled)(*operands).guards

    assert any("x" in line and "float32" in line for line in guards), guards


def test_a_break_has_its_file_its_line_and_its_cause():
    def broken(x):
        return x * float(x.sum().item())

    with pytest.warns(ow.PerformanceWarning):
        [found] = ow.explain(broken)(ow.ones(3)).breaks

    assert found.file.endswith("test_explain.py")
    assert found.line == broken.__code__.co_firstlineno + 1
    assert "item" in found.cause


def test_a_training_call_tells_forward_and_backward():
    weight = ow.ones(16, requires_grad=True)

    explanation = ow.explain(lambda x: (ow.tanh(x * weight) ** 2).sum())(ow.ones(8, 16))

    assert len(explanation.graphs) == 2
    assert explanation.num_nests >= 2
    assert "---- forward graph 1 of 2 ----" in str(explanation)
    assert "---- backward graph 2 of 2 ----" in str(explanation)


def test_a_compiled_function_is_explained_like_its_function(operands):
    assert ow.explain(ow.compile(scaled))(*operands).num_nests == 1


def test_options_are_those_of_compile(operands):
    explanation = ow.explain(scaled, backend="plan")(*operands)

    assert explanation.num_nests == 0
    assert explanation.bytes_moved > explanation.least_bytes


def test_the_page_has_every_part(operands):
    page = str(ow.explain(scaled)(*operands))

    assert page.startswith("1 graph, 0 breaks, ")
    for title in ("graph", "fused graph", "nest", "bytes"):
        assert f"---- {title} ----" in page
    assert re.search(r"moves 66,048 bytes, 1\.00x of inputs and results: at least .* ms", page)
    assert "---- LLVM IR ----" in page
    assert "---- assembly ----" in page


def test_the_parts_are_read_from_sections():
    entry = [
        ("graph", "graph() -> () {}"),
        ("bytes", "moved 300\nleast 200\naten::sin reads 100, writes 200\n"),
        ("nest", "aten::sin\nrows 2"),
        ("ir", "define"),
        ("ir", "define"),
    ]
    broken = [("break", "item() reads the data of a tensor, at some/model.py:12")]

    explanation = Explanation([entry, broken], ["x is float32\nx.size(0) is 2", "none"])

    assert explanation.bytes_moved == 300
    assert explanation.least_bytes == 200
    assert explanation.num_nests == 1
    assert explanation.code == "define"
    assert explanation.guards == ["x is float32", "x.size(0) is 2", "none"]
    assert explanation.breaks == [
        Break("some/model.py", 12, "item() reads the data of a tensor"),
    ]
    assert repr(explanation) == "<Explanation: 1 graph, 1 break, 3 guards, 1 nest>"


def test_a_break_without_a_line_is_its_cause():
    assert str(Break.parse("it changes what it reads")) == "it changes what it reads"


def test_the_bound_is_the_time_of_moving_the_bytes():
    explanation = Explanation([[("bytes", "moved 12000000\nleast 12000000\n")]], [])

    assert explanation.bound == pytest.approx(12e6 / explanation.bandwidth)


def test_the_bandwidth_is_one_of_a_machine():
    assert 1e8 < measure_bandwidth(1 << 22) < 1e12


FUSED = "f = ow.compile(lambda x: ow.sin(x) + 1); f(ow.ones(2)); f(ow.ones(3))"
BROKEN = "ow.compile(lambda x: x * x.sum().item())(ow.ones(2))"


@pytest.mark.parametrize(
    ("topic", "program", "line"),
    [
        ("code", FUSED, r"opwright code: (made|read) in"),
        ("nests", FUSED, r"opwright nests: aten::sin, aten::add.Scalar\n    rows "),
        ("breaks", BROKEN, r"opwright breaks: .*item"),
        ("guards", FUSED, r"opwright guards: <lambda> is compiled again: x.size\(0\) is 3"),
    ],
)
def test_the_log_tells_the_topics_that_it_is_asked_for(topic, program, line):
    command = [sys.executable, "-W", "ignore", "-c", f"import opwright as ow\n{program}"]

    done = subprocess.run(
        command, env={**os.environ, "OPWRIGHT_LOG": topic}, capture_output=True, text=True
    )

    assert re.search(line, done.stderr), done.stderr
    assert all(
        each.startswith((f"opwright {topic}: ", "    ")) for each in done.stderr.splitlines()
    )
