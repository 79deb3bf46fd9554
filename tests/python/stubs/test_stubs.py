"""The stubs say what the module has, and mypy understands calls by them.

A stub that is out of date is rewritten by `.venv/bin/python tools/update_stubs` where it is made
from src/ops/functions.yaml, and by hand elsewhere.
"""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import opwright
import pytest
from generate_ops.declarations import read_declarations
from generate_ops.stubs import update_stubs
from opwright import _C

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python/opwright"
STUBS = sorted(PACKAGE.rglob("*.pyi"))
FOLDER = Path(__file__).parent
NANOBIND_FUNCTION = type(_C.find_operator)
NANOBIND_CLASS = type(_C.Scope)
YAML = "src/ops/functions.yaml"
# The stubs need nothing of the hosts, whose sources take mypy most of its time.
HOSTS = "[mypy-torch.*,jax.*,onnx.*,onnxruntime.*,llvmlite.*]\nfollow_imports = skip\n"
# stubtest takes the package's own files for stubs where there are none.
FOR_STUBTEST = "[mypy-opwright.*]\nignore_errors = True\n"


def run_tool(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a Python module that reads the stubs of the source tree."""
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def load_examples():
    spec = importlib.util.spec_from_file_location("typed_examples", FOLDER / "typed_examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {function.__name__: function for function in module.RUN}


EXAMPLES = load_examples()


def public_names(stub: Path) -> set[str]:
    """Return what a stub exports: definitions, variables, and names imported as themselves."""
    names = set()
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names |= {each.name for each in node.names if each.name == each.asname}
    return {name for name in names if not name.startswith("_")}


def stub_functions(stub: Path) -> dict[str, ast.FunctionDef]:
    nodes = ast.parse(stub.read_text()).body
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}


def parameters(function: ast.FunctionDef) -> tuple[int, list[str], list[str], int]:
    """Return how many are positional-only, the names of the others, and how many have defaults."""
    given = function.args
    others, keywords = [each.arg for each in given.args], [each.arg for each in given.kwonlyargs]
    return len(given.posonlyargs), others, keywords, len(given.defaults)


def nanobind_signature(function: object) -> ast.FunctionDef:
    text = re.sub(r"\\\d+", "None", function.__nb_signature__[0][0])  # defaults are listed apart
    return ast.parse(f"{text}: ...").body[0]


def test_the_operators_in_the_stubs_are_those_of_the_yaml_file():
    stubs = update_stubs(PACKAGE, read_declarations(ROOT / YAML, YAML))

    stale = [path.name for path, text in stubs.items() if path.read_text() != text]

    assert not stale, "run .venv/bin/python tools/update_stubs"


def test_mypy_accepts_the_stubs_and_takes_the_examples_as_they_are_meant(tmp_path):
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n{HOSTS}")
    flags = ["--strict", "--follow-imports=silent", "--cache-dir", tmp_path / "cache"]

    done = run_tool(tmp_path, "mypy", *flags, FOLDER / "typed_examples.py", *STUBS)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_typed_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(tmp_path))

    EXAMPLES[name]()


def is_packet(name: str) -> bool:
    """Return whether the function is a packet of operators, whose signature is not known."""
    packet = isinstance(opwright._FUNCTIONS[name], opwright.OperatorPacket)
    return packet and not name.startswith("_")


def test_the_stubs_agree_with_the_module(tmp_path):
    unknown = [
        *(f"opwright.{name}" for name in opwright._FUNCTIONS if is_packet(name)),
        *(f"opwright._C.{n}" for n, v in vars(_C).items() if isinstance(v, NANOBIND_FUNCTION)),
        *(f"opwright._C.{n}" for n, v in vars(_C).items() if isinstance(v, NANOBIND_CLASS)),
    ]
    (tmp_path / "unknown.txt").write_text("\n".join(map(re.escape, unknown)))
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n{HOSTS}{FOR_STUBTEST}")
    flags = ["--concise", "--ignore-disjoint-bases", "--mypy-config-file", "mypy.ini"]
    allowed = ["--allowlist", "unknown.txt", "--allowlist", FOLDER / "differences.txt"]

    done = run_tool(tmp_path, "mypy.stubtest", "opwright", *flags, *allowed)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_of_the_extension_has_every_public_name():
    names = {name for name in vars(_C) if not name.startswith("_")}

    assert public_names(PACKAGE / "_C.pyi") == names


def test_the_stub_of_the_package_has_every_public_name():
    modules = {"importlib", "os"}  # that __init__.py imports for itself
    names = {name for name in dir(opwright) if not name.startswith("_")}

    assert public_names(PACKAGE / "__init__.pyi") == names - modules


def test_the_stub_has_the_parameters_of_the_functions_of_nanobind():
    told = stub_functions(PACKAGE / "_C.pyi")
    functions = {n: v for n, v in vars(_C).items() if isinstance(v, NANOBIND_FUNCTION)}

    actual = {name: parameters(nanobind_signature(each)) for name, each in functions.items()}

    assert {name: parameters(told[name]) for name in functions} == actual


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()
