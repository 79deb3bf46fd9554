"""opcheck as torch.library has it: four checks of the given example, their results as a dict."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _C
from ..testing import OpCheckError, opcheck

CHECKS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)
_ON_REQUEST = ("test_aot_dispatch_static",)
_SUCCESS = "SUCCESS"


def opcheck_as_torch(
    op: Callable,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = CHECKS,
    raise_exception: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
) -> dict[str, object]:
    """Check an operator on the given example alone, with torch's four checks.

    Returns "SUCCESS" or the error of each check. What `opwright.opcheck` finds beyond them, on
    variations of the example or by its other checks, is a warning.

    >>> import opwright as ow
    >>> from opwright.compat.torch.library import opcheck
    >>> opcheck(ow.ops.aten.sin.default, (ow.ones(3),), test_utils="test_schema")
    {'test_schema': 'SUCCESS'}
    """
    if not isinstance(op, _C.Operator):
        raise ValueError(
            "opcheck: op must be an overload (an OpOverload, e.g. ops.aten.sin.default) or the "
            f"result of custom_op, got {type(op).__name__}"
        )
    names = _names(test_utils)
    options = {"raise_exception": False, "rtol": rtol, "atol": atol}
    results: dict[str, object] = {}
    for name in names:
        report = opcheck(op, args, kwargs, test_utils=name, examples=0, **options)
        if report.ok:
            results[name] = _SUCCESS
            continue
        error = OpCheckError(report.failure_text())
        error.report = report
        if raise_exception:
            raise error
        results[name] = error
    if all(result == _SUCCESS for result in results.values()):
        _warn_of_more(op, args, kwargs, options)
    return results


def _names(test_utils: str | Sequence[str]) -> tuple[str, ...]:
    given = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if given == ("ALL",):
        return CHECKS
    unknown = [name for name in given if name not in CHECKS + _ON_REQUEST]
    if unknown:
        raise ValueError(
            f"opcheck: expected test_utils to be subset of {set(CHECKS + _ON_REQUEST)}, "
            f"got {unknown}; opwright.opcheck has more checks"
        )
    return given


def _warn_of_more(
    op: _C.Operator, args: Sequence[Any], kwargs: Mapping[str, Any] | None, options: dict
) -> None:
    report = opcheck(op, args, kwargs, **options)
    if not report.ok:
        found = ", ".join(sorted({f"{each.check}/{each.kind}" for each in report.findings}))
        warnings.warn(
            f"{op.name} passes torch's checks of this example, but opwright.opcheck finds more: "
            f"{found}; call opwright.opcheck with the same arguments to see it",
            stacklevel=3,
        )
