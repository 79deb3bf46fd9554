"""Compiles one call and runs it: for static sizes, and for dynamic ones, also at other sizes.

The compiled function makes the call and uses every result once more, so that fusion happens. It
must match the same function uncompiled: values within the tolerance of their dtype, dtype, sizes,
strides, shared memory, written inputs. The columns:

    calls     distinct calls compiled
    compile   the call works, but compiling it raised
    static    compiled for its sizes it differs, or raised
    dynamic   compiled for dynamic sizes it differs, or raised
    other     at other sizes it differs, or one of both raised
    sizes     other sizes that were run
"""

from fnmatch import fnmatch
from functools import partial

import opwright as ow
import torch

from . import differences
from .call import NotReplayableError, list_of
from .comparison import DifferenceError, shared_offset, torch_range
from .replayer import Replayer, our_form
from .traced import NOT_TRACED, RefusalError, Run, TracedCall, form_text

OTHER_SIZES = 2
WAYS = {"static": False, "dynamic": True}

# What a graph without writes cannot contain, by the text of the error.
NOT_COMPILED = {
    "random numbers from a non-default generator": "a generator of its own",
    "which functionalize does not change": "resizes its argument",
    # A graph for dynamic sizes has the dimensions that the call gave an empty `out`.
    "another number of dimensions": "gives its argument other dimensions",
    "lies in memory of another owner, which cannot grow": "a result that grows in torch's memory",
}

# Sums are computed in another order: they may differ by the tolerance of the sum of magnitudes.
SUMS = ("sum*", "mean*", "nansum*", "cumsum*", "var*", "std*", "*norm*", "logsumexp*")

# Half-precision values are rounded at different points.
TOLERANCES = {torch.float16: (4e-3, 4e-3), torch.bfloat16: (3e-2, 3e-2)}


def read(result):
    """Use the result once, so that its producer can be fused."""
    if not isinstance(result, ow.Tensor):
        return result
    return ow.logical_not(result) if result.dtype == ow.bool else result + result


def with_readings(call: TracedCall, *, is_read: bool):
    """Return the function that is compiled."""

    def function(*tensors):
        results = list_of(call(*tensors))
        return [*results, *map(read, results)] if is_read else results

    return function


def are_close(a: torch.Tensor, b: torch.Tensor, least: float) -> bool:
    """Check that values are within the tolerance of the dtype, or `least` units of it."""
    if a.numel() == 0:
        return True
    rtol, atol = TOLERANCES.get(a.dtype, (None, None))
    if least and (a.is_floating_point() or a.is_complex()):
        rtol, atol = rtol or 1e-5, max(atol or 1e-5, least * torch.finfo(a.dtype).eps)
    try:
        torch.testing.assert_close(a, b, rtol=rtol, atol=atol, equal_nan=True, check_stride=False)
    except AssertionError:
        return False
    return True


def compare_tensors(
    ours: ow.Tensor, eager: ow.Tensor, what: str, kind: str, values: bool, least: float
) -> None:
    if ours.dtype != eager.dtype or ours.shape != eager.shape:
        raise DifferenceError(kind, f"{what}: {form_text(ours)}, eager: {form_text(eager)}")
    if ours.numel() and significant(ours) != significant(eager):
        raise DifferenceError(kind, f"{what}: strides {ours.stride()}, eager: {eager.stride()}")
    if values and not are_close(torch.from_dlpack(ours), torch.from_dlpack(eager), least):
        raise DifferenceError(kind, f"{what}: {ours}\neager: {eager}")


def sizes_of(name: str, tensors: list[torch.Tensor], sums: tuple[str, ...] = SUMS) -> float:
    """Return the sum of the magnitudes of all elements if the operator sums; else None."""
    if not any(fnmatch(name.removeprefix("aten."), pattern) for pattern in sums):
        return 0.0
    wide = (each.detach().to(torch.complex128).abs() for each in tensors)
    return sum(float(each.nan_to_num(0, 0, 0).sum()) for each in wide)


def significant(tensor: ow.Tensor) -> list[int]:
    return [s for size, s in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]


def compare_runs(ours: Run, eager: Run, kind: str, call: TracedCall, least: float) -> None:
    values = call.values
    if len(ours.results) != len(eager.results):
        raise DifferenceError(kind, f"{len(ours.results)} results, eager: {len(eager.results)}")
    for index, (mine, expected) in enumerate(zip(ours.results, eager.results, strict=True)):
        if not isinstance(expected, ow.Tensor):
            if values and mine != expected and expected == expected:
                raise DifferenceError(kind, f"result {index}: {mine!r}, eager: {expected!r}")
            continue
        compare_tensors(mine, expected, f"result {index}", kind, values, least)
        if expected.numel() and sharing(ours, mine) != sharing(eager, expected):
            raise DifferenceError(kind, f"result {index} shares other memory")
    for index, (mine, expected) in enumerate(zip(ours.inputs, eager.inputs, strict=True)):
        compare_tensors(mine, expected, f"input {index} after it", kind, values, least)


def sharing(run: Run, result: ow.Tensor) -> list[int | None]:
    return [
        shared_offset(result, each, result.data_ptr(), torch_range(memory))
        for each, memory in zip(run.inputs, run.memory, strict=True)
    ]


class CompiledReplayer(Replayer):
    """Replays calls with compiled functions; the counts are the columns above."""

    variants = 1
    backend = "llvm"

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        self.outcome.left_out["torch refuses"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        name = str(overload)
        if differences.find(NOT_TRACED, name) and type(result) is not int:
            raise NotReplayableError("no tensor as a result")
        operator = our_form(self.ours(overload), overload, ours)
        call = TracedCall(operator, copies, values=not differences.is_random(name, *torchs))
        if not call.tensors:
            raise NotReplayableError("no tensor among the arguments")
        is_read = self.can_read(call)
        function = with_readings(call, is_read=is_read)
        eager = call.run(function, call.tensors)
        least = sizes_of(name, call.tensors)
        for kind, dynamic in WAYS.items():
            compiled = ow.compile(function, fullgraph=True, dynamic=dynamic, backend=self.backend)
            for _ in range(2):
                run = self.run_compiled(call, compiled, call.tensors, kind)
                compare_runs(run, eager, kind, call, least)
        self.run_at_other_sizes(name, call, function, compiled)

    @staticmethod
    def can_read(call: TracedCall) -> bool:
        try:
            call.run(with_readings(call, is_read=False), call.tensors)
        except RefusalError as refusal:
            raise NotReplayableError("refused by ours") from refusal
        try:
            call.run(with_readings(call, is_read=True), call.tensors)
        except RefusalError:
            return False
        return True

    @staticmethod
    def run_compiled(call, compiled, tensors, kind: str) -> Run:
        try:
            return call.run(compiled, tensors)
        except RefusalError as refusal:
            for words, why in NOT_COMPILED.items():
                if words in str(refusal):
                    raise NotReplayableError(why) from refusal
            breaks = str(refusal).startswith("GraphBreakError")
            raise DifferenceError("compile" if breaks else kind, str(refusal)) from refusal

    def run_at_other_sizes(self, name: str, call: TracedCall, function, compiled) -> None:
        runs = call.run_at_other_sizes(name, OTHER_SIZES, partial(call.run, function))
        for values, tensors, eager in runs:
            self.outcome.counts[name]["sizes"] += 1
            try:
                run = self.run_compiled(call, compiled, tensors, "other")
                compare_runs(run, eager, "other", call, sizes_of(name, tensors))
            except DifferenceError as difference:
                raise DifferenceError("other", f"at {values}: {difference}") from difference
