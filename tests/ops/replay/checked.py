"""Checks the operator of one call by opcheck, with the call as the example.

The built-in operators are correct, so every finding is a false alarm, or our fault. The columns:

    calls     distinct calls used as examples; limited per overload and worker
    inputs    inputs checked: the calls, and those derived from them
    refused   derived inputs that the operator rejects
    opcheck   calls with a finding
"""

import warnings
from fnmatch import fnmatch

import opwright as ow
import torch

from . import differences
from .call import NotReplayableError, tensors_of
from .comparison import DifferenceError
from .replayer import Replayer

LARGEST = 1 << 16  # elements of all tensors of an example

# Uninitialized results.
UNINITIALISED = {
    "empty*": "uninitialised",
    "new_empty*": "uninitialised",
    "resize_": "new elements are uninitialised",
}

# Findings that also hold for torch and stay: (check, kind) and why.
AS_IN_TORCH = {
    "meshgrid*": (("schema", "undeclared-alias"), "gives views, and its schema does not say so"),
    "atleast_*.Sequence": (("schema", "undeclared-alias"), "gives views, like meshgrid"),
    "broadcast_tensors": (("schema", "undeclared-alias"), "gives views, like meshgrid"),
    "*dropout": (("schema", "undeclared-alias"), "gives its input back where nothing is dropped"),
    "*batch_norm": (("schema", "undeclared-write"), "writes the running statistics"),
    "instance_norm": (("schema", "undeclared-write"), "writes the running statistics"),
    "*adaptive_*_pool*": (
        ("autograd", "formula-raised"),
        "gives results without elements, its formula takes none",
    ),
    "*batch_norm*": (("gradients", "wrong-gradient"), "running statistics have no gradient"),
    "*batch_norm_legit": (("autograd", "formula-raised"), "running statistics have no gradient"),
    "*upsample*backward*": (
        ("autograd", "formula-raised"),
        "takes no channels, its formula does not",
    ),
    "_unsafe_view": (("schema", "undeclared-alias"), "is a view, and its schema says a copy"),
    "unsafe_*": (("schema", "undeclared-alias"), "gives views, and its schema does not say so"),
    "*ctc_loss*": (
        ("gradients", "wrong-gradient"),
        "has the gradient of log_probs whose exponentials add up to one",
    ),
    "*embedding_bag*": (
        ("vmap", "vmap-differs"),
        "finds the bag of each index or none, by the strides of weight",
    ),
    "max_unpool*": (("gradients", "wrong-gradient"), "assumes that no index occurs twice"),
    "nll_loss*": (("autograd", "formula-raised"), "has no gradient of the weights of classes"),
    "put_": (("gradients", "wrong-gradient"), "has one where an index stands once alone"),
    "scatter.src": (("gradients", "wrong-gradient"), "has one where an index stands once alone"),
    "split*": (("fake", "fake-specialises"), "gives as many results as a size says"),
    "unbind*": (("fake", "fake-specialises"), "gives as many results as a size says"),
    "as_strided*": (("gradients", "wrong-gradient"), "reads beyond the elements of its input"),
}

# Known limits of ours.
LIMITS = {
    "*out": (("onnx", "onnx-differs"), "forms made from an operator have no rule for ONNX"),
    "*values": (("onnx", "onnx-differs"), "forms made from an operator have no rule for ONNX"),
    "*_": (("onnx", "onnx-differs"), "forms made from an operator have no rule for ONNX"),
}

# Errors of ours that are intended, in whichever check they appear.
REFUSALS = (
    # An empty `out` takes the strides of its result; functionalize would make it contiguous.
    "has no elements and takes a result with strides",
    # fill_diagonal_ writes by strides; with symbolic sizes these may reach the same element twice.
    "it shares its storage with a view by as_strided that reaches other elements of it",
)


def alarms(overload: str, report: ow.testing.CheckReport) -> list[ow.testing.CheckFinding]:
    """Return the findings that are not intended."""
    name = overload.removeprefix("aten.").removesuffix(".default")
    known = {
        found for pattern, (found, _) in (AS_IN_TORCH | LIMITS).items() if fnmatch(name, pattern)
    }
    return [
        each
        for each in report.findings
        if (each.check, each.kind) not in known
        and not any(text in each.message for text in REFUSALS)
    ]


def text_of(findings: list[ow.testing.CheckFinding]) -> str:
    return "\n".join(f"{each.check}/{each.kind}: {each.message}\n{each.code}" for each in findings)


class CheckedReplayer(Replayer):
    """Checks calls; the counts are the columns above."""

    checks: tuple[str, ...] = ("ALL",)
    examples = 12  # made from each call
    per_overload = 2

    def takes(self, overload, args, kwargs) -> str | None:
        name = str(overload)
        if self.seen[name] >= self.per_overload:
            return None
        key = super().takes(overload, args, kwargs)
        if key is not None:
            self.seen[name] += 1
            self.outcome.seen[name] += 1
        return key

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        self.outcome.left_out["torch refuses"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        name = str(overload)
        if differences.find(UNINITIALISED, name):
            raise NotReplayableError("uninitialised")
        if sum(each.numel() for each in tensors_of(copies)) > LARGEST:
            raise NotReplayableError("a large example")
        if any(each.layout != torch.strided for each in tensors_of(result)):
            raise NotReplayableError("a layout that is not ours")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                report = ow.opcheck(
                    self.ours(overload),
                    ours[0],
                    ours[1],
                    test_utils=self.checks,
                    raise_exception=False,
                    examples=self.examples,
                )
        except TypeError as error:  # torch takes a number for the tensor
            raise NotReplayableError("a number for a tensor") from error
        except ValueError as error:
            if "rejects the example" in str(error):
                raise NotReplayableError("refused") from error
            raise DifferenceError("opcheck", str(error)) from error
        self.outcome.counts[name]["inputs"] += 1 + report.num_generated
        self.outcome.counts[name]["refused"] += report.num_refused
        if found := alarms(name, report):
            raise DifferenceError("opcheck", text_of(found))
