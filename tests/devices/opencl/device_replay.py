"""Replays calls of torch's operator database on the OpenCL device, against our CPU kernels.

A call that the CPU accepts must have the same outcome on the device: dtype, sizes, values and
written arguments. One that the device has no kernel for is skipped and counted.
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
sys.path[:0] = [str(BUILD / "python"), str(ROOT)]

import opwright as ow  # noqa: E402
import torch  # noqa: E402

from tests.ops.replay import differences  # noqa: E402
from tests.ops.replay.call import NotReplayableError, copy_arguments, list_of, map_values  # noqa: E402
from tests.ops.replay.comparison import DifferenceError  # noqa: E402
from tests.ops.replay.conversion import Conversion  # noqa: E402
from tests.ops.replay.replayer import Replayer, argument_of, our_form  # noqa: E402
from tests.ops.replay.run import replay  # noqa: E402

DEVICE = "opencl"
# Relative to the element, and to the largest one of the result: terms may cancel out.
TOLERANCES = {
    torch.float16: (2e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1e-5, 2e-6),
    torch.float64: (1e-7, 1e-12),
}


class ToDevice(Conversion):
    """Makes arguments on the device; the CPU and its name in an argument become the device."""

    def __call__(self, value):
        converted = super().__call__(value)
        is_device = isinstance(converted, ow.device) or (isinstance(value, str) and value == "cpu")
        return ow.device(DEVICE) if is_device else converted

    def tensor(self, value: torch.Tensor) -> ow.Tensor:
        on_cpu = super().tensor(value)
        base = self.bases[value.untyped_storage()._cdata, value.dtype]
        if base[0].device.type == "cpu":
            self.bases[value.untyped_storage()._cdata, value.dtype] = (base[0].to(DEVICE), base[1])
            on_cpu = super().tensor(value)
        return on_cpu


def compare_tensors(actual, expected, what: str) -> None:
    if isinstance(expected, ow.Tensor) != isinstance(actual, ow.Tensor):
        raise DifferenceError("values", f"{what}: {actual!r}, cpu: {expected!r}")
    if not isinstance(expected, ow.Tensor):
        if actual != expected and actual == actual:
            raise DifferenceError("values", f"{what}: {actual!r}, cpu: {expected!r}")
        return
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        raise DifferenceError("dtype", f"{what}: {actual}, cpu: {expected}")
    if not expected.numel():
        return
    a, b = (torch.from_dlpack(each.cpu().detach()) for each in (actual, expected))
    if b.dtype not in TOLERANCES:
        if not torch.equal(a, b):
            raise DifferenceError("values", f"{what}: {a}, cpu: {b}")
        return
    relative, of_largest = TOLERANCES[b.dtype]
    finite = b[b.isfinite()].abs()
    largest = float(finite.max()) if finite.numel() else 0.0
    agree = torch.isclose(a, b, rtol=relative, atol=of_largest * max(largest, 1), equal_nan=True)
    if not agree.all():
        raise DifferenceError(
            "values",
            f"{what}: {a[~agree][:3].tolist()}, cpu: {b[~agree][:3].tolist()}, "
            f"at {(~agree).nonzero()[:2].tolist()} of {list(b.shape)}",
        )


class DeviceReplayer(Replayer):
    def compare(self, overload, _torchs, copies, ours, _result, _exact) -> None:
        name = str(overload)
        if differences.is_random(name, *copies):
            raise NotReplayableError("random")
        operator = our_form(self.ours(overload), overload, ours)
        theirs = map_values(ToDevice(), copy_arguments(*copies))
        try:
            expected = list_of(operator(*ours[0], **ours[1]))
        except Exception as error:
            raise NotReplayableError("the CPU refuses it") from error
        try:
            actual = list_of(operator(*theirs[0], **theirs[1]))
        except NotImplementedError as error:
            self.outcome.told[name][str(error).splitlines()[0]] += 1
            raise NotReplayableError("no kernel on the device") from error
        except Exception as error:
            raise DifferenceError("raised", f"{type(error).__name__}: {error}") from error
        for mine, cpus in zip(actual, expected, strict=True):
            compare_tensors(mine, cpus, "result")
        for index, argument in enumerate(overload._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                pair = (argument_of(each, index, argument.name) for each in (theirs, ours))
                for mine, cpus in zip(*map(list_of, pair), strict=True):
                    compare_tensors(mine, cpus, argument.name)

    def check_refusal(self, *_args) -> None:
        """What torch refuses says nothing about the device."""


def choose_operators(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--op", nargs="+", required=True, help="aten names, as shell patterns")
    parser.add_argument("--dtypes", nargs="+", required=True)
    parser.add_argument("--share", type=float, default=1.0, help="of entries x dtypes")
    parser.add_argument("--samples", type=int, default=3, help="of each entry and dtype")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=int, default=1, help="calls that must be compared")
    parser.set_defaults(entries=[], all=False, mutations=0, workers=2)
    return parser.parse_args(names)


def main(arguments: list[str]) -> int:
    options = choose_operators(arguments)
    outcome = replay(options, DeviceReplayer)
    for name, failures in outcome.failures.items():
        for failure in failures:
            print(f"{name}: {failure.call}\n  {failure.problem}")
    for texts in outcome.told.values():
        print("no kernel:", *texts)
    calls = sum(counts["calls"] for counts in outcome.counts.values())
    passed = sum(counts["passed"] for counts in outcome.counts.values())
    print(f"left out: {dict(outcome.left_out)}", *outcome.faults, sep="\n")
    print(f"{passed} of {calls} calls agree with the CPU")
    is_good = not outcome.faults and passed == calls and calls >= options.least
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
