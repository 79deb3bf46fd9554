"""The fixture `opcheck` in a suite of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import opwright as ow
import pytest

@ow.library.custom_op("plugin_suite::double", mutates_args=())
def double(x: ow.Tensor) -> ow.Tensor:
    return x * 2

@ow.library.custom_op("plugin_suite::halve", mutates_args=())
def halve(x: ow.Tensor) -> ow.Tensor:
    return x.mul_(0.5).clone()

def test_sound(opcheck):
    report = opcheck(double, (ow.ones(3),), test_utils="schema")
    assert report.ok
    print("seed", report.seed, "inputs", report.num_generated)

def test_own_options(opcheck):
    assert opcheck(double, (ow.ones(3),), test_utils="schema", examples=0).num_generated == 0

def test_faulty(opcheck):
    opcheck(halve, (ow.ones(3),), test_utils="schema")

def test_expected(opcheck):
    report = opcheck(halve, (ow.ones(3),), test_utils="schema", raise_exception=False)
    assert not report.ok
    with pytest.raises(ow.OpCheckError):
        opcheck(halve, (ow.ones(3),), test_utils="schema")
"""


@pytest.fixture
def run(tmp_path: Path):
    (tmp_path / "test_suite.py").write_text(SUITE)

    def start(*options: str) -> str:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "opwright._opcheck.pytest_plugin",
            *options,
        ]
        done = subprocess.run(
            [*command, "--rootdir", str(tmp_path), "test_suite.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        )
        return done.stdout + done.stderr

    return start


def test_a_fault_fails_the_test_with_the_reports_text(run):
    text = run("-q")

    assert "1 failed, 3 passed" in text
    assert "plugin_suite::halve changed its argument 'x'" in text
    assert "testing.py" not in text


def test_verbose_shows_the_tables(run):
    text = run("-v", "-k", "sound or faulty")

    assert "test_suite.py::test_sound\nopcheck of plugin_suite::double" in text
    assert "test_suite.py::test_faulty\nopcheck of plugin_suite::halve" in text
    assert "opcheck of" not in run("-q", "-k", "sound")


def test_options_choose_the_inputs_unless_the_test_does(run):
    text = run("-q", "-s", "-k", "sound or own", "--opcheck-examples", "3", "--opcheck-seed", "7")

    assert "2 passed" in text
    assert "seed 7 inputs 3" in text


def test_our_own_suite_has_the_fixture(opcheck):
    assert callable(opcheck)
