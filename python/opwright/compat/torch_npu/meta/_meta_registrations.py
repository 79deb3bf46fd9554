"""torch_npu.meta._meta_registrations: `m`, the library that fake kernels are registered with.

>>> from opwright.compat.torch.library import define, impl
>>> from opwright.compat.torch_npu.meta._meta_registrations import m
>>> _ = define("npu::npu_docs_add", "(Tensor x, Tensor y) -> Tensor")
>>> @impl(m, "npu_docs_add")
... def npu_docs_add_meta(x, y):
...     return x.new_empty(x.shape)
"""

from opwright.compat._absent import absent
from opwright.library import Library

m = Library("npu", "IMPL", "Meta")

__getattr__ = absent(__name__)
