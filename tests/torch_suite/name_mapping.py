"""The import hook that gives a test file the package where it asks for torch.

`torch` and `torch.x.y` are opwright.compat.torch and its submodules, `functorch` is a view of
its func, and torch's own test support is the modules of tests/torch_suite/support. A module that
is none of these is a placeholder.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types

from .missing_names import Phase, give_missing_names, has_module, placeholder_module

COMPAT = "opwright.compat."
ROOTS = ("torch", "functorch", "torchvision")


class TorchFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module whose root is one of ROOTS."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.partition(".")[0] not in ROOTS:
            return None
        if not Phase.importing and not has_module(name):
            return None  # `from torch import x` in a test: a missing name, not a module
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Let importlib create a module that exec_module replaces."""

    def exec_module(self, module: types.ModuleType) -> None:
        # importlib returns what sys.modules holds after this.
        sys.modules[module.__name__] = find_module(module.__name__)
        keep_functions()


def find_module(name: str) -> types.ModuleType:
    """Return the module that stands for torch's module `name`."""
    support = importlib.import_module(".support", __package__)
    if (own := support.find_module(name)) is not None:
        give_missing_names(own, name)
        return own
    try:
        module = importlib.import_module(COMPAT + name)
    except ImportError as error:  # absent, or refused as not wanted
        if not (error.name or "").startswith(COMPAT):
            raise
        return placeholder_module(name)
    support.add_names(name, module)
    give_missing_names(module, name)
    return module


def install() -> None:
    """Put the hook before every other finder, and give missing names to what is there already."""
    sys.meta_path.insert(0, TorchFinder())
    importlib.import_module(f"{COMPAT}torch")
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{COMPAT}torch"):
            give_missing_names(module, name.removeprefix(COMPAT))
    keep_functions()


def keep_functions() -> None:
    """Let no import of a loaded module replace a function of its name, as autograd.gradcheck."""
    for name, module in list(sys.modules.items()):
        parent, _, last = name.rpartition(".")
        is_of_torch = parent.startswith(f"{COMPAT}torch")
        if is_of_torch and vars(sys.modules[parent]).get(last) is not module:
            sys.modules.setdefault(name.removeprefix(COMPAT), module)


def torch_path(module: types.ModuleType) -> str | None:
    """Return the name under which a test file knows `module`, if it is one of torch's."""
    if path := module.__dict__.get("missing_path"):
        return path
    name = module.__name__.removeprefix(COMPAT)
    return name if name.partition(".")[0] in ROOTS else None
