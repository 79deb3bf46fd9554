"""torch.export: programs that run without Python."""

from opwright.compat._absent import absent
from opwright.export import (
    Dim,
    ExportedProgram,
    ExportGraphSignature,
    ShapesCollection,
    default_decompositions,
    dims,
    export,
    load,
    save,
)

from . import dynamic_shapes, exported_program, graph_signature

__all__ = [
    "Dim",
    "ExportGraphSignature",
    "ExportedProgram",
    "ShapesCollection",
    "default_decompositions",
    "dims",
    "dynamic_shapes",
    "export",
    "exported_program",
    "graph_signature",
    "load",
    "save",
]

__getattr__ = absent(__name__)
