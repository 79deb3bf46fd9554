"""opcheck as torch.library has it: four checks of the given example, their results as a dict."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _C, pytree
from ..autograd import grad
from ..testing import OpCheckError, opcheck
from ..tracing import make_fx

CHECKS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)
_ON_REQUEST = ("test_aot_dispatch_static",)
_SUCCESS = "SUCCESS"

# The findings of our checks that each of torch's checks reports: torch runs the formula only in
# the traced backward, and a fake kernel only for the sizes of the example.
_OF_FORMULA = {"missing-formula", "formula-raised", "gradient-count", "gradient-shape"}
_BEYOND_TORCH = {
    "fake-other-size",
    "fake-specialises",
    "gradient-dtype",
    "gradient-written",
    "saved-written",
    "trace-differs-at-other-size",
}


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
        error = _error_of(name, op, args, kwargs, options)
        if error is None:
            results[name] = _SUCCESS
        elif raise_exception:
            raise error
        else:
            results[name] = error
    if all(result == _SUCCESS for result in results.values()):
        _warn_of_more(op, args, kwargs, options)
    return results


def _error_of(
    name: str,
    op: _C.Operator,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    options: dict,
) -> Exception | None:
    """Return the error of one of torch's checks; None if it passes."""

    def find(check: str, is_counted: Callable[[str], bool]) -> OpCheckError | None:
        report = opcheck(op, args, kwargs, test_utils=check, examples=0, **options)
        found = [each for each in report.findings if is_counted(each.kind)]
        return _as_error(report) if found else None

    def is_of_check(kind: str) -> bool:
        return kind not in _BEYOND_TORCH | _OF_FORMULA

    error: Exception | None = find(name, is_of_check)
    if error is not None or not name.startswith("test_aot"):
        return error
    return (
        find("test_faketensor", lambda kind: kind == "missing-fake")
        or find("test_autograd_registration", lambda kind: kind in _OF_FORMULA)
        or _error_of_traced_backward(op, args, kwargs or {})
    )


def _as_error(report: _C.CheckReport) -> OpCheckError:
    error = OpCheckError(report.failure_text())
    error.report = report
    return error


def _error_of_traced_backward(
    op: _C.Operator, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Exception | None:
    """Trace the operator and its backward on fakes; the error of a backward that reads data."""
    leaves, spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
    places = [
        place
        for place, leaf in enumerate(leaves)
        if isinstance(leaf, _C.Tensor) and leaf.requires_grad
    ]
    if not places:
        return None

    def backward(*inputs: _C.Tensor) -> object:
        given = list(leaves)
        for place, value in zip(places, inputs, strict=True):
            given[place] = value.clone()  # the operator may write to it
        positional, named = pytree.tree_unflatten(given, spec)
        outputs = [
            output
            for output in pytree.tree_leaves(op(*positional, **named))
            if isinstance(output, _C.Tensor) and output.requires_grad
        ]
        if not outputs:
            return None
        ones = [output.new_ones(output.shape) for output in outputs]
        return grad(outputs, inputs, ones, allow_unused=True)

    inputs = [leaves[place].detach().requires_grad_() for place in places]
    try:
        make_fx(backward, tracing_mode="fake")(*inputs)
    except Exception as error:  # torch's check has the error itself as its result
        return error
    return None


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
