"""The CUDA device compared with PyTorch on the same GPU: calls, kernels, products, memory."""

import subprocess
import sys

from cuda_device import call_cases, kernel_cases, layer_cases, time_side_by_side
from harness import Report, Row, release_build

sys.path.insert(0, str(release_build() / "python"))
import opwright

try:
    import torch
except ImportError:
    torch = None

KERNEL_TARGETS = {  # the allowed ratio of our time to torch's
    "add, 64 M": 1.05,
    "softmax, 8192x4096": 1.15,
    "layer norm, 8192x4096": 1.15,
    "matmul, 4096": 1.05,
}
DEVICE_BENCH = release_build() / "devices" / "cuda" / "cuda_device_bench"
ADD_LIBRARY = release_build() / "operators" / "libadd_cuda.so"
NAMES = (
    "custom operator from Python",
    "C++ operator of one launch",
    *(f"{name}, float32" for name in list(KERNEL_TARGETS)[:3]),
    "matmul, 4096, bfloat16",
    "allocation from the cache",
)


def reason_without_device():
    """Return why nothing can be measured, or None."""
    try:
        opwright.empty(1, device="cuda")
    except Exception as error:
        return str(error).splitlines()[0]
    return None


def wait_for_ours():
    opwright.cuda.synchronize()


def wait_for_torch():
    torch.cuda.synchronize()


def time_case(ours, theirs, calls, rounds):
    sides = {"ours": (ours, wait_for_ours)}
    if theirs:
        sides["torch"] = (theirs, wait_for_torch)
    return time_side_by_side(sides, calls, rounds)


def add_calls(report, rounds, launch):
    """Add rows of small calls; `launch` is the driver's time to queue a kernel, in microseconds."""
    cases = call_cases(opwright, torch, ADD_LIBRARY)
    for name, sides in cases.items():
        figures = time_case(sides["ours"], sides.get("torch"), 2000, rounds)
        ours = figures["ours"] * 1e6
        peer = figures["torch"] * 1e6 if "torch" in figures else None
        if name == "custom operator from Python":
            report.add(Row.at_most(name, ours=ours, limit=7, unit="us", peer=peer))
            beside = f"  {name}, vs torch.library.custom_op"
            report.add(Row.times_better(beside, ours=ours, peer=peer, times=6, unit="us"))
            rest = peer and peer - launch
            report.add(Row.told("  excluding the launch", ours=ours - launch, peer=rest, unit="us"))
        elif name == "C++ operator of one launch":
            beside = f"{name}, vs torch.add"
            report.add(Row.no_slower(beside, ours=ours, peer=peer, times=1, unit="us"))
        else:
            report.add(Row.told(name, ours=ours, peer=peer, unit="us"))


def add_kernels(report, dtype, rounds):
    ours = kernel_cases(opwright, dtype)
    theirs = kernel_cases(torch, dtype) if torch else {}
    for name, function in ours.items():
        figures = time_case(function, theirs.get(name), 50, rounds)
        mine = figures["ours"] * 1e3
        peer = figures["torch"] * 1e3 if "torch" in figures else None
        row = f"{name}, {dtype}"
        has_target = name in KERNEL_TARGETS and (dtype == "float32" or name == "matmul, 4096")
        if has_target:
            times = KERNEL_TARGETS[name]
            report.add(Row.no_slower(row, ours=mine, peer=peer, times=times, unit="ms"))
        else:
            report.add(Row.told(row, ours=mine, peer=peer, unit="ms"))
        if name == "add, 64 M" and dtype == "float32":
            speed = 3 * 4 * (1 << 26) / figures["ours"] / 1e12
            report.add(Row.told("  memory bandwidth", ours=speed, unit="TB/s"))
        if name == "matmul, 4096":
            speed = 2 * 4096**3 / figures["ours"] / 1e12
            report.add(Row.told("  throughput", ours=speed, unit="TFLOP/s"))


def add_layers(report, rounds):
    ours = layer_cases(opwright)
    theirs = layer_cases(torch) if torch else {}
    for name, function in ours.items():
        figures = time_case(function, theirs.get(name), 20, rounds)
        peer = figures["torch"] * 1e3 if "torch" in figures else None
        report.add(Row.told(name, ours=figures["ours"] * 1e3, peer=peer, unit="ms"))


def measure_device():
    """Return nanoseconds measured in C++: calls of the plug-in's table, and of the driver."""
    done = subprocess.run([DEVICE_BENCH], check=True, capture_output=True, text=True)
    return {name: float(number) for name, number in map(str.split, done.stdout.splitlines())}


def main():
    report = Report(__doc__, has_page=False)  # tools/test_cuda writes docs/results/cuda.md
    reason = reason_without_device()
    if reason:
        print(f"CUDA WAS NOT MEASURED: {reason}")
        for name in NAMES:
            report.add(Row(name, float("nan"), "", None, None, "-", "not measured"))
        return report.finish()
    rounds = report.rounds(5, 21)
    print(f"{opwright.cuda.get_device_name()}; torch {torch.__version__ if torch else 'missing'}")
    device = measure_device()
    launch = device["launch"] / 1e3
    report.add(Row.told("a launch, driver only", ours=launch, unit="us"))
    add_calls(report, rounds, launch)
    for dtype in ("float32", "bfloat16"):
        add_kernels(report, dtype, rounds)
    add_layers(report, min(rounds, 7))
    name = "allocation from the cache"
    report.add(Row.at_most(name, ours=device["allocation"], limit=200, unit="ns"))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
