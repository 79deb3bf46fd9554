"""torch.compiler."""

from opwright._compile.control import disable, set_stance
from opwright._compile.phase import is_capturing as is_dynamo_compiling
from opwright._compile.phase import is_compiling, is_exporting
from opwright._compile.torch_names import (
    allow_in_graph,
    assume_constant_result,
    compile,
    cudagraph_mark_step_begin,
    list_backends,
)
from opwright.compat._absent import absent
from opwright.compiler import reset

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
]

__getattr__ = absent(__name__)
