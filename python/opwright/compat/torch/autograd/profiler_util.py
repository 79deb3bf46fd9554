"""torch.autograd.profiler_util: what a profile recorded."""

from opwright.autograd.profiler_events import EventList, FunctionEvent, FunctionEventAvg, Interval
from opwright.compat._absent import absent

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]

__getattr__ = absent(__name__)
