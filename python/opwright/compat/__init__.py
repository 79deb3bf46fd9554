"""Opwright under the module paths of PyTorch and its companions.

Code written for PyTorch runs with `torch` replaced by `opwright.compat.torch` in its import lines:

>>> import opwright.compat.torch as torch
>>> torch.ops.aten.neg(torch.tensor([1.0])).tolist()
[-1.0]

Every path is a real module that has names and no logic. Names not supported yet are absent.
"""
