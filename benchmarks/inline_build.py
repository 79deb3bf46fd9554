"""Inline C++ (`load_inline`) compared with PyTorch and tvm-ffi: compiling and cached loading.

Compile times are CPU seconds of the process and of its compilers, which run one after another, so
other work on the machine does not count.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import Report, Row, find_peer, release_build

TIME_LOAD = Path(__file__).parent / "inline_build" / "time_load.py"


def load(library, cache, *options, precompiled="0"):
    """Load in a new process; return {"load": seconds, ...}."""
    folders = [str(release_build() / "python"), os.environ.get("PYTHONPATH", "")]
    env = {
        **os.environ,
        "CCACHE_DISABLE": "1",
        "OPWRIGHT_PRECOMPILED_HEADERS": precompiled,
        "PYTHONPATH": os.pathsep.join(filter(None, folders)),
    }
    command = [sys.executable, TIME_LOAD, library, cache, *options]
    done = subprocess.run(command, check=True, capture_output=True, env=env, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {words[0]: float(words[1]) for words in lines if words[0] in ("load", "again")}


def is_installed(name):
    return find_peer(name) is not None


def measure_cold(libraries, rounds):
    """Return CPU seconds of a load with an empty cache, and of a cached load in a new process."""
    cold = {library: [] for library in libraries}
    cached = {library: [] for library in libraries}
    for _ in range(rounds):
        for library in libraries:
            with tempfile.TemporaryDirectory() as cache:
                cold[library].append(load(library, cache)["load"])
                cached[library] += [load(library, cache)["load"] for _ in range(3)]
    return medians(cold), medians(cached)


def measure_again():
    with tempfile.TemporaryDirectory() as cache:
        return load("opwright", cache, "again")["again"]


def measure_precompiled(rounds):
    """Return the seconds of a load with precompiled headers and a new source."""
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):  # the second build starts the precompilation
            load("opwright", cache, precompiled="1")
            remove_extensions(cache)
        deadline = time.monotonic() + 30
        while not list(Path(cache).glob("headers/*/*.gch")) and time.monotonic() < deadline:
            time.sleep(0.1)
        seconds = []
        for _ in range(rounds):
            seconds.append(load("opwright", cache, precompiled="1")["load"])
            remove_extensions(cache)
    return statistics.median(seconds)


def remove_extensions(cache):
    subprocess.run(["rm", "-rf", Path(cache) / "extension"], check=True)


def medians(seconds):
    return {library: statistics.median(values) for library, values in seconds.items()}


def main():
    report = Report(__doc__)
    quick = report.options.quick
    peers = [name for name in ("tvm_ffi",) if is_installed(name)]
    cold, cached = measure_cold(["opwright", *peers], rounds=report.rounds(2, 7))
    if not quick and is_installed("torch"):
        torch_cold, torch_cached = measure_cold(["torch"], rounds=1)
        cold |= torch_cold
        cached |= torch_cached
    ours = cold["opwright"]
    report.add(Row.at_most("inline source, empty cache", ours=ours, limit=1.2, unit="s"))
    if not quick:
        beside = cold.get("torch")
        report.add(Row.times_better("  vs torch", ours=ours, peer=beside, times=20, unit="s"))
    beside = cold.get("tvm_ffi")
    report.add(Row.times_better("  vs tvm-ffi", ours=ours, peer=beside, times=1, unit="s"))
    precompiled = measure_precompiled(report.rounds(2, 7))
    report.add(Row.told("changed source, precompiled headers", ours=precompiled, unit="s"))
    again = measure_again()
    report.add(Row.at_most("the same source again", ours=again * 1e3, limit=1, unit="ms"))
    found = cached["opwright"]
    report.add(
        Row.at_most("the same source in a new process", ours=found * 1e3, limit=5, unit="ms")
    )
    for name, label in (("torch", "torch"), ("tvm_ffi", "tvm-ffi")):
        if name in cached:
            peer = cached[name] * 1e3
            report.add(Row.told(f"  vs {label}", ours=found * 1e3, peer=peer, unit="ms"))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
