"""Compile time and binary size of one operator compared with PyTorch and tvm-ffi.

Times are CPU seconds of `g++ -O2 -c`, which runs on one thread, so other work on the machine does
not count. Sizes are those of stripped shared libraries.
"""

import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from harness import Report, Row, find_peer, release_build

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path(__file__).parent / "build_time"
COMPILE = ["g++", "-std=c++20", "-O2", "-fPIC"]


class Unit:
    """One source with its flags and the times of its compilations."""

    def __init__(self, name, source, flags):
        self.name = name
        self.source = source
        self.flags = flags
        self.seconds = []

    def compile(self, folder):
        before = cpu_seconds_of_children()
        command = [*COMPILE, *self.flags, "-c", self.source, "-o", self.object_in(folder)]
        subprocess.run(command, check=True, env=os.environ | {"CCACHE_DISABLE": "1"})
        self.seconds.append(cpu_seconds_of_children() - before)

    def median(self):
        return statistics.median(self.seconds)

    def stripped_kilobytes(self, folder):
        binary = folder / "stripped.so"
        subprocess.run(["g++", "-shared", "-s", self.object_in(folder), "-o", binary], check=True)
        return binary.stat().st_size / 1024

    def object_in(self, folder):
        return folder / f"{self.name}.o"


def cpu_seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def package_folder(name):
    """Return the folder of a package without importing it; None if it is not installed."""
    spec = find_peer(name)
    return Path(spec.origin).parent if spec else None


def our_units():
    flags = [f"-I{ROOT / 'include'}", f"-I{release_build() / 'generated'}"]
    return {
        "floor": Unit("floor", SOURCES / "standard_library.cpp", []),
        "ours": Unit("ours", SOURCES / "opwright_operator.cpp", flags),
        "trained": Unit("trained", ROOT / "examples/first_operator/soft_clip.cpp", flags),
    }


def peer_units(quick):
    units = {}
    if torch := package_folder("torch"):
        source, include = SOURCES / "torch_operator.cpp", torch / "include"
        units["torch"] = Unit("torch", source, [f"-I{include}"])
        python = Path(sysconfig.get_paths()["include"])
        if not quick and (python / "Python.h").exists():
            flags = [f"-I{include}", f"-I{include / 'torch/csrc/api/include'}", f"-I{python}"]
            units["extension"] = Unit("extension", source, [*flags, "-DWHOLE_EXTENSION"])
    if tvm := package_folder("tvm_ffi"):
        units["tvm"] = Unit("tvm", SOURCES / "tvm_ffi_operator.cpp", [f"-I{tvm / 'include'}"])
    return units


def main():
    report = Report(__doc__)
    quick = report.options.quick
    ours, peers = our_units(), peer_units(quick)
    units = {**ours, **peers}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(report.rounds(1, 3)):
            for unit in [*peers.values(), *ours.values(), *ours.values(), *ours.values()]:
                unit.compile(folder)
        sizes = {key: units[key].stripped_kilobytes(folder) for key in units if key != "floor"}
    add_times(report, {key: unit.median() for key, unit in units.items()}, quick)
    add_sizes(report, sizes)
    return report.finish()


def add_times(report, seconds, quick):
    report.add(Row.told("floor: <string>, <vector>, <cmath>", ours=seconds["floor"], unit="s"))
    ours, trained = seconds["ours"], seconds["trained"]
    report.add(Row.at_most("schema, CPU kernel, fake kernel", ours=ours, limit=1.0, unit="s"))
    peers = {"torch": ("torch/library.h", 5), "tvm": ("tvm-ffi", 1)}
    if not quick:
        peers["extension"] = ("torch/extension.h", 10)
    for key, (header, times) in peers.items():
        row = Row.times_better(
            f"  vs {header}", ours=ours, peer=seconds.get(key), times=times, unit="s"
        )
        report.add(row)
    report.add(Row.told("the same with an autograd rule", ours=trained, unit="s"))


def add_sizes(report, sizes):
    report.add(
        Row.at_most(
            "stripped binary with the autograd rule", ours=sizes["trained"], limit=60, unit="KB"
        )
    )
    for key, header in (("torch", "torch/library.h"), ("tvm", "tvm-ffi")):
        row = Row.times_better(
            f"  without it, vs {header}",
            ours=sizes["ours"],
            peer=sizes.get(key),
            times=1,
            unit="KB",
        )
        report.add(row)


if __name__ == "__main__":
    sys.exit(main())
