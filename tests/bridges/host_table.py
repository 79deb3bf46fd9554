"""Asks every bridge which types of a schema it carries and what works, and writes the page.

From the root of the repository, after `tools/build release python test_operators`:

    .venv/bin/python -m tests.bridges.host_table            # to the terminal
    .venv/bin/python -m tests.bridges.host_table --write    # docs/results/hosts.md
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from .host_probes import probe_lines

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
PAGE = ROOT / "docs" / "results" / "hosts.md"
NAMESPACE = "host_table"

ARGUMENTS = (
    "Tensor", "Tensor?", "Tensor[]", "Tensor?[]", "int", "int?", "int[]", "SymInt", "SymInt[]",
    "float", "float[]", "bool", "bool[]", "complex", "Scalar", "Scalar[]", "str", "str?", "str[]",
    "ScalarType", "Device", "Layout", "MemoryFormat", "Generator?",
)  # fmt: skip
RESULTS = (
    "()", "(Tensor, Tensor)", "Tensor[]", "Tensor?", "int", "SymInt", "float", "bool", "Scalar",
    "str",
)  # fmt: skip
WRITES = {
    "a tensor that is written": "(Tensor(a!) x) -> ()",
    "a written tensor that is returned": "(Tensor(a!) x) -> Tensor(a!)",
    "a list of written tensors": "(Tensor(a!)[] xs) -> ()",
    "a result that is a view": "(Tensor(a) x) -> Tensor(a)",
}


@dataclass(frozen=True)
class Kind:
    """Something that a schema can have, and the smallest schema that has it."""

    words: str
    schema: str


def all_kinds() -> list[Kind]:
    arguments = [
        Kind(f"argument `{each}`", f"(Tensor x, {each} value) -> Tensor") for each in ARGUMENTS
    ]
    results = [Kind(f"result `{each}`", f"(Tensor x) -> {each}") for each in RESULTS]
    writes = [Kind(words, schema) for words, schema in WRITES.items()]
    return [*arguments, *results, *writes]


def define(kinds: list[Kind]) -> list[str]:
    """Define an operator of the core for each; return their names."""
    import opwright as ow

    library = ow.library.Library(NAMESPACE, "DEF")
    names = []
    for place, kind in enumerate(kinds):
        library.define(f"kind_{place}{kind.schema}")
        names.append(f"{NAMESPACE}::kind_{place}")
    define.library = library  # the operators go with it
    return names


def ask_torch(name: str) -> str:
    """Tell how torch gets a call of it."""
    import opwright.torch

    operator = opwright._torch.make_operator(name)
    return "from Python" if operator.uncarried else "in C"


def ask_jax(name: str) -> str:
    import opwright.jax

    try:
        opwright.jax.register(name)
    except TypeError:
        return "no"
    return "yes"


def ask_onnxruntime(name: str) -> str:
    import onnxruntime
    import opwright.onnxruntime

    try:
        opwright.onnxruntime.register(onnxruntime.SessionOptions(), name)
    except TypeError:
        return "no"
    return "yes"


def kind_lines() -> list[str]:
    kinds = all_kinds()
    rows = [
        f"| {kind.words} | yes | {ask_torch(name)} | {ask_jax(name)} | {ask_onnxruntime(name)} |"
        for kind, name in zip(kinds, define(kinds), strict=True)
    ]
    return [
        "| in a schema | Opwright | PyTorch | JAX | ONNX Runtime |",
        "|---|---|---|---|---|",
        *rows,
    ]


def page_text() -> str:
    import jax
    import onnxruntime
    import torch

    torch_version = torch.__version__.partition("+")[0]
    head = f"""\
# Supported features by host

Made by `python -m tests.bridges.host_table --write` with torch {torch_version},
jax {jax.__version__} and onnxruntime {onnxruntime.__version__}, by querying each bridge and by
running the sample binaries in each host.
"""
    kinds = """
## Types

*In C*: the call needs no Python. *From Python*: PyTorch's stable interface does not have the type,
so the bridge registers the operator through Python; it works the same way, and a call takes some
microseconds longer. ONNX Runtime only runs models: operators have no gradients and no vmap there.
"""
    work = """
## What works
"""
    return "\n".join([head + kinds, *kind_lines(), work, *probe_lines(), ""])


def main() -> int:
    sys.path.insert(0, str(BUILD / "python"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    text = page_text()
    print(text)
    if parser.parse_args().write:
        PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
