"""The graph engine GE: converters, graphs in its format, and compiled functions that run there.

>>> from opwright import ge
>>> lib = ow.library.Library("docs_ge", "DEF")
>>> _ = lib.define("add_custom(Tensor x, Tensor y) -> Tensor")
>>> lib.impl("add_custom", lambda x, y: x + y, "CPU")
>>> lib.impl("add_custom", lambda x, y: x.new_empty(x.shape), "Meta")
>>> @ge.register_fx_node_ge_converter(ow.ops.docs_ge.add_custom.default)
... def convert_add_custom(x: ge.Tensor, y: ge.Tensor, meta_outputs=None):
...     return ge.custom_op("DocsAddCustom", inputs={"x": x, "y": y}, outputs=["z"])
>>> f = ow.compile(lambda x: ow.ops.docs_ge.add_custom(x, x), backend="ge")
>>> f(ow.ones(2))
tensor([2., 2.])

A converter turns a call of an operator into ops of the engine. The built-in operators that networks
use have one. `compile(backend="ge")` converts, builds and runs; `convert` returns the graph, whose
`serialize()` is the engine's own format. When called, this package is the comparison x >= y:

>>> ow.ge(ow.tensor([1.0, 3.0]), 2.0)
tensor([False,  True])
"""

import sys
from types import ModuleType
from typing import Any

from .. import _C
from . import attr
from .compiler import CompilerConfig, get_compiler
from .converter import Const, Tensor, custom_op, register_fx_node_ge_converter
from .data_type import DataType
from .graph import Graph, Op, convert
from .prototype import Prototype, prototype, reg_op

__all__ = [
    "CompilerConfig",
    "Const",
    "DataType",
    "Graph",
    "Op",
    "Prototype",
    "Tensor",
    "attr",
    "convert",
    "custom_op",
    "get_compiler",
    "prototype",
    "reg_op",
    "register_fx_node_ge_converter",
]


class _Comparison(ModuleType):
    """Makes the package callable as the comparison of the same name."""

    _compare: Any = staticmethod(_C.make_function("ge"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._compare(*args, **kwargs)


sys.modules[__name__].__class__ = _Comparison
