"""torch.export: programs that run without Python."""

from opwright.compat._absent import absent
from opwright.export import (
    AdditionalInputs,
    Dim,
    ExportGraphSignature,
    ModuleCallEntry,
    ModuleCallSignature,
    ShapesCollection,
    dims,
    save,
)

from . import dynamic_shapes, exported_program, graph_signature
from .exported_program import (
    ExportedProgram,
    default_decompositions,
    export,
    load,
    register_dataclass,
)
from .unflatten import UnflattenedModule, unflatten

__all__ = [
    "AdditionalInputs",
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
    "register_dataclass",
    "save",
    "unflatten",
]

__getattr__ = absent(__name__)
