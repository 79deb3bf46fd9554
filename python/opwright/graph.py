"""Graphs: the result of tracing, as a list of operator calls to read and change.

>>> graph = ow.Graph.parse("graph(%x: float32[2]) -> (%y) { %y: float32[2] = aten::neg(%x) }")
>>> print(graph.code)
def forward(self, x):
    y = opwright.ops.aten.neg.default(x)
    return y
<BLANKLINE>
"""

import os
import shutil
import subprocess

from ._C import Graph, Node, NodeValue

__all__ = ["Graph", "Node", "NodeValue"]


def run_dot(text: str, path: str | os.PathLike[str]) -> None:
    """Draw a graph with graphviz; the extension of `path` is the format."""
    dot = shutil.which("dot")
    if dot is None:
        raise RuntimeError(
            "draw: graphviz's program 'dot' is not installed (Debian: graphviz); "
            "graph.to_dot() returns the text that it would draw."
        )
    target = os.fspath(path)
    picture = os.path.splitext(target)[1].removeprefix(".")
    if not picture:
        raise ValueError(
            f"draw: the ending of '{target}' must name a format, such as .svg or .png."
        )
    run = subprocess.run(
        [dot, f"-T{picture}", "-o", target], input=text, capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        raise ValueError(f"draw: dot cannot write '{target}': {run.stderr.strip()}")
