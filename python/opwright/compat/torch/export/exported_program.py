"""torch.export.exported_program: what export gives."""

from opwright.compat._absent import absent
from opwright.export import ExportedProgram

__all__ = ["ExportedProgram"]

__getattr__ = absent(__name__)
