"""`import opwright.compat.torch` loads little; submodules come with their first use."""

import pytest

from tests.python.package.test_import import run_fresh

LOADED = """
import sys
before = set(sys.modules)
"""
SHOW = """
print(*sorted(name.removeprefix("opwright.") for name in set(sys.modules) - before
              if name.startswith("opwright.")))
"""


def loaded_by(*lines: str) -> list[str]:
    """Return the modules of the package that the lines load after `import opwright`."""
    return run_fresh("\n".join(["import opwright", LOADED, *lines, SHOW]))


def test_the_import_loads_names_and_no_submodule():
    assert loaded_by("import opwright.compat.torch") == [
        "_dlpack",
        "_tensor_functions",
        "_typed_tensors",
        "compat",
        "compat._absent",
        "compat._not_wanted",
        "compat._python_operators",
        "compat.torch",
    ]


def test_the_import_does_not_load_numpy_nor_what_only_submodules_need():
    heavy = ["numpy", "inspect", "dataclasses", "importlib.metadata", "typing_extensions", "email"]

    shown = run_fresh(
        f"import sys, opwright.compat.torch; print(*({heavy!r} & sys.modules.keys()))".replace(
            "[", "{"
        ).replace("]", "}")
    )

    assert shown == []


@pytest.mark.parametrize(
    "line",
    [
        "torch.optim",
        "from opwright.compat.torch import optim",
        "import opwright.compat.torch.optim as optim",
    ],
)
def test_a_submodule_is_loaded_on_first_use(line):
    loaded = loaded_by("import opwright.compat.torch as torch", line)

    assert "compat.torch.optim" in loaded
    assert "compat.torch.nn" not in loaded


def test_a_name_of_a_module_that_is_loaded_late_is_there():
    loaded = loaded_by("from opwright.compat.torch import finfo")

    assert "dtype_limits" in loaded
    assert "compat.torch.nn" not in loaded


def test_names_that_are_not_loaded_yet_are_listed():
    shown = run_fresh(
        "import opwright.compat.torch as torch; print(*dir(torch), *dir(torch.utils))"
    )

    assert {"nn", "compile", "finfo", "sin", "float32", "__version__", "checkpoint"} <= set(shown)


def test_compile_is_that_of_torch_also_when_that_of_the_package_was_used_first():
    program = """
import opwright
opwright.compile
import opwright.compat.torch as torch
print(torch.compile.__module__)
"""

    assert run_fresh(program) == ["opwright._compile.torch_names"]


def test_functional_of_the_compatibility_package_is_its_own():
    program = "import opwright.compat.torch as torch; print(torch.nn.functional.__name__)"

    assert run_fresh(program) == ["opwright.compat.torch.nn.functional"]
