"""Times the registration of a binary's operators, each in a new process."""

import statistics
import subprocess
import sys

from harness import build_torch_library, release_build

from .cases import LIBRARY

OURS = """
import sys, time, torch, opwright.torch
begin = time.perf_counter()
opwright.torch.load(sys.argv[1])
print(time.perf_counter() - begin)
"""

TORCH_LIBRARY = """
import sys, time, torch
begin = time.perf_counter()
torch.ops.load_library(sys.argv[1])
print(time.perf_counter() - begin)
"""


def run(program, library):
    """Return the seconds that `program` prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(library)],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(release_build() / "python"), "PATH": ""},
    )
    return float(done.stdout)


def seconds_to_load(rounds):
    """Return the medians for our binary and for the peer's (None without it), in turn."""
    peer_library = build_torch_library(__file__, "torch_operators.cpp")
    ours, peer = [], []
    for _ in range(rounds):
        ours.append(run(OURS, LIBRARY))
        if peer_library:
            peer.append(run(TORCH_LIBRARY, peer_library))
    return statistics.median(ours), statistics.median(peer) if peer else None
