"""tools/setup: what it installs for each purpose, and what it says when it cannot.

The script runs in a temporary tree with fakes of apt-get, dpkg-query, pip and sudo.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELL = (
    "bash",
    "cat",
    "cut",
    "dirname",
    "env",
    "flock",
    "grep",
    "mktemp",
    "python3",
    "rm",
    "sha256sum",
    "stty",
    "tail",
    "touch",
)
BUILD_TOOLS = ("g++", "cmake", "ninja", "ccache", "mold")


class Machine:
    """A tree with tools/setup and requirements, and a PATH with a few programs."""

    def __init__(self, folder: Path):
        self.root, self.bin = folder / "tree", folder / "bin"
        self.bin.mkdir()
        (self.root / "tools").mkdir(parents=True)
        (self.root / ".venv/bin").mkdir(parents=True)
        shutil.copy(ROOT / "tools/setup", self.root / "tools")
        shutil.copytree(ROOT / "requirements", self.root / "requirements")
        self.calls = folder / "calls"
        self.calls.touch()
        for name in SHELL:
            (self.bin / name).symlink_to(shutil.which(name))
        for name in (*BUILD_TOOLS, "node", "clang++-19", "clang-tidy-19"):
            self.add_program(name)
        self.add_program("dpkg-query", "echo installed")
        self.add_program("id", "echo 0")
        self.add_program("apt-get", f'echo "apt-get $*" >>{self.calls}')
        self.set_python(f'[[ $1 != -m ]] || echo "$*" >>{self.calls}')

    def add_program(self, name: str, script: str = "exit 0") -> None:
        self.write_script(self.bin / name, script)

    def set_python(self, script: str) -> None:
        self.write_script(self.root / ".venv/bin/python", script)

    def write_script(self, path: Path, script: str) -> None:
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
        path.chmod(0o755)

    def remove_program(self, name: str) -> None:
        (self.bin / name).unlink()

    def set_up(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.root / "tools/setup", *arguments],
            capture_output=True,
            text=True,
            env={"PATH": str(self.bin)},
        )

    def installed_requirements(self) -> list[str]:
        """Return the names of the requirements files that pip was called with."""
        words = self.calls.read_text().split()
        return [Path(word).stem for word in words if word.startswith("requirements/")]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "requirements"),
    [
        (["build"], ["build"]),
        (["check"], ["check"]),
        (["demo"], ["demo"]),
        (["demo", "torch"], ["demo", "torch"]),
        (["test"], ["test"]),
        (["models"], ["test", "models"]),
        (["devices"], ["test", "cuda"]),
        (["sanitizers"], ["test"]),
        ([], ["test"]),
    ],
)
def test_a_purpose_installs_its_requirements(machine, arguments, requirements):
    done = machine.set_up(*arguments)

    assert done.returncode == 0, done.stderr
    assert machine.installed_requirements() == requirements


def test_a_second_set_up_installs_nothing_and_says_nothing(machine):
    machine.set_up("demo", "torch")
    calls = machine.calls.read_text()

    second = machine.set_up("demo", "torch")

    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert machine.calls.read_text() == calls


def test_changed_requirements_are_installed_again(machine):
    machine.set_up("demo")
    with (machine.root / "requirements/demo.txt").open("a") as file:
        file.write("some-package==1.0\n")

    machine.set_up("demo")

    assert machine.installed_requirements() == ["demo", "demo"]


def test_devices_need_no_compiler_from_pypi_where_nvcc_is(machine):
    machine.add_program("nvcc")

    machine.set_up("devices")

    assert machine.installed_requirements() == ["test"]


@pytest.mark.parametrize(
    ("purpose", "packages"),
    [
        ("demo", []),
        ("test", ["libllvm19"]),
        ("models", ["libllvm19"]),
        ("devices", ["libllvm19", "opencl-headers", "ocl-icd-opencl-dev", "pocl-opencl-icd"]),
        ("sanitizers", ["libllvm19", "libclang-rt-19-dev"]),
    ],
)
def test_a_purpose_installs_its_missing_libraries(machine, purpose, packages):
    machine.add_program("dpkg-query", "exit 1")

    done = machine.set_up(purpose)

    names = " ".join(["libfmt-dev", "libgtest-dev", *packages])
    assert f"tools/setup: installing {names}\n" in done.stdout
    assert f"apt-get install -y --no-install-recommends {names}\n" in machine.calls.read_text()


def test_an_unknown_purpose_is_an_error_that_lists_the_known_ones(machine):
    done = machine.set_up("party")

    assert done.returncode == 2
    assert done.stderr == (
        "tools/setup: unknown purpose 'party'; "
        "choose one of: build demo check test models devices sanitizers\n"
    )


def test_an_unknown_host_is_an_error_that_lists_the_known_ones(machine):
    done = machine.set_up("demo", "caffe")

    assert done.returncode == 2
    assert done.stderr == (
        "tools/setup: unknown host 'caffe'; choose from: torch\n"
        "  JAX and ONNX Runtime are always part of the demo.\n"
    )
    assert machine.installed_requirements() == []


def test_hosts_belong_to_the_demo_alone(machine):
    done = machine.set_up("test", "torch")

    assert done.returncode == 2
    assert done.stderr == "tools/setup: only the demo accepts hosts, got 'torch' for test\n"


def test_without_root_the_missing_packages_come_with_the_command(machine):
    machine.remove_program("cmake")
    machine.remove_program("ninja")
    machine.add_program("id", "echo 1000")
    machine.add_program("sudo", "exit 1")

    done = machine.set_up("build")

    assert done.returncode == 1
    assert done.stderr == (
        "tools/setup: missing packages: cmake ninja-build\n"
        "  Install them with: sudo apt-get update && "
        "sudo apt-get install -y --no-install-recommends cmake ninja-build\n"
    )


def test_without_network_the_missing_packages_come_with_the_command(machine):
    machine.remove_program("cmake")
    machine.add_program("apt-get", "echo 'E: Unable to locate package cmake'; exit 100")

    done = machine.set_up("build")

    assert done.returncode == 1
    assert done.stderr == (
        "E: Unable to locate package cmake\n"
        "tools/setup: could not install: cmake\n"
        "  This step needs network access once.\n"
        "  Install them with: sudo apt-get update && "
        "sudo apt-get install -y --no-install-recommends cmake\n"
    )


def test_a_failing_pip_is_reported_with_the_file_and_the_command(machine):
    machine.set_python(
        '[[ $1 != -m ]] || { echo "Looking in links"; echo "ERROR: No match for jax"; exit 1; }'
    )

    done = machine.set_up("demo")

    assert done.returncode == 1
    assert done.stderr == (
        "ERROR: No match for jax\n"
        "tools/setup: could not install requirements/demo.txt\n"
        "  This step needs network access once.\n"
        "  Run it by hand with: .venv/bin/python -m pip install --disable-pip-version-check "
        "-r requirements/demo.txt\n"
    )


def test_a_missing_fast_linker_is_tried_once_and_stops_nothing(machine):
    machine.remove_program("mold")
    machine.add_program("apt-get", f'echo "apt-get $*" >>{machine.calls}; exit 100')

    first, second = machine.set_up("build"), machine.set_up("build")

    assert (first.returncode, second.returncode) == (0, 0)
    assert "could not install mold; the build uses the default linker" in first.stdout
    assert second.stdout == ""
