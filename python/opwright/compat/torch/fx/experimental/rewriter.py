"""torch.fx.experimental.rewriter: a tracer that records assert statements and annotations."""

import ast
import copy
import functools
import inspect
import textwrap
from types import CodeType, FunctionType
from typing import Any

from opwright import nn
from opwright.compat._absent import absent

from .._symbolic_trace import Tracer
from ..graph import Graph

__all__ = ["AST_Rewriter", "RewritingTracer"]


class AST_Rewriter(ast.NodeTransformer):  # noqa: N801 (torch's name)
    """Rewrites the source of a function so that it can be traced."""

    def rewrite(self, fn: FunctionType) -> FunctionType:
        """Return the function with asserts and annotations of variables as calls."""
        source = textwrap.dedent(inspect.getsource(fn))
        tree = ast.fix_missing_locations(self.visit(ast.parse(source)))
        module_code = compile(tree, "", "exec")
        found = [each for each in module_code.co_consts if isinstance(each, CodeType)]
        names = (
            fn.__globals__ if "torch" in fn.__globals__ else {**fn.__globals__, "torch": _torch()}
        )
        function = FunctionType(found[0], names, fn.__name__, fn.__defaults__, fn.__closure__)
        return functools.update_wrapper(function, fn)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Turn `assert test, message` into `torch._assert(test, message)`."""
        message = node.msg if node.msg else ast.Constant(value="")
        statement = ast.Expr(ast.Call(_name_of("torch._assert"), [node.test, message], []))
        return ast.copy_location(statement, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Turn `name: type = value` into `name = torch.fx.annotate.annotate(value, type)`."""
        if node.value is None:
            return node
        called = _name_of("torch.fx.annotate.annotate")
        value = ast.Call(called, [node.value, node.annotation], [])
        return ast.copy_location(ast.Assign([node.target], value), node)


def _name_of(path: str) -> ast.expr:
    return ast.parse(path, mode="eval").body


def _torch() -> Any:
    import opwright.compat.torch as torch

    return torch


class RewritingTracer(Tracer):
    """Traces a function or module whose asserts and types of variables are recorded."""

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        """Rewrite, then trace."""
        return super().trace(_rewritten(root), concrete_args)


def _rewritten(given: Any) -> Any:
    if isinstance(given, FunctionType):
        return AST_Rewriter().rewrite(given) if not given.__closure__ else given
    made = copy.copy(given)
    kind = type(given)
    forward = kind.forward
    if not kind.__module__.startswith("opwright.") and not forward.__closure__:
        forward = AST_Rewriter().rewrite(forward)
        made.__class__ = type(kind.__name__, (kind,), {"forward": forward})
        made.__class__.__module__ = kind.__module__
    made.__dict__["_modules"] = {
        name: _rewritten(child) if isinstance(child, nn.Module) else child
        for name, child in given._modules.items()
    }
    return made


__getattr__ = absent(__name__)
