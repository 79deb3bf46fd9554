"""torch.fx: graphs of Python calls; symbolic_trace, Interpreter, GraphModule."""

from opwright.compat import torch as _torch
from opwright.compat._absent import absent

from . import (
    _pytree,
    _symbolic_trace,
    annotate,
    experimental,
    graph,
    graph_module,
    immutable_collections,
    interpreter,
    node,
    operator_schemas,
    passes,
    proxy,
    subgraph_rewriter,
    tensor_type,
    traceback,
)
from ._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .codegen import CodeGen
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = [
    "PH",
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "ProxyableClassMeta",
    "Tracer",
    "Transformer",
    "_pytree",
    "_symbolic_trace",
    "annotate",
    "experimental",
    "graph",
    "graph_module",
    "has_side_effect",
    "immutable_collections",
    "interpreter",
    "map_arg",
    "node",
    "operator_schemas",
    "passes",
    "proxy",
    "replace_pattern",
    "subgraph_rewriter",
    "symbolic_trace",
    "tensor_type",
    "traceback",
    "wrap",
]

has_side_effect(_torch._assert)

__getattr__ = absent(__name__)
