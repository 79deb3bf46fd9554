"""Checks of operators and of tensors: opcheck, assert_close, make_tensor."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _C
from ._C import CheckFinding, CheckLine, CheckReport
from ._opcheck.generated_tests import generate_opcheck_tests
from ._opcheck.hosts import hosts_set
from ._testing.comparison import assert_close
from ._testing.random_tensor import make_tensor

__all__ = [
    "CheckFinding",
    "CheckLine",
    "CheckReport",
    "OpCheckError",
    "assert_close",
    "generate_opcheck_tests",
    "list_checks",
    "make_tensor",
    "opcheck",
]


class OpCheckError(RuntimeError):
    """Raised when `opcheck` finds a fault; `report` has the findings.

    >>> issubclass(OpCheckError, RuntimeError)
    True
    """

    report: CheckReport


def _names(test_utils: str | Sequence[str]) -> list[str]:
    return [test_utils] if isinstance(test_utils, str) else list(test_utils)


def opcheck(
    op: Callable,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = "ALL",
    raise_exception: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    examples: int = 50,
    seed: int = 0,
    progress: Callable[[CheckLine], None] | None = None,
    hosts: str | Sequence[str] = ("opwright",),
) -> CheckReport:
    """Check an operator on an example, and on `examples` variations of it.

    `op` is an operator, an overload, or the result of `custom_op`. `test_utils` names the checks to
    run (`list_checks`); `"ALL"` runs all but those on request. PyTorch's names (`"test_schema"`,
    ...) select the corresponding checks. `rtol` and `atol` apply to values that are computed in two
    ways. `progress` is called with each line as soon as it is known.

    `hosts` names other hosts in which to call the operator with the same arguments: `"torch"`,
    `"jax"`, `"onnxruntime"`. Their results are compared with Opwright's. Hosts that are not
    installed are skipped, and so are operators that a host cannot have.

    A fault is shown with the smallest input that reproduces it, as code. Raises `OpCheckError`,
    unless `raise_exception` is False; `ValueError` for an example that the operator rejects.

    >>> import opwright as ow
    >>> @ow.library.custom_op("docs_opcheck::double", mutates_args=())
    ... def double(x: ow.Tensor) -> ow.Tensor:
    ...     x.mul_(2)
    ...     return x.clone()
    >>> report = ow.opcheck(
    ...     double, (ow.ones(3),), test_utils="schema", raise_exception=False, examples=0
    ... )
    >>> report.findings
    [<CheckFinding schema/undeclared-write>]
    >>> print(report.findings[0].message.splitlines()[1])
      Declare it: mutates_args={'x'} in custom_op, or Tensor(a!) x in the schema.
    >>> ow.opcheck(ow.ops.aten.sin, (ow.ones(3),), hosts=("opwright", "caffe"))
    Traceback (most recent call last):
        ...
    ValueError: opcheck: hosts has 'caffe', which is not a host; there are opwright, torch, ...
    """
    with hosts_set(_names(hosts)) as host_checks:
        report = _C.opcheck(
            op,
            tuple(args),
            dict(kwargs or {}),
            [*_names(test_utils), *host_checks],
            rtol,
            atol,
            examples,
            seed,
            progress,
        )
    if raise_exception and not report.ok:
        error = OpCheckError(report.failure_text())
        error.report = report
        raise error
    return report


def list_checks() -> dict[str, str]:
    """Return the names of all checks, with what they check.

    >>> list_checks()["results"]
    'the number and the types of the results'
    """
    return dict(_C.list_checks())


def _getitem(report: CheckReport, check: str) -> str:
    """Return "SUCCESS", "SKIPPED" or the findings, as PyTorch's opcheck does."""
    for line in report.lines:
        if line.check == check:
            return {"ok": "SUCCESS", "skipped": "SKIPPED"}.get(line.state, line.text)
    raise KeyError(check)


CheckReport.__getitem__ = _getitem
CheckReport.__repr__ = lambda report: report.table()
