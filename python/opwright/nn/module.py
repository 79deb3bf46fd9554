"""Module: the base class of all layers, a tree of named parameters, buffers and modules."""

from __future__ import annotations

import builtins
import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, overload

import opwright as ow

from .. import _C, Tensor
from . import traced_call
from .conversion import Convert, cast_to, convert_tensors, read_to_arguments
from .global_hooks import global_hooks
from .hooked_call import call_with_hooks
from .members import each_once, named_members
from .module_state import ModuleState
from .parameter import Buffer, Parameter
from .text import tree_text
from .traced_call import call_traced, note_assignment
from .types import DeviceLike

__all__ = ["Module"]

# The attributes of a module that are not plain ones.
MEMBERS = (
    "_parameters",
    "_buffers",
    "_modules",
    "_non_persistent_buffers_set",
)
HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _forward_is_missing(self: Module, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError(
        f"{type(self).__name__} has no forward; define forward(self, ...) in the class"
    )


class Module(ModuleState):
    """The base class of all layers and models.

    A parameter or module assigned to an attribute becomes part of the tree; `forward` defines what
    a call computes.

    >>> from opwright import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self, factor):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(ow.tensor(factor))
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> model = nn.Sequential(Scale(2.0), Scale(3.0))
    >>> model(ow.ones(2))
    tensor([6., 6.], grad_fn=<MulBackward0>)
    >>> [name for name, _ in model.named_parameters()]
    ['0.factor', '1.factor']
    >>> model
    Sequential(
      (0): Scale()
      (1): Scale()
    )
    """

    training: bool

    # Raised by every change that a forward pass may see in this module: attributes, parameters,
    # buffers, children, hooks. Compiled code checks it, and is recompiled when it has changed.
    _attribute_epoch: int = 0

    _compiled_call_impl: Callable[..., Any] | None = None  # set by `compile`

    # A variable, so that a subclass can declare the parameters that it needs.
    forward: Callable[..., Any] = _forward_is_missing

    def __init__(self) -> None:
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_modules"] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_has_call_hooks"] = False
        self._raise_attribute_epoch()

    def _raise_attribute_epoch(self) -> None:
        # Values of one clock: no two states of any modules have the same epoch.
        self.__dict__["_attribute_epoch"] = _C.next_module_epoch()

    # ---- Calls ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        if _C.is_tracing():
            return call_traced(self, args, kwargs)
        if self._has_call_hooks or global_hooks.concern_calls:
            return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module itself, also if it is compiled."""
        call = call_traced if _C.is_tracing() else call_with_hooks
        return call(self, args, kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the calls of this module from now on; the options are those of torch.compile.

        >>> from opwright import nn
        >>> layer = nn.Linear(3, 2)
        >>> layer.compile(fullgraph=True)
        >>> layer(ow.ones(1, 3)).shape
        (1, 2)
        """
        from .._compile.torch_names import compile

        self._compiled_call_impl = compile(self._call_impl, *args, **kwargs)

    # ---- Attributes ----

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._require_init("parameters")
            self._forget(name, keep=self._parameters)
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._require_init("modules")
            self._forget(name, keep=self._modules)
            self._modules[name] = global_hooks.registered("module", self, name, value)
        elif isinstance(value, Buffer) and name not in self.__dict__.get("_buffers", ()):
            self._require_init("buffers")
            self._forget(name, keep=self._buffers)
            self.register_buffer(name, value, persistent=value.persistent)
        elif not self._set_member(name, value):
            object.__setattr__(self, name, value)
        if _C.is_tracing():
            note_assignment(self, name)
        self._raise_attribute_epoch()

    def _set_member(self, name: str, value: Any) -> bool:
        """Set a parameter, module or buffer to None or a tensor; return False if there is none."""
        own = self.__dict__
        if name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"'{name}' is a parameter: it can be set to an opwright.nn.Parameter or None, "
                    f"got {type(value).__name__}"
                )
            self._parameters[name] = None
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"'{name}' is a module: it can be set to an opwright.nn.Module or None, "
                    f"got {type(value).__name__}"
                )
            self._modules[name] = None
        elif name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"'{name}' is a buffer: it can be set to a tensor or None, "
                    f"got {type(value).__name__}"
                )
            self._buffers[name] = value
        else:
            return False
        return True

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for members in MEMBERS[:3]:
            if members in own and name in own[members]:
                found = own[members][name]
                if members == "_modules" and traced_call.num_recorders:
                    traced_call.note_name(self, name, found)
                return found
        hint = "" if "_parameters" in own else "; call super().__init__() in its constructor first"
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __delattr__(self, name: str) -> None:
        for members in (self._parameters, self._buffers, self._modules):
            if name in members:
                del members[name]
                self._non_persistent_buffers_set.discard(name)
                break
        else:
            object.__delattr__(self, name)
        self._raise_attribute_epoch()

    def _require_init(self, what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(
                f"{what} cannot be assigned before Module.__init__(); call super().__init__() first"
            )

    def _forget(self, name: str, keep: Mapping[str, Any]) -> None:
        """Remove this name everywhere except in `keep`."""
        own: list[dict[str, Any]] = [
            self.__dict__,
            self._parameters,
            self._buffers,
            self._modules,
        ]
        for members in own:
            if members is not keep:
                members.pop(name, None)
        if keep is not self._buffers:
            self._non_persistent_buffers_set.discard(name)

    def _check_new_name(self, name: str, what: str, members: Mapping[str, Any]) -> None:
        self._require_init(f"{what}s")
        if not isinstance(name, str):
            raise TypeError(f"the name of a {what} must be a string, got {type(name).__name__}")
        if "." in name:
            raise KeyError(f"the name of a {what} cannot have a dot, got '{name}'")
        if not name:
            raise KeyError(f"the name of a {what} cannot be empty")
        if hasattr(self, name) and name not in members:
            raise KeyError(f"the module has an attribute '{name}' already")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, as an assignment does; None reserves the name.

        >>> from opwright import nn
        >>> layer = nn.Module()
        >>> layer.register_parameter("bias", None)
        >>> print(layer.bias, list(layer.parameters()))
        None []
        """
        self._check_new_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"parameter '{name}' must be an opwright.nn.Parameter or None, "
                f"got {type(param).__name__}"
            )
        if param is not None:
            param = global_hooks.registered("parameter", self, name, param)
        self._parameters[name] = param
        self._raise_attribute_epoch()

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not a parameter; `state_dict` has it if it is persistent.

        >>> from opwright import nn
        >>> layer = nn.Module()
        >>> layer.register_buffer("mean", ow.zeros(2))
        >>> layer.register_buffer("scratch", ow.zeros(2), persistent=False)
        >>> list(layer.state_dict())
        ['mean']
        """
        self._check_new_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"buffer '{name}' must be a tensor or None, got {type(tensor).__name__}"
            )
        if tensor is not None:
            tensor = global_hooks.registered("buffer", self, name, tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)
        self._raise_attribute_epoch()

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name that need not be an identifier.

        >>> from opwright import nn
        >>> model = nn.Module()
        >>> model.add_module("0", nn.Identity())
        >>> model.get_submodule("0")
        Identity()
        """
        self._check_new_name(name, "module", self._modules)
        if module is not None and not isinstance(module, Module):
            raise TypeError(
                f"module '{name}' must be an opwright.nn.Module or None, "
                f"got {type(module).__name__}"
            )
        if module is not None:
            module = global_hooks.registered("module", self, name, module)
        self._modules[name] = module
        self._raise_attribute_epoch()

    def register_module(self, name: str, module: Module | None) -> None:
        """Same as `add_module`."""
        self.add_module(name, module)

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Set the module at a path such as "encoder.0"; the module that holds it must exist.

        With `strict` there must be a module at the path already.

        >>> from opwright import nn
        >>> model = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> model.set_submodule("0.0", nn.Tanh())
        >>> model.get_submodule("0.0")
        Tanh()
        """
        if not target:
            raise ValueError("set_submodule: the path of a module must be given")
        if not isinstance(module, Module):
            raise ValueError(f"set_submodule: expected a module, got {type(module).__name__}")
        if strict:
            self.get_submodule(target)
        owner, _, name = target.rpartition(".")
        setattr(self.get_submodule(owner), name, module)

    def get_submodule(self, target: str) -> Module:
        """Return the module at a dotted path.

        >>> from opwright import nn
        >>> nn.Sequential(nn.Sequential(nn.Identity())).get_submodule("0.0")
        Identity()
        """
        module = self
        for name in target.split(".") if target else ():
            found = module._modules.get(name)
            if found is None:
                raise AttributeError(
                    f"{type(self).__name__} has no module '{target}': "
                    f"{type(module).__name__} has no attribute `{name}`"
                )
            module = found
        return module

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        found = owner._parameters.get(name)
        if found is None:
            raise self._missing_member(target, "parameter", "an nn.Parameter", owner)
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a dotted path."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        found = owner._buffers.get(name)
        if found is None:
            raise self._missing_member(target, "buffer", "a buffer", owner)
        return found

    def _missing_member(self, target: str, kind: str, what: str, owner: Module) -> AttributeError:
        name = target.rpartition(".")[2]
        why = f"{type(owner).__name__} has no attribute `{name}`"
        if hasattr(owner, name):
            why = f"`{name}` is not {what}"
        return AttributeError(f"{type(self).__name__} has no {kind} '{target}': {why}")

    # ---- Iteration ----

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the direct children with their names, each once."""
        yield from each_once(
            (name, module) for name, module in self._modules.items() if module is not None
        )

    def children(self) -> Iterator[Module]:
        """Yield the direct children, each once."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield this module and its descendants with their paths, each once.

        >>> from opwright import nn
        >>> [name for name, _ in nn.Sequential(nn.Identity(), nn.Identity()).named_modules()]
        ['', '0', '1']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield this module and its descendants, each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters with their paths, each once.

        >>> from opwright import nn
        >>> [(name, tuple(each.shape)) for name, each in nn.Linear(2, 3).named_parameters()]
        [('weight', (3, 2)), ('bias', (3,))]
        """
        return named_members(self, lambda m: m._parameters, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield the buffers with their paths, each once."""
        return named_members(self, lambda m: m._buffers, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ---- Copies ----

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # A shallow copy shares its tensors and modules, but not their dicts: changing one would not
        # raise the epoch of the other.
        for name in (*MEMBERS, *HOOKS):
            if name in state:
                self.__dict__[name] = copy.copy(state[name])
        self._raise_attribute_epoch()

    # ---- Changes to the entire tree ----

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` with every module, children first.

        >>> from opwright import nn
        >>> model = nn.Sequential(nn.Identity()).apply(lambda module: print(module))
        Identity()
        Sequential(
          (0): Identity()
        )
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Switch to training mode, or with False to evaluation: dropout and batch norm differ.

        >>> from opwright import nn
        >>> nn.Dropout(0.5).eval()(ow.ones(2))
        tensor([1., 1.])
        """
        if not isinstance(mode, bool):
            raise ValueError(f"train: mode must be a bool, got {mode!r}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch to evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether the parameters require grad."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None  # type: ignore[misc]
            else:
                parameter.grad.detach().zero_()

    def _apply(self, fn: Convert) -> Self:
        convert_tensors(self, fn)
        return self

    @overload
    def to(
        self,
        device: DeviceLike | None = ...,
        dtype: ow.dtype | None = ...,
        non_blocking: bool = ...,
        *,
        memory_format: ow.memory_format | None = ...,
    ) -> Self: ...
    @overload
    def to(self, dtype: ow.dtype, non_blocking: bool = ...) -> Self: ...
    @overload
    def to(self, tensor: Tensor, non_blocking: bool = ...) -> Self: ...
    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert the parameters and buffers of this module in place.

        >>> from opwright import nn
        >>> nn.Linear(2, 1).to(ow.float64).weight.dtype
        opwright.float64

        A dtype applies to floating and complex tensors; others keep theirs. A tensor that changes
        is replaced by a new one, so call `parameters()` afterwards.
        """
        known = {"device", "dtype", "tensor", "non_blocking", "memory_format"}
        for name in kwargs.keys() - known:
            raise TypeError(f"Module.to: there is no argument '{name}'")
        if "tensor" in kwargs:
            args = (kwargs.pop("tensor"), *args)
        return self._apply(read_to_arguments(*args, **kwargs))

    def to_empty(self, *, device: DeviceLike | None, recurse: bool = True) -> Self:
        """Replace all tensors by uninitialized ones on a device, e.g. from meta."""
        del recurse
        return self._apply(lambda tensor: ow.empty_like(tensor, device=device))

    def type(self, dst_type: ow.dtype) -> Self:
        """Cast all parameters and buffers, including those of ints."""
        return self._apply(cast_to(dst_type, only_floating=False))

    def cpu(self) -> Self:
        """Move to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device: DeviceLike | int | None = None) -> Self:
        """Move to a GPU."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def half(self) -> Self:
        """Cast floating tensors to float16."""
        return self._apply(cast_to(ow.float16))

    def bfloat16(self) -> Self:
        """Cast floating tensors to bfloat16."""
        return self._apply(cast_to(ow.bfloat16))

    def float(self) -> Self:
        """Cast floating tensors to float32."""
        return self._apply(cast_to(ow.float32))

    def double(self) -> Self:
        """Cast floating tensors to float64."""
        return self._apply(cast_to(ow.float64))

    # ---- Text ----

    def _get_name(self) -> str:
        return builtins.type(self).__name__

    def extra_repr(self) -> str:
        """Return the text between the parentheses of the module's repr."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        return tree_text(self._get_name(), own, self._child_texts())

    def _child_texts(self) -> list[str]:
        return [f"({name}): {module!r}" for name, module in self._modules.items()]

    def __dir__(self) -> list[str]:
        own = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in own if not name[:1].isdigit())
