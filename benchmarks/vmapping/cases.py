"""The mapped functions: custom operators with and without a rule, and a built-in one."""

import warnings

from harness import build_torch_library, release_build
from tracing.timing import Case

SAMPLES = 64


def python_operator(package):
    """Define a custom operator with kernel and vmap rule in Python."""
    library = package.library

    def scale(x, factor):
        return x * factor

    operator = library.custom_op(
        "vmapping_python::scale",
        scale,
        mutates_args=(),
        schema="(Tensor x, float factor) -> Tensor",
    )
    library.register_vmap(
        "vmapping_python::scale",
        lambda info, in_dims, x, factor: (operator(x, factor), in_dims[0]),
    )
    return operator


def cases_with_operators(package, vmap):
    """Return the cases that Opwright and torch share; the operators must be loaded."""
    x = package.ones(SAMPLES, 4)
    operators = package.ops.vmapping
    in_python = python_operator(package)

    def case(function, *args, parts=1):
        mapped = vmap(function)
        return Case(lambda: mapped(*args), parts)

    return {
        "rule": case(lambda x: operators.scale(x, 0.5), x),
        "Python rule": case(lambda x: in_python(x, 0.5), x),
        "no rule": case(lambda x: operators.slow_scale(x, 0.5), x),
        "mul": case(package.mul, x, x),
        "nothing": case(lambda x: x, x),
    }


def our_cases(opwright):
    opwright.load_library(release_build() / "operators" / "libvmapping.so")
    warnings.simplefilter("ignore", opwright.PerformanceWarning)
    return cases_with_operators(opwright, opwright.vmap)


def torch_cases():
    """Return the cases of torch; empty without torch."""
    library = build_torch_library(__file__, "torch_operators.cpp")
    if library is None:
        return {}
    import torch

    torch.ops.load_library(str(library))
    torch.set_num_threads(1)
    torch._C._functorch._set_vmap_fallback_warning_enabled(False)
    torch.library.register_vmap(
        "vmapping::scale",
        lambda info, in_dims, x, factor: (torch.ops.vmapping.scale(x, factor), in_dims[0]),
    )
    return cases_with_operators(torch, torch.vmap)
