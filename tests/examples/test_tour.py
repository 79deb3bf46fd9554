"""The tour of `make demo`."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))


def test_every_stop_of_the_tour_works():
    command = [BUILD / "tour", BUILD / "operators/libsoft_clip.so"]

    tour = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    table = tour.split("audio::soft_clip   ")[-1]
    assert "FAILED" not in table
    assert table.count("works") == 11
    assert "ValueError: soft_clip: limit must be positive, got -1" in tour


def test_every_stop_of_the_python_tour_works():
    command = [sys.executable, ROOT / "examples/tour/tour.py", BUILD / "operators/libsoft_clip.so"]

    tour = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    table = tour.split("audio::soft_clip, from Python")[-1]
    assert "FAILED" not in table
    assert table.count("works") == 15
    assert "ValueError: soft_clip: limit must be positive, got -1" in tour
