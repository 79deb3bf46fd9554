"""The scripts of benchmarks/: their names, and their smoke form (`make bench ARGS=--smoke`)."""

import importlib.machinery
import sys
from pathlib import Path

import pytest

from benchmarks.harness import find_peer, smoke
from benchmarks.harness.rows import Report, Row

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.glob("*.py"))


@pytest.fixture
def smoke_report(monkeypatch):
    monkeypatch.setenv(smoke.VARIABLE, "0")
    monkeypatch.setattr(sys, "argv", ["benchmarks/x.py", "--smoke"])
    return Report("Calls compared.")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_no_script_hides_a_module_that_others_import(script):
    # Python puts the folder of a script first: benchmarks/onnx.py would be torch's `onnx`.
    found = importlib.machinery.PathFinder.find_spec(script.stem, sys.path)

    is_other = found is not None and Path(found.origin or BENCHMARKS).parents[1] != BENCHMARKS
    assert not is_other, f"rename {script.name}: {script.stem} is {found}"
    assert script.stem not in sys.stdlib_module_names


def test_a_smoke_run_measures_once(smoke_report):
    assert smoke_report.rounds(3, 15) == 1


def test_a_smoke_run_has_no_slow_peers(smoke_report):
    assert find_peer("json") is None


def test_a_smoke_run_misses_no_target(smoke_report, capsys):
    smoke_report.add(Row.at_most("call", ours=20.0, limit=15, unit="ns"))

    assert smoke_report.finish() == 0
    assert "short" in capsys.readouterr().out
