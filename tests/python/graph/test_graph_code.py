"""A graph as Python code, as text for people, and as a picture."""

import shutil

import opwright as ow
import pytest

TEXT = """graph(%x: float32[s0, 4], captured %w: float32[4, 3]) -> (%mm, [%low, %high], 2*s0) {
  symbol s0 in [2, inf], hint 5, from x.size(0)
  %mm: float32[s0, 3] = aten::mm(%x, %w)  # model.py:12
  [%low: float32[s0, 2], %high: float32[s0, 2]] = aten::split.Tensor(%x, 2, 1)  # model.py:13
}
"""


@pytest.fixture
def graph():
    graph = ow.Graph.parse(TEXT)
    graph.find_nodes(name="w")[0].bind(ow.ones(4, 3))
    return graph


class Holder:
    """Has the attributes that the code of a graph reads."""

    def __init__(self, graph):
        vars(self).update(graph.attributes)


def run_code(graph, *inputs):
    names = {"opwright": ow}
    exec(graph.code, names)
    return names["forward"](Holder(graph), *inputs)


def test_the_code_runs_and_gives_what_the_graph_gives(graph):
    x = ow.ones(6, 4)

    mm, (low, high), size = run_code(graph, x)

    expected = graph(x)
    assert mm.tolist() == expected[0].tolist()
    assert low.tolist() == expected[1][0].tolist()
    assert high.shape == (6, 2)
    assert size == expected[2] == 12


def test_the_code_is_readable(graph):
    assert graph.code == (
        "def forward(self, x):\n"
        "    w = self.w\n"
        "    s0 = x.size(0)\n"
        "    mm = opwright.ops.aten.mm.default(x, w)\n"
        "    [low, high] = opwright.ops.aten.split.Tensor(x, 2, 1)\n"
        "    return (mm, [low, high], 2*s0)\n"
    )


def test_every_kind_of_constant_runs_as_code():
    graph = ow.Graph.parse("""graph(%x: float32[2]) -> (%c) {
      %a: float64[2] = aten::to.dtype(%x, float64)
      %b: float64[2] = aten::clamp(%a, -inf, 1.5)
      %c: float64[2] = aten::clone(%b, memory_format=contiguous_format)
    }""")

    assert run_code(graph, ow.tensor([1.0, 2.0])).tolist() == [1.0, 1.5]


def test_print_readable_shows_types_and_lines(graph, capsys):
    text = graph.print_readable()

    assert capsys.readouterr().out == text + "\n"
    assert text == (
        "class Graph:\n"
        '    def forward(self, x: "float32[s0, 4]"):\n'
        '        w: "float32[4, 3]" = self.w\n'
        "        s0 = x.size(0)\n"
        "\n"
        "        # File: model.py:12\n"
        '        mm: "float32[s0, 3]" = opwright.ops.aten.mm.default(x, w)\n'
        "\n"
        "        # File: model.py:13\n"
        "        [low, high] = opwright.ops.aten.split.Tensor(x, 2, 1)  # float32[s0, 2], "
        "float32[s0, 2]\n"
        "        return (mm, [low, high], 2*s0)\n"
    )
    assert graph.print_readable(print_output=False) == text
    assert capsys.readouterr().out == ""


def test_the_readable_text_is_python(graph):
    compile(graph.print_readable(print_output=False), "graph", "exec")


def test_to_dot_names_nodes_types_and_edges(graph):
    text = graph.to_dot()

    assert text.startswith("digraph graph_ {\n")
    assert 'label="aten::mm\\lmm: float32[s0, 3]\\lmodel.py:12\\l"' in text
    assert "n0 -> n2;" in text


def test_draw_writes_a_picture(graph, tmp_path):
    if shutil.which("dot") is None:
        pytest.skip("graphviz's dot is not installed: the picture itself is not tested")
    graph.draw(tmp_path / "graph.svg")

    assert "<svg" in (tmp_path / "graph.svg").read_text()
    with pytest.raises(ValueError, match="must name a format"):
        graph.draw(tmp_path / "graph")
    with pytest.raises(ValueError, match="dot cannot write"):
        graph.draw(tmp_path / "graph.nothing")


def test_draw_gives_its_text_to_dot(graph, tmp_path, monkeypatch):
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\n[ "$1" = -Tsvg ] && cat > "$3"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    graph.draw(tmp_path / "graph.svg")

    assert (tmp_path / "graph.svg").read_text() == graph.to_dot()


def test_draw_says_what_to_install(graph, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(RuntimeError, match="graphviz's program 'dot' is not installed"):
        graph.draw(tmp_path / "graph.svg")
