"""What opcheck found of a fault, and the code that it printed, run again."""

import ast

import opwright as ow

from .host import Example
from .zoo import Fault


def check(example: Example, **options: object) -> ow.testing.CheckReport:
    return ow.opcheck(
        example.op, example.args, dict(example.kwargs), raise_exception=False, **options
    )


def findings_of(fault: Fault, report: ow.testing.CheckReport) -> list[ow.testing.CheckFinding]:
    """Those that report the fault under one of its kinds and in its words."""
    return [
        finding
        for finding in report.findings
        if f"{finding.check}/{finding.kind}" in fault.kinds
        and fault.is_told_by("\n".join((finding.message, finding.change, finding.code)))
    ]


def read_code(code: str) -> Example:
    """Give the call that printed code makes, without making it."""
    tree = ast.parse(code)
    *lines, last = tree.body
    assert isinstance(last, ast.Expr), code
    assert isinstance(last.value, ast.Call), code
    names: dict[str, object] = {}
    exec(compile(ast.Module(lines, []), "<code>", "exec"), names)

    def value(node: ast.expr) -> object:
        return eval(compile(ast.Expression(node), "<code>", "eval"), names)

    call = last.value
    return Example(
        value(call.func),
        tuple(value(each) for each in call.args),
        {each.arg: value(each.value) for each in call.keywords},
    )
