"""Several processes and one cache."""

import os
import signal
import subprocess
import sys
import time

import pytest
from opwright.cpp_extension import Build, load_inline

from .conftest import MINIMAL

CODE = f"""
import sys, time
from opwright.cpp_extension import Build, load_inline
started = time.perf_counter()
load_inline("shared", {MINIMAL!r}, verbose=len(sys.argv) > 1)
print((time.perf_counter() - started) * 1000)
"""


def start(*arguments):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *arguments],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(condition):
    for _ in range(500):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it did not happen within ten seconds")


def test_two_processes_compile_the_same_source_once(cache, slow_compiler):
    calls = slow_compiler(1.5)

    processes = [start(), start()]
    outputs = [process.communicate(timeout=30) for process in processes]

    assert [process.returncode for process in processes] == [0, 0], outputs
    assert calls() == 1
    assert sum("waiting for another process that builds 'shared'" in err for _, err in outputs) == 1


def test_a_later_process_takes_what_an_earlier_one_compiled(cache, slow_compiler):
    calls = slow_compiler(0)
    load_inline("shared", MINIMAL)

    process = start("verbose")
    output, errors = process.communicate(timeout=30)

    assert process.returncode == 0, errors
    assert errors == ""
    assert calls() == 1
    assert float(output) < 100  # milliseconds; benchmarks/inline_build.py has the target


def test_a_process_that_was_killed_while_it_compiled_blocks_nobody(cache, slow_compiler):
    calls = slow_compiler(30)
    killed = start()
    wait_until(lambda: calls() == 1)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=30)
    slow_compiler(0)

    process = start()
    _, errors = process.communicate(timeout=20)

    assert process.returncode == 0, errors
    assert calls() == 2


def test_an_entry_that_another_process_removes_is_built_again(cache, monkeypatch):
    runs = []

    def run_and_remove_the_first(self, store, run=Build.run):
        entry = run(self, store)
        runs.append(entry)
        if len(runs) == 1:
            store.remove(entry.folder)
        return entry

    monkeypatch.setattr(Build, "run", run_and_remove_the_first)

    path = load_inline("removed", MINIMAL, is_python_module=False)

    assert len(runs) == 2
    assert os.path.exists(path)


def test_a_disk_that_fills_up_while_compiling_is_left(cache, tmp_path, monkeypatch):
    script = tmp_path / "compiler"
    script.write_text(
        '#!/bin/sh\ncase "$PWD" in *cache*) echo "No space left on device"; exit 1;;\n'
        'esac\nexec c++ "$@"\n'
    )
    script.chmod(0o700)
    monkeypatch.setenv("CXX", str(script))

    with pytest.warns(
        RuntimeWarning, match="cannot be written \\(No space left on device\\)"
    ) as said:
        path = load_inline("full", MINIMAL, is_python_module=False)

    assert os.path.exists(path)
    assert not path.startswith(str(cache))
    assert said[0].filename == __file__
