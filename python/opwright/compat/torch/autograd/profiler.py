"""torch.autograd.profiler: the times of operators."""

from opwright.autograd.profiler import profile, record_function
from opwright.autograd.profiler_events import EventList, FunctionEvent, FunctionEventAvg
from opwright.compat._absent import absent

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "profile", "record_function"]

__getattr__ = absent(__name__)
