"""The tour of `make demo`."""

import hashlib
import importlib
import os
import subprocess
import sys
from pathlib import Path

import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
BINARY = BUILD / "operators/libsoft_clip.so"
TOUR = ROOT / "examples/tour/tour.py"
NUM_DEVICES = sum(map(ow.is_available, ("opencl", "cuda")))


def run_tour(**environment: str) -> str:
    command = [sys.executable, TOUR, BINARY, BUILD / "tour"]
    tour = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | environment
    )
    return tour.stdout


def rows_by_host(tour: str) -> dict[str, list[str]]:
    """Return the rows of the table at the end; a row without a host belongs to the one above."""
    table = tour.split("Outcome\n")[-1].split("\n\n")[0]
    rows, host = {}, ""
    for line in table.splitlines():
        host = line[:18].strip() or host
        rows.setdefault(host, []).append(line[18:])
    return rows


@pytest.fixture(scope="module")
def tour_output():
    return run_tour(PYTHONIOENCODING="utf-8")


@pytest.fixture(scope="module")
def tour_without_torch(tmp_path_factory):
    folder = tmp_path_factory.mktemp("no_torch")
    (folder / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    path = os.pathsep.join([str(folder), str(BUILD / "python")])
    return run_tour(PYTHONIOENCODING="utf-8", PYTHONPATH=path)


@pytest.fixture
def tour_module(monkeypatch):
    monkeypatch.syspath_prepend(TOUR.parent)
    return importlib.import_module("tour")


def test_every_stop_of_the_tour_in_cpp_works():
    tour = subprocess.run([BUILD / "tour", BINARY], capture_output=True, text=True, check=True)

    table = tour.stdout.split("audio::soft_clip, mode by mode:\n")[-1]
    assert "FAILED" not in table
    assert table.count("works") == 14
    assert "ValueError: soft_clip: limit must be positive, got -1" in tour.stdout


def test_every_stop_in_every_host_works_with_one_binary(tour_output):
    rows = rows_by_host(tour_output)

    works = {host: sum("✓ works" in row for row in rows[host]) for host in rows}
    assert works == {
        "Opwright, C++": 14,
        "Opwright, Python": 16,
        "PyTorch": 10,
        "JAX": 3,
        "ONNX Runtime": 2,
        "Devices": 3 * NUM_DEVICES,
    }
    assert "FAILED" not in tour_output
    assert tour_output.count(hashlib.sha256(BINARY.read_bytes()).hexdigest()) == 1
    assert "ValueError: soft_clip: limit must be positive, got -1" in tour_output


def test_the_tour_counts_modes_and_hosts(tour_output):
    count = 45 + 3 * NUM_DEVICES

    assert f"\n{count} of {count} modes work, in 5 hosts" in tour_output
    assert f"loads the same binary of {BINARY.stat().st_size / 1000:.0f} kB.\n" in tour_output


def test_the_tour_ends_with_three_lines_of_what_to_try_next(tour_output):
    check, compile_model, guide = tour_output.split("\n\n")[-1].splitlines()

    assert check.startswith("Check the operator:  ")
    assert compile_model.startswith("Compile a model:     ")
    assert compile_model.endswith("examples/compile_model/compile_model.py")
    assert guide.startswith("Write your own:      ")
    assert Path(guide.split()[-1]).exists()


@pytest.mark.parametrize("output", ["tour_output", "tour_without_torch"])
def test_the_proposed_check_of_the_operator_passes(output, request):
    tour = request.getfixturevalue(output)
    command = tour.split("Check the operator:  ")[-1].splitlines()[0]

    done = subprocess.run(command, shell=True, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_without_pytorch_its_row_names_the_command_that_adds_it(tour_without_torch):
    rows = rows_by_host(tour_without_torch)

    (row,) = rows["PyTorch"]
    assert row.split("  ")[-1].strip() == "- not installed: make demo HOSTS=torch"
    assert "modes work, in 4 hosts" in tour_without_torch


def test_without_pytorch_the_tour_proposes_to_add_it(tour_without_torch):
    _, add_torch, _ = tour_without_torch.split("\n\n")[-1].splitlines()

    assert add_torch == "Add PyTorch:         make demo HOSTS=torch"


def test_a_host_that_is_not_installed_has_one_row_with_the_command(tour_module):
    visit = tour_module.start_with_package(
        "No Such Host", "in_none.py", "libsoft_clip.so", "no_such_host", "pip install no_such_host"
    )

    (row,) = tour_module.follow(visit)
    assert row.host == "No Such Host"
    assert row.outcome == "not installed: pip install no_such_host"


def test_devices_that_are_not_built_have_one_row_with_the_command(
    tour_module, monkeypatch, tmp_path
):
    monkeypatch.setattr(tour_module.ow, "__file__", str(tmp_path / "__init__.py"))

    (row,) = tour_module.follow(tour_module.start_devices("libsoft_clip.so"))

    assert row.host == "Devices"
    assert row.outcome == "not built: make test-devices builds and tests them"


def test_plugins_without_a_device_point_to_the_doctor(tour_module):
    visit = tour_module.start("Devices", "echo", tour_module.TABLE)

    (row,) = tour_module.follow(visit)

    assert row.outcome.startswith("no device found: ")
    assert row.outcome.endswith(" -m opwright doctor says why")


def test_a_host_that_crashes_fails_and_the_rows_before_stay(tour_module):
    script = f"echo '{tour_module.TABLE}'; echo 'works   eager call'; kill -KILL $$"

    rows = tour_module.follow(tour_module.start("Host", "bash", "-c", script))

    assert [(row.mode, row.outcome) for row in rows] == [
        ("eager call", "works"),
        ("ended with status -9", "FAILED"),
    ]


def test_the_count_leaves_out_hosts_that_are_not_installed(tour_module):
    rows = [
        tour_module.Row("JAX", "grad", "works"),
        tour_module.Row("JAX", "jit", "FAILED"),
        tour_module.Row("PyTorch", "all modes", "not installed: make demo HOSTS=torch"),
    ]

    assert tour_module.summarize(rows, 49_000) == (
        "1 of 2 modes work, in 1 host. Every host loads the same binary of 49 kB."
    )
