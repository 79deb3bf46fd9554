"""Export: programs that run without Python, with their parameters.

>>> from opwright.export import Dim, export, load, save
>>> model = ow.nn.Linear(3, 2)
>>> program = export(model, (ow.ones(4, 3),), dynamic_shapes={"input": {0: Dim("batch")}})
>>> program.range_constraints
{'batch': [1, inf]}
"""

from .dynamic_shapes import AdditionalInputs, Dim, ShapesCollection, dims
from .exported_program import (
    ExportedProgram,
    OperatorUse,
    ProgramGraph,
    RangeConstraint,
    default_decompositions,
)
from .exporter import export
from .graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    GraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)
from .module_calls import ModuleCallEntry, ModuleCallSignature
from .program_file import load, save
from .unflattened_module import InterpreterModule, UnflattenedModule, unflatten

__all__ = [
    "AdditionalInputs",
    "ConstantArgument",
    "Dim",
    "ExportGraphSignature",
    "ExportedProgram",
    "GraphSignature",
    "InputKind",
    "InputSpec",
    "InterpreterModule",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "OperatorUse",
    "OutputKind",
    "OutputSpec",
    "ProgramGraph",
    "RangeConstraint",
    "ShapesCollection",
    "SymIntArgument",
    "TensorArgument",
    "UnflattenedModule",
    "default_decompositions",
    "dims",
    "export",
    "load",
    "save",
    "unflatten",
]
