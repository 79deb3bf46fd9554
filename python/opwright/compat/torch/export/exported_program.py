"""torch.export.exported_program: the result of export."""

from opwright.compat._absent import absent
from opwright.export import ExportedProgram, default_decompositions

__all__ = ["ExportedProgram", "default_decompositions"]

__getattr__ = absent(__name__)
