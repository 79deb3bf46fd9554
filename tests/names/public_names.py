"""The public names of a module of PyTorch, and whether Opwright has them."""

import inspect
import warnings
from dataclasses import dataclass, field
from importlib import import_module

from .unwanted import reason_against

# Modules of torch, and the class Tensor, in the order of the page.
PLACES = (
    "torch",
    "torch.Tensor",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.optim",
    "torch.func",
    "torch.autograd",
    "torch.linalg",
    "torch.fft",
    "torch.special",
)


@dataclass
class Findings:
    """The names of one place."""

    place: str
    there: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unwanted: dict[str, list[str]] = field(default_factory=dict)  # by reason

    @property
    def num_wanted(self) -> int:
        return len(self.there) + len(self.missing)


def find(path: str) -> object | None:
    """Return what a dotted path names, importing modules on the way; None if there is nothing."""
    first, *rest = path.split(".")
    value = import_module(first)
    for name in rest:
        value = attribute(value, name)
        if value is None:
            return None
    return value


def attribute(owner: object, name: str) -> object | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of deprecated names
        try:
            return getattr(owner, name)
        except (AttributeError, NotImplementedError, RuntimeError):
            pass
    if not inspect.ismodule(owner):
        return None
    try:
        return import_module(f"{owner.__name__}.{name}")
    except ImportError:
        return None


def has(owner: object, name: str) -> bool:
    """Return whether the name exists; a value may be None, such as torch.newaxis."""
    if isinstance(owner, type):  # a property of the class may raise without an object
        return any(name in vars(each) for each in owner.__mro__) or hasattr(owner, name)
    return name in vars(owner) or attribute(owner, name) is not None


def public_names(owner: object) -> list[str]:
    """Return the names that a module lists or defines, without modules and imported tools."""
    listed = getattr(owner, "__all__", None)
    names = listed if listed is not None else dir(owner)
    return sorted(
        {
            name
            for name in names
            if not name.startswith("_")
            and (listed is not None or defines(owner, name))
            and not is_of_another_place(owner, name)
        }
    )


def is_of_another_place(owner: object, name: str) -> bool:
    """Return whether the name is a class of another place, such as the Tensor of annotations."""
    if not inspect.ismodule(owner):
        return False
    value = attribute(owner, name)
    home = getattr(value, "__module__", None)
    return isinstance(value, type) and home in PLACES and home != owner.__name__


def defines(owner: object, name: str) -> bool:
    """Return whether a name without a list is the owner's, not one that it imported."""
    if isinstance(owner, type):
        return True
    value = attribute(owner, name)
    home = getattr(value, "__module__", None)
    return callable(value) and isinstance(home, str) and home.partition(".")[0] == "torch"


def compare(place: str, theirs: object, ours: object | None) -> Findings:
    """Sort the public names of `theirs` by whether `ours` has them."""
    findings = Findings(place)
    for name in public_names(theirs):
        value = attribute(theirs, name)
        if inspect.ismodule(value):
            continue
        if ours is not None and has(ours, name):
            findings.there.append(name)
        elif reason := reason_against(place, name, value):
            findings.unwanted.setdefault(reason, []).append(name)
        else:
            findings.missing.append(name)
    return findings


def compare_all() -> list[Findings]:
    return [compare(place, find(place), find(f"opwright.compat.{place}")) for place in PLACES]
