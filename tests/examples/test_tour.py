"""The tour of `make demo`."""

import hashlib
import importlib
import os
import subprocess
import sys
from pathlib import Path

import opwright as ow

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
BINARY = BUILD / "operators/libsoft_clip.so"
TOUR = ROOT / "examples/tour/tour.py"


def test_every_stop_of_the_tour_in_cpp_works():
    tour = subprocess.run([BUILD / "tour", BINARY], capture_output=True, text=True, check=True)

    table = tour.stdout.split("audio::soft_clip   ")[-1]
    assert "FAILED" not in table
    assert table.count("works") == 14
    assert "ValueError: soft_clip: limit must be positive, got -1" in tour.stdout


def test_every_stop_in_every_host_works_with_one_binary():
    command = [sys.executable, TOUR, BINARY, BUILD / "tour"]

    tour = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    table = tour.split("one binary in every host")[-1]
    assert "FAILED" not in table
    assert table.count("Opwright, C++ ") == 14
    assert table.count("Opwright, Python ") == 16
    assert table.count("PyTorch ") == 9
    assert table.count("JAX ") == 3
    assert table.count("ONNX Runtime ") == 2
    num_devices = sum(map(ow.is_available, ("opencl", "cuda")))
    assert table.count("Devices ") == max(3 * num_devices, 1)
    assert table.count("works") == 44 + 3 * num_devices
    assert tour.count(hashlib.sha256(BINARY.read_bytes()).hexdigest()) == 1
    assert "ValueError: soft_clip: limit must be positive, got -1" in tour


def test_a_host_that_is_missing_is_left_out_with_what_to_install(monkeypatch):
    monkeypatch.syspath_prepend(TOUR.parent)
    tour = importlib.import_module("tour")

    (row,) = tour.run_host("in_no_such_host", "No Such Host", "no_such_host")

    assert row.host == "No Such Host"
    assert row.outcome == "left out: pip install no_such_host"
