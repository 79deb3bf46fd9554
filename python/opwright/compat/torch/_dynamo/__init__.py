"""torch._dynamo."""

from opwright._compile.control import disable, set_stance
from opwright._compile.phase import is_compiling
from opwright._compile.torch_names import (
    allow_in_graph,
    assume_constant_result,
    graph_break,
    is_dynamo_supported,
    list_backends,
)
from opwright.compat._absent import absent
from opwright.compiler import register_backend, reset

from . import exc, testing

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "disable",
    "exc",
    "graph_break",
    "is_compiling",
    "is_dynamo_supported",
    "list_backends",
    "register_backend",
    "reset",
    "set_stance",
    "testing",
]

__getattr__ = absent(__name__)
