"""Runs opcheck on one call: no built-in operator may have a fault on its samples.

The checks are those of `--checks`; generated inputs are as many as `--examples` says. What columns
mean: calls, distinct calls checked; the others are the checks that found something.
"""

import warnings

import opwright as ow

from .call import NotReplayableError
from .comparison import DifferenceError
from .replayer import Replayer, our_form


class CheckedReplayer(Replayer):
    """Checks calls; the counts are the columns above."""

    variants = 1
    checks: tuple[str, ...] = ("ALL",)
    examples = 0

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        self.outcome.left_out["torch refuses"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact) -> None:
        operator = our_form(self.ours(overload), overload, ours)
        if operator is not self.ours(overload):
            raise NotReplayableError("a number for a tensor")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                report = ow.opcheck(
                    operator,
                    *ours,
                    test_utils=self.checks,
                    raise_exception=False,
                    examples=self.examples,
                )
            except ValueError as refusal:
                if "the operator refuses the example" in str(refusal):
                    raise NotReplayableError("refused by ours") from refusal
                raise
        if not report.ok:
            first = report.findings[0]
            raise DifferenceError(
                first.check, "\n".join(f"{each.kind}: {each.message}" for each in report.findings)
            )
