"""Runs entries of torch's operator database under modes that see each aten call."""

import random
import time
import warnings
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial

import numpy as np
import opwright as ow
import torch
from torch.overrides import TorchFunctionMode
from torch.testing._internal.common_device_type import precisionOverride, toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import DecorateInfo
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from .call import map_values, tensors_of
from .comparison import TOLERANCES
from .replayer import Replayer, fault_of_the_replay

DTYPES = ("float32", "float64", "int64", "bool", "float16", "bfloat16", "complex64")
FORMS = 4  # samples whose non-contiguous, in-place and out= forms run too
SECONDS = 60  # for one entry with one dtype; the rest is not run


def entry_name(entry) -> str:
    return f"{entry.name}.{entry.variant_test_name}" if entry.variant_test_name else entry.name


@cache
def entries() -> dict:
    return {entry_name(entry): entry for entry in op_db}


class SeeCalls(TorchDispatchMode):
    def __init__(self, replayer: Replayer):
        super().__init__()
        self.replayer = replayer

    def __torch_dispatch__(self, overload, types, args=(), kwargs=None):
        with reading_lazy_tensors():
            return self.replayer.run(overload, args, kwargs or {})


@contextmanager
def reading_lazy_tensors() -> Iterator[None]:
    """torch excludes what conjugates and negates lazy tensors here, and then reads them as they
    lie in memory: composites of it compute other numbers than outside of a mode."""
    keys = (torch._C.DispatchKey.Conjugate, torch._C.DispatchKey.Negative)
    with ExitStack() as stack:
        for key in keys:
            stack.enter_context(torch._C._SetExcludeDispatchKeyGuard(key, False))
        yield


class SeeComposites(TorchFunctionMode):
    """Sees the functions that torch decomposes before any dispatch: matmul, reshape, ..."""

    def __init__(self, replayer: Replayer):
        super().__init__()
        self.replayer = replayer

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        with fault_of_the_replay():
            overload = composite_overload(getattr(function, "__name__", ""), args, kwargs)
        if overload is None:
            return function(*args, **kwargs)
        self.replay(overload, args, kwargs)
        self.replayer.composites += 1
        try:
            return function(*args, **kwargs)
        finally:
            self.replayer.composites -= 1

    def replay(self, overload, args, kwargs) -> None:
        def detach(leaf):
            return leaf.detach() if isinstance(leaf, torch.Tensor) else leaf

        with torch.no_grad(), _disable_current_modes():
            try:
                self.replayer.run(
                    overload, map_values(detach, tuple(args)), map_values(detach, dict(kwargs))
                )
            except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError):
                return  # the function itself raises it again


@cache
def composite_names() -> frozenset[str]:
    """Return our packets for which torch decomposes an overload before any dispatch."""
    return frozenset(
        name
        for name in dir(ow.ops.aten)
        for form in getattr(ow.ops.aten, name).overloads()
        if is_implicit_composite(f"{name}.{form}")
    )


@cache
def is_implicit_composite(name: str) -> bool:
    qualified = "aten::" + name.removesuffix(".default")
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    key = torch._C.DispatchKey.CompositeImplicitAutograd
    return torch._C._dispatch_has_kernel(qualified) and has_kernel(qualified, key)


def composite_overload(name: str, args, kwargs):
    """Return the implicit composite that a call of the function `name` is, or None."""
    if name not in composite_names():
        return None
    try:
        form = torch._C._jit_resolve_packet(f"aten::{name}", *args, **kwargs) or "default"
    except (RuntimeError, TypeError):
        return None  # x.reshape(2, 3): not the schema's form
    overload = getattr(getattr(torch.ops.aten, name), form)
    arguments = overload._schema.arguments
    takes = [*zip(arguments, args, strict=False)]
    takes += [(each, kwargs.get(each.name)) for each in arguments]
    if any(isinstance(arg, torch.Tensor) and "Tensor" not in str(each.type) for each, arg in takes):
        return None  # narrow(x, 0, tensor, 2): torch reads the number first
    return overload if is_implicit_composite(f"{name}.{form}") else None


@contextmanager
def seeing(replayer: Replayer) -> Iterator[None]:
    with SeeCalls(replayer), SeeComposites(replayer):
        yield


def tolerances_of(entry) -> dict:
    """Return torch's tolerances, as wide as the entry's widest override."""
    found = dict(TOLERANCES)
    for info in entry.decorators:
        for decorator in info.decorators if isinstance(info, DecorateInfo) else [info]:
            if isinstance(decorator, toleranceOverride):
                overrides = {dtype: (tol.rtol, tol.atol) for dtype, tol in decorator.d.items()}
            elif isinstance(decorator, precisionOverride):
                overrides = {dtype: (0, each) for dtype, each in decorator.d.items()}
            else:
                continue
            for dtype, (relative, absolute) in overrides.items():
                if dtype in found:
                    old = found[dtype]
                    found[dtype] = (max(old[0], relative), max(old[1], absolute))
    return found


