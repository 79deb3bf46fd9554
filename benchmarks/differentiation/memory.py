"""Memory use of a recorded chain of products, measured in a separate process for each side."""

import subprocess
import sys

from harness import release_build

LENGTH = 100_000

PROGRAM = """
import gc, sys
import {package} as package


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def chain(x, length):
    y = x
    for _ in range(length):
        y = y * x
    return y


x = package.ones(4, requires_grad=True)
chain(x, 100).sum().backward()
gc.collect()
before = resident()
y = chain(x, {length})
print((resident() - before) / {length})
"""


def bytes_of_a_node(package):
    """Return the bytes that one recorded product of 4 elements adds; None without `package`."""
    source = PROGRAM.format(package=package, length=LENGTH)
    environment = {"PYTHONPATH": str(release_build() / "python"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env=environment
    )
    return float(done.stdout) if done.returncode == 0 else None
