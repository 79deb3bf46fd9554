"""torch._dynamo.testing: backends that count what was captured."""

from opwright._compile.counting import (
    CompileCounter,
    CompileCounterWithBackend,
    EagerAndRecordGraphs,
)
from opwright.compat._absent import absent

__all__ = ["CompileCounter", "CompileCounterWithBackend", "EagerAndRecordGraphs"]

__getattr__ = absent(__name__)
