"""Our own test support under the module names of torch's: small, and written for this runner."""

import contextlib
import gc
import importlib
import importlib.util
import tempfile
import types
from collections.abc import Callable, Iterator

import opwright

from . import dtype_lists, parametrization, plain_names
from .databases import EmptyDatabase
from .file_check import FileCheck
from .test_cases import DeviceTypeTestBase, PlainOutTestCase, TestCase, run_tests

INTERNAL = "torch.testing._internal"


def _gradcheck(function_name: str) -> Callable:
    """Return gradcheck or gradgradcheck of the package, with the options of torch's tests."""

    def check(fn: Callable, inputs: object, *args: object, **options: object) -> bool:
        torch_autograd = importlib.import_module("opwright.compat.torch.autograd")
        for ignored in ("fast_mode", "masked"):
            options.pop(ignored, None)
        return getattr(torch_autograd, function_name)(fn, inputs, *args, **options)

    check.__name__ = function_name
    return check


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Turn the garbage collector off for a block."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def temporary_file_name(*args: object, **keywords: object) -> object:
    with tempfile.NamedTemporaryFile() as file:
        yield file.name


def _shared_names() -> dict:
    return {
        **parametrization.names(),
        **dtype_lists.NAMES,
        "DeviceTypeTestBase": DeviceTypeTestBase,
        "FileCheck": FileCheck,
        "JitTestCase": TestCase,
        "NNTestCase": TestCase,
        "TemporaryFileName": temporary_file_name,
        "TestCase": TestCase,
        "_create_basic_net": plain_names.create_basic_net,
        "disable_gc": without_garbage_collection,
        "dtypesIfCUDA": parametrization.dtypesIfCUDA,
        "dtypesIfHPU": parametrization.dtypesIfHPU,
        "dtypesIfMPS": parametrization.dtypesIfMPS,
        "dtypesIfPRIVATEUSE1": parametrization.dtypesIfPRIVATEUSE1,
        "dtypesIfXPU": parametrization.dtypesIfXPU,
        "freeze_rng_state": plain_names.freeze_rng_state,
        "find_library_location": plain_names.find_library_location,
        "gradcheck": _gradcheck("gradcheck"),
        "gradgradcheck": _gradcheck("gradgradcheck"),
        "make_tensor": dtype_lists.make_tensor,
        "modules": parametrization.ops,
        "numpy_to_torch_dtype_dict": plain_names.NUMPY_DTYPES,
        "run_tests": run_tests,
        "swap": parametrization.swap,
        "op_db": EmptyDatabase(),
        "module_db": EmptyDatabase(),
        "custom_op_db": EmptyDatabase(),
        "hop_db": EmptyDatabase(),
        "autograd_function_db": EmptyDatabase(),
        "LoggingTestCase": PlainOutTestCase,
    }


# The modules of torch's test support that the names above stand for.
SHARED = {
    f"{INTERNAL}.{name}"
    for name in (
        "common_utils",
        "common_device_type",
        "common_dtype",
        "common_cuda",
        "common_nn",
        "common_modules",
        "common_methods_invocations",
        "common_mps",
        "common_quantization",
        "common_xpu",
        "hop_db",
        "autograd_function_db",
        "inductor_utils",
        "jit_utils",
        "logging_utils",
        "opinfo",
        "opinfo.core",
        "triton_utils",
    )
} | {"torch._dynamo.test_case"}
# Modules of this folder that stand for a module of torch on their own.
OWN = {
    "functorch": "functorch_names",
    "functorch.experimental": "functorch_names",
    "functorch.experimental.control_flow": "functorch_names",
    "torch._dynamo.testing": "compile_counters",
    f"{INTERNAL}.custom_op_db": "custom_ops",
}
# Modules of torch's internals of which the frame of a test file, not its tests, needs a name.
PACKAGES = {
    INTERNAL: {},
    f"{INTERNAL}.optests": {
        "OpCheckError": opwright.OpCheckError,
        "dontGenerateOpCheckTests": plain_names.leave_alone,
    },
    "torch._C": {
        "_debug_only_are_vmap_fallback_warnings_enabled": lambda: False,
        "_debug_only_display_vmap_fallback_warnings": lambda enabled: None,
    },
    "torch._custom_op": {},
    "torch._custom_op.impl": {"global_registry": {}, "get_op": opwright._C.require_operator},
    "torch._dynamo.eval_frame": {"is_dynamo_supported": lambda: True},
    "torch._library": {},
    "torch._library.utils": {"lookup_op": opwright._C.require_operator},
    "torch.testing": {},
}
# Names that a module of the package gets where it has none of its own.
ADDED = {"torch.testing": {"FileCheck": FileCheck, "make_tensor": dtype_lists.make_tensor}}


def find_module(name: str) -> types.ModuleType | None:
    """Return our module for torch's module `name`, or None."""
    if name in SHARED:
        module = types.ModuleType(name)
        module.__path__ = []
        module.__dict__.update(_shared_names(), __getattr__=plain_names.find)
        return module
    if name in OWN and not in_package(name):
        module = types.ModuleType(name)
        module.__path__ = []
        module.__dict__.update(own_names(name))
        return module
    if name in PACKAGES and not in_package(name):
        module = types.ModuleType(name)
        module.__path__ = []
        module.__dict__.update(PACKAGES[name], **ADDED.get(name, {}))
        return module
    return None


def own_names(name: str) -> dict:
    """Return the names of the module of this folder for torch's module `name`, if there is one."""
    if name not in OWN:
        return {}
    found = importlib.import_module(f".{OWN[name]}", __name__).names()
    return {**found, "custom_op_db": EmptyDatabase()} if name.endswith("custom_op_db") else found


def in_package(name: str) -> bool:
    try:
        return importlib.util.find_spec(f"opwright.compat.{name}") is not None
    except ImportError:  # also one that says why the name is not wanted
        return False


def add_names(name: str, module: types.ModuleType) -> None:
    """Add to a module of the package what only tests need."""
    extra = {**own_names(name), **PACKAGES.get(name, {}), **ADDED.get(name, {})}
    for added, value in extra.items():
        if added not in module.__dict__:
            setattr(module, added, value)