def run_entry(replayer: Replayer, name: str, dtype_name: str, seed: int, limit: int | None) -> None:
    """Run the samples of one entry and dtype, or `limit` of them; "errors" are its bad inputs."""
    entry = entries()[name]
    replayer.entry = name
    replayer.tolerances = tolerances_of(entry)
    mixed = zlib.crc32(f"{seed} {name} {dtype_name}".encode())
    random.seed(mixed)
    np.random.seed(mixed)
    torch.manual_seed(mixed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dtype_name == "errors":
            run_errors(replayer, entry, limit)
        else:
            run_samples(replayer, entry, getattr(torch, dtype_name), limit)


def supports(entry, dtype_name: str) -> bool:
    if dtype_name == "errors":
        return entry.error_inputs_func is not None
    return entry.supports_dtype(getattr(torch, dtype_name), "cpu")


def run_errors(replayer: Replayer, entry, limit: int | None) -> None:
    for index, error in enumerate(attempt_all(lambda: entry.error_inputs("cpu"))):
        if limit is not None and index >= limit:
            return
        sample = error.sample_input
        with seeing(replayer):
            attempt(partial(entry.op, sample.input, *sample.args, **sample.kwargs))


def run_samples(replayer: Replayer, entry, dtype: torch.dtype, limit: int | None) -> None:
    differentiable = entry.supports_autograd and dtype in entry.supported_backward_dtypes("cpu")
    differentiable = differentiable and (dtype.is_floating_point or dtype.is_complex)
    samples = attempt_all(lambda: entry.sample_inputs("cpu", dtype, requires_grad=differentiable))
    if limit is not None:
        samples = list(samples)
        samples = random.sample(samples, min(limit, len(samples)))
    began = time.monotonic()
    for index, sample in enumerate(samples):
        if time.monotonic() - began > SECONDS:
            replayer.outcome.left_out["samples beyond the time of an entry"] += 1
            return
        run_sample(replayer, entry, sample, differentiable, takes_sum=index % 2 == 0)
        if index < FORMS:
            run_forms(replayer, entry, sample, differentiable)


def run_sample(replayer: Replayer, entry, sample, differentiable: bool, takes_sum: bool) -> None:
    replayer.is_entry = True
    with seeing(replayer):
        result = attempt(lambda: entry.op(sample.input, *sample.args, **sample.kwargs))
    replayer.is_entry = False
    if not differentiable or result is None:
        return
    outputs = [each for each in tensors_of(result) if each.requires_grad]
    inputs = [
        each
        for each in tensors_of((sample.input, sample.args, sample.kwargs))
        if each.requires_grad
    ]
    if outputs and inputs and all(each.layout == torch.strided for each in outputs):
        gradients = None if takes_sum else [torch.randn_like(each) for each in outputs]
        with seeing(replayer):
            attempt(lambda: run_backward(outputs, inputs, gradients))


def run_backward(outputs: list, inputs: list, gradients: list | None) -> None:
    if gradients is None:
        outputs = [(each.abs() if each.is_complex() else each).sum() for each in outputs]
    torch.autograd.grad(outputs, inputs, gradients, allow_unused=True)


def run_forms(replayer: Replayer, entry, sample, differentiable: bool) -> None:
    noncontiguous = attempt(sample.noncontiguous)
    if noncontiguous is not None:
        run_sample(replayer, entry, noncontiguous, differentiable, takes_sum=False)

    def plain(leaf):
        return leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf

    for other in other_functions(entry):
        input, args, kwargs = map_values(plain, (sample.input, sample.args, sample.kwargs))
        with torch.no_grad(), seeing(replayer):
            attempt(partial(other, input, *args, **kwargs))
    if not entry.supports_out:
        return
    for function in (entry.op, *(alias.op for alias in entry.aliases)):
        input, args, kwargs = map_values(plain, (sample.input, sample.args, sample.kwargs))
        with torch.no_grad():
            result = attempt(partial(entry.op, input, *args, **kwargs))
        if result is not None and tensors_of(result):
            out = map_values(
                lambda leaf: torch.ones_like(leaf) if isinstance(leaf, torch.Tensor) else leaf,
                tuple(result) if isinstance(result, list | tuple) else result,
            )
            with torch.no_grad(), seeing(replayer):
                attempt(partial(function, input, *args, out=out, **kwargs))


def other_functions(entry) -> list:
    """Return what else the database says to compute the entry: in place, a method, by alias."""
    forms = [entry.get_method(), entry.get_inplace(), entry.get_operator()]
    forms.append(entry.get_inplace_operator())
    for alias in entry.aliases:
        forms += [alias.op, alias.method_variant, alias.inplace_variant]
    return [each for each in forms if each is not None]


def attempt(action):
    """Return the result of `action`, or None if torch raises: its errors were compared inside."""
    try:
        return action()
    except Exception:
        return None


def attempt_all(make) -> Iterator:
    """Yield the items of an iterable until it raises."""
    try:
        yield from make()
    except Exception:
        return
