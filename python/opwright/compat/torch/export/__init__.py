"""torch.export: programs that run without Python."""

from opwright.compat._absent import absent
from opwright.export import (
    Dim,
    ExportedProgram,
    ExportGraphSignature,
    ModuleCallEntry,
    ModuleCallSignature,
    ShapesCollection,
    UnflattenedModule,
    default_decompositions,
    dims,
    export,
    load,
    save,
    unflatten,
)

from . import dynamic_shapes, exported_program, graph_signature

__all__ = [
    "Dim",
    "ExportGraphSignature",
    "ExportedProgram",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "ShapesCollection",
    "UnflattenedModule",
    "default_decompositions",
    "dims",
    "dynamic_shapes",
    "export",
    "exported_program",
    "graph_signature",
    "load",
    "save",
    "unflatten",
]

__getattr__ = absent(__name__)
