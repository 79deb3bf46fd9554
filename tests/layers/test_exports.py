"""libopwright exports what its users need, and no packed relocations tie it to a recent glibc."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
LIBRARY = BUILD / "libopwright.so"
# What links the core; each is built on its own, so some may be missing.
USERS = ["libopwright_*.so", "python/opwright/_*.so", "bin/opwright"]

pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="the core library is not built")


def run(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic_symbols(binary: Path, *options: str) -> dict[str, str]:
    """The kind of each dynamic symbol, as nm writes it, by its mangled name without the version."""
    lines = run("nm", "-D", "-P", *options, binary).splitlines()
    return {line.split()[0].split("@")[0]: line.split()[1] for line in lines}


def demangle(names: list[str]) -> list[str]:
    text = "\n".join(names)
    done = subprocess.run(["c++filt"], input=text, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def exported() -> dict[str, str]:
    return dynamic_symbols(LIBRARY, "--defined-only")


def test_no_inline_function_and_no_instance_of_a_template_is_exported(exported):
    weak = [name for name, kind in exported.items() if kind == "W"]

    assert demangle(weak) == []


def test_no_kernel_is_exported(exported):
    kernels = re.compile(r"opwright::\w+_(cpu|all_devices|composite|backward|vmap|scatter)\(")

    assert [text for text in demangle(list(exported)) if kernels.match(text)] == []


def test_the_type_of_errors_is_exported(exported):
    assert "_ZTIN8opwright5ErrorE" in exported


def test_the_library_loads_where_the_loader_knows_no_packed_relocations():
    assert "DT_RELR" not in run("readelf", "--version-info", LIBRARY)


@pytest.mark.parametrize("pattern", USERS)
def test_users_find_all_symbols_of_the_core(exported, pattern):
    users = sorted(BUILD.glob(pattern))
    if not users:
        pytest.skip(f"{pattern} is not built")
    torch = BUILD / "libopwright_torch.so"
    shown = {**exported, **(dynamic_symbols(torch, "--defined-only") if torch.exists() else {})}

    missing = {
        user.name: demangle([name for name in needed if "8opwright" in name and name not in shown])
        for user in users
        if (needed := dynamic_symbols(user, "--undefined-only"))
    }

    assert {name: symbols for name, symbols in missing.items() if symbols} == {}
