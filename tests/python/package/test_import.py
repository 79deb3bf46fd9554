"""What `import opwright` does, and what it defers to the first use."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()


def run_fresh(program):
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(BUILD / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_import_leaves_what_only_authors_need_for_later():
    program = """
import sys
import opwright
print(*sorted({"inspect", "dataclasses", "numpy", "opwright.library"} & set(sys.modules)))
print(opwright.library.__name__)
"""

    assert run_fresh(program) == ["opwright.library"]


def test_signature_of_an_operator_is_made_when_it_is_asked_for():
    program = """
import inspect
import opwright
print(list(inspect.signature(opwright.ops.aten.sin.default).parameters)[0])
"""

    assert run_fresh(program) == ["self"]


def test_threads_that_use_the_registry_first_at_once_all_find_the_operators():
    program = """
import threading
import opwright

start = threading.Barrier(8)
found = []


def call():
    start.wait()
    found.append(opwright.ones(2).add(1).sum().item())


threads = [threading.Thread(target=call) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*found)
"""

    assert run_fresh(program) == ["4.0"] * 8
