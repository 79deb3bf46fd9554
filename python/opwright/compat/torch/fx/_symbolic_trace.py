"""torch.fx._symbolic_trace: runs a function on proxies and returns the graph of what it did."""

import collections
import copy
import functools
import inspect
import math
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import opwright as ow
from opwright import nn
from opwright.compat._absent import absent
from opwright.compat.torch.utils import _pytree as pytree

from .codegen import TreeCodeGen
from .graph import Graph
from .graph_module import GraphModule
from .immutable_collections import is_named_tuple
from .node import Argument
from .patcher import Patcher, find_proxy, new_patcher, recording
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase

__all__ = ["PH", "PHBase", "PHWithMeta", "ProxyableClassMeta", "Tracer", "symbolic_trace", "wrap"]

_wrapped_names: dict[tuple[int, str], dict[str, Any]] = {}
_proxyable_classes: dict[type, None] = {}
_is_tracing = False
_proxyable_leaves: set[int] = set()


class PHBase:
    """A leaf of `concrete_args` that stays an argument of the traced function."""

    def __repr__(self) -> str:
        return "PH"


class PHWithMeta(PHBase):
    """A placeholder with a key, which its node keeps as `ph_key`."""

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


PH = PHBase()


class ProxyableClassMeta(type):
    """Metaclass of classes that may be made from proxies: the call becomes a node.

    >>> from opwright.compat.torch import fx
    >>> class Pair(metaclass=fx.ProxyableClassMeta):
    ...     def __init__(self, left, right):
    ...         self.left, self.right = left, right
    >>> traced = fx.symbolic_trace(lambda x: Pair(x, 1))
    >>> traced(3).left
    3
    """

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        proxy = find_proxy(args, kwargs)
        if proxy is None:
            return super().__call__(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", cls, args, kwargs)


def is_fx_tracing() -> bool:
    """Return whether a symbolic trace is running."""
    return _is_tracing


is_fx_symbolic_tracing = is_fx_tracing


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Make a function of the calling module a leaf: traces record calls instead of running it.

    Call it at the top level of a module, with the function or its name, or use it as a decorator.

    >>> from opwright.compat.torch import fx
    >>> fx.wrap(3)
    Traceback (most recent call last):
    RuntimeError: wrap: expected a function or the name of one, got int
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            f"wrap: expected a function or the name of one, got {type(fn_or_name).__name__}"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_names[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


class Tracer(TracerBase):
    """Turns a module or function into a graph; override its methods to change how.

    >>> from opwright.compat.torch import fx
    >>> class Everything(fx.Tracer):
    ...     def is_leaf_module(self, m, module_qualified_name):
    ...         return False
    >>> from opwright import nn
    >>> [node.op for node in Everything().trace(nn.Sequential(nn.ReLU())).nodes]
    ['placeholder', 'call_function', 'output']
    """

    def __init__(
        self,
        autowrap_modules: tuple[types.ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        super().__init__()
        self._autowrap_search: list[types.ModuleType] = list(autowrap_modules)
        self._autowrap_ids = {
            id(value)
            for module in autowrap_modules
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        }
        self._autowrap_ids.update(id(each) for each in autowrap_functions)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[nn.Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}
        self._names_taken: dict[str, int] = {}

    # ---- What may be overridden ----

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        """Return whether a call of this module is one node; true for the package's own layers."""
        module = type(m).__module__
        return module.startswith("opwright.nn") and not isinstance(m, nn.Sequential)

    def path_of_module(self, mod: nn.Module) -> str:
        """Return the path of a submodule of the root."""
        if self.submodule_paths is not None:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, each in self.root.named_modules():
            if each is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(
        self, m: nn.Module, forward: Callable[..., Any], args: tuple, kwargs: dict
    ) -> Any:
        """Record a call of a leaf module, or run `forward` of another one."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))):
            calls = self.num_calls.get(path, 0)
            self.num_calls[path] = calls + 1
            key = path if calls == 0 else f"{path}@{calls}"
            self.module_stack[key] = (path, type(m))
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.popitem()

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Proxy]) -> Any:
        """Return what the traced code gets for an attribute: a proxy for a parameter."""
        if isinstance(attr_val, nn.Parameter):
            return self._attribute_proxy(
                attr_val, self.root.named_parameters(), parameter_proxy_cache
            )
        if self.proxy_buffer_attributes and isinstance(attr_val, ow.Tensor):
            return self._attribute_proxy(attr_val, self.root.named_buffers(), parameter_proxy_cache)
        return attr_val

    def _attribute_proxy(self, value: Any, members: Any, cache: dict[str, Proxy]) -> Any:
        for name, member in members:
            if member is not value:
                continue
            if name not in cache:
                factory = None
                if self.param_shapes_constant:

                    def factory(node: Any, name: str = name) -> Proxy:
                        return ParameterProxy(self, node, name, value)

                cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=factory)
            return cache[name]
        return value

    def create_arg(self, a: Any) -> Argument:
        """Return a value as an argument: tensors and modules become reads of attributes."""
        if isinstance(a, nn.Parameter):
            for name, parameter in self.root.named_parameters():
                if a is parameter:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, ow.Tensor):
            return self._tensor_argument(a)
        if isinstance(a, nn.Module):
            for name, module in self.root.named_modules():
                if a is module:
                    return self.create_node("get_attr", name, (), {})
        if is_named_tuple(a):
            made = tuple(self.create_arg(each) for each in a)
            return self.create_node("call_function", type(a), made, {})
        if type(a) in _proxyable_classes:
            name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def _tensor_argument(self, tensor: ow.Tensor) -> Argument:
        for name, buffer in self.root.named_buffers():
            if buffer is tensor:
                return self.create_node("get_attr", name, (), {})
        name = self.tensor_attrs.get(id(tensor))
        if name is None:
            name = self.get_fresh_qualname("_tensor_constant")
            self.tensor_attrs[id(tensor)] = name
            setattr(self.root, name, tensor)
        return self.create_node("get_attr", name, (), {})

    def get_fresh_qualname(self, prefix: str) -> str:
        """Return a name that the root has not."""
        number = self._names_taken.get(prefix, 0)
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        self._names_taken[prefix] = number + 1
        return f"{prefix}{number}"

    # ---- Arguments of the traced function ----

    def create_args_for_root(
        self,
        root_fn: Callable[..., Any],
        is_module: bool,
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ) -> tuple[Callable[..., Any], list[Any]]:
        """Return the function to run and its arguments: the root module, then proxies."""
        inner = inspect.unwrap(root_fn)
        code = inner.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames)
        signature = inspect.signature(inner)
        skip = 0
        args: list[Any] = []
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            skip, args = 1, [self.root]
        if isinstance(concrete_args, tuple):
            concrete_args = self._named_concrete_args(concrete_args, names, skip, total, code)
        make = [
            self._proxy_placeholder(name, concrete_args, signature, inner)
            for name in names[skip:total]
        ]
        args += make
        has_variable = bool(code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
        if code.co_kwonlyargcount > 0 or has_variable:
            rest = iter(names[total:])
            if code.co_flags & inspect.CO_VARARGS:
                args.append(self._variable_placeholder("*", next(rest), concrete_args))
            if code.co_flags & inspect.CO_VARKEYWORDS:
                args.append(self._variable_placeholder("**", next(rest), concrete_args))
            if inner is root_fn or has_variable:
                root_fn = _with_positional_parameters(root_fn, len(args))
            else:
                root_fn = _with_keywords(root_fn, names[code.co_argcount : total])
        leaves, spec = pytree.tree_flatten(tuple(args))
        if concrete_args is None or all(child.is_leaf() for child in spec.children()):
            return root_fn, args
        parameters = names[skip:total]
        rest = iter(names[total:])
        if code.co_flags & inspect.CO_VARARGS:
            parameters.append(f"*{next(rest)}")
        if code.co_flags & inspect.CO_VARKEYWORDS:
            parameters.append(f"**{next(rest)}")
        self.graph._codegen = TreeCodeGen(parameters, pytree.tree_structure(tuple(args[skip:])))
        return self._flattened(root_fn, spec), leaves

    def _named_concrete_args(
        self, given: tuple, names: list[str], skip: int, total: int, code: Any
    ) -> dict[str, Any]:
        wanted = names[skip:total]
        if len(given) != len(wanted) and not code.co_flags & inspect.CO_VARARGS:
            raise RuntimeError(
                f"Tracing expected {len(wanted)} arguments but got {len(given)} concrete arguments"
            )
        named = dict(zip(wanted, given, strict=False))
        if code.co_flags & inspect.CO_VARARGS:
            named[names[total]] = given[len(wanted) :]
        return named

    def _variable_placeholder(self, stars: str, name: str, concrete_args: Any) -> Any:
        if concrete_args and name in concrete_args and stars == "*":
            return tuple(
                self.create_proxy("placeholder", f"{name}_{number}", (), {})
                for number in range(1, len(concrete_args[name]) + 1)
            )
        return self.create_proxy("placeholder", f"{stars}{name}", (), {})

    def _flattened(self, root_fn: Callable, spec: Any) -> Callable[..., Any]:
        codegen = self.graph._codegen

        def run_flat(*leaves: Any) -> Any:
            result = root_fn(*pytree.tree_unflatten(list(leaves), spec))
            outputs, codegen.out_spec = pytree.tree_flatten(result)
            return outputs

        return run_flat

    def _proxy_placeholder(
        self,
        name: str,
        concrete_args: dict[str, Any] | None,
        signature: inspect.Signature,
        function: Callable[..., Any],
    ) -> Any:
        parameter = signature.parameters.get(name)
        default: tuple[Any, ...] = ()
        if parameter is not None and parameter.default is not inspect.Parameter.empty:
            default = (parameter.default,)
        if concrete_args is not None and name in concrete_args:
            count = 0

            def replace(leaf: Any) -> Any:
                nonlocal count
                count += 1
                proxy = self.create_proxy("placeholder", f"{name}_{count}", default, {})
                if isinstance(leaf, PHBase):
                    for key, value in vars(leaf).items():
                        if not hasattr(proxy.node, key):
                            setattr(proxy.node, key, value)
                    return proxy
                self._specialize(name, leaf, proxy)
                return leaf

            given = concrete_args[name]
            return replace(given) if given is None else pytree.tree_map(replace, given)
        return self.create_proxy(
            "placeholder", name, default, {}, type_expr=function.__annotations__.get(name)
        )

    def _specialize(self, name: str, value: Any, proxy: Proxy) -> None:
        """Record the check that an argument has the value that the trace used."""
        import opwright.compat.torch as torch

        text = f"{name} has been specialized to have value {value} but got another value"
        if type(value) in (bool, int, float):
            torch._assert(proxy == value, text)
        elif value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, text), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized "
                "function. It is up to the user to make sure that your inputs match the inputs you "
                "specialized the function with.",
                stacklevel=2,
            )

    # ---- The trace ----

    def trace(
        self,
        root: nn.Module | Callable[..., Any],
        concrete_args: dict[str, Any] | None = None,
    ) -> Graph:
        """Run a module's forward or a function on proxies; return the graph.

        `concrete_args` gives values to some arguments; the graph checks them on a call.
        """
        global _is_tracing
        before, _is_tracing = _is_tracing, True
        try:
            return self._trace(root, concrete_args)
        finally:
            _is_tracing = before
            self.submodule_paths = None

    def _trace(self, root: Any, concrete_args: Any) -> Graph:
        is_module = isinstance(root, nn.Module)
        if is_module:
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in "
                    f"{type(root).__name__}"
                )
            function = getattr(type(root), self.traced_func_name)
            self.root_module_name = type(root).__name__
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            self.root = nn.Module()
            function = root
        self.graph = Graph(tracer_cls=type(self))
        if hasattr(function, "__code__"):
            code = function.__code__
            self.graph._co_fields = (code.co_name, code.co_filename, code.co_firstlineno)
        self.tensor_attrs = dict(_tensor_attributes(self.root))
        annotations = getattr(function, "__annotations__", {})
        names = getattr(inspect.unwrap(function), "__globals__", {})
        if id(function) in functional_ids():
            function = _recorded_or_run(function)
        function, args = self.create_args_for_root(function, is_module, concrete_args)
        with new_patcher() as patcher:
            self._patch(patcher, names)
            result = function(*args)
            self.create_node(
                *("output", "output", (self.create_arg(result),), {}),
                type_expr=annotations.get("return") if function is not None else None,
            )
        return self.graph

    def _patch(self, patcher: Patcher, names: dict[str, Any]) -> None:
        original_getattr, original_call = nn.Module.__getattr__, nn.Module.__call__
        cache: dict[str, Proxy] = {}
        leaves = functional_ids()

        def get_attribute(module: nn.Module, attr: str) -> Any:
            return self.getattr(attr, original_getattr(module, attr), cache)

        def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return original_call(module, *args, **kwargs)

            used = getattr(getattr(module, "forward", module), "__globals__", {})
            patcher.patch_functions(used, self._autowrap_ids, leaves)
            return self.call_module(module, forward, args, kwargs)

        patcher.patch_attribute(nn.Module, "__getattr__", get_attribute)
        patcher.patch_attribute(nn.Module, "__call__", call)
        patcher.patch_wrapped(_wrapped_names)
        for module in (nn.functional, _functional(), *self._autowrap_search):
            patcher.patch_functions(vars(module), self._autowrap_ids, leaves)
        patcher.patch_functions(names, self._autowrap_ids, leaves)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tracer":
        made = Tracer.__new__(type(self))
        for key, value in self.__dict__.items():
            if key == "_autowrap_search":
                made.__dict__[key] = copy.copy(value)
            else:
                made.__dict__[key] = copy.deepcopy(value, memo)
        return made


def functional_ids() -> set[int]:
    """Return the ids of the functions of torch.nn.functional, which are leaves of a trace."""
    if not _proxyable_leaves:
        _proxyable_leaves.update(
            id(value)
            for value in vars(nn.functional).values()
            if isinstance(value, types.FunctionType)
            and value.__module__.startswith("opwright.nn.functional")
        )
    return _proxyable_leaves


def _recorded_or_run(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of nn.functional that is one call in the graph of its own trace."""
    record = recording(function, is_wrapped=False)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        is_overridden = _functional().has_torch_function((*args, *kwargs.values()))
        return record(*args, **kwargs) if is_overridden else function(*args, **kwargs)

    return call


def _functional() -> types.ModuleType:
    from opwright.compat.torch.nn import functional  # not needed by every program

    return functional


def _tensor_attributes(root: nn.Module) -> Any:
    """Yield the id and the path of each tensor that is a plain attribute of a module."""
    for prefix, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, ow.Tensor):
                yield id(value), f"{prefix}.{name}" if prefix else name


def _with_positional_parameters(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Return a function that takes *args and **kwargs as two more arguments by position."""
    code = function.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    code = code.replace(
        co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags
    )
    return types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )


def _with_keywords(function: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    """Return a function that takes the keyword-only arguments of a decorated one by position."""

    def call(*args: Any) -> Any:
        positional = args[: len(args) - len(names)]
        return function(*positional, **dict(zip(names, args[len(positional) :], strict=True)))

    return call


def _assert_is_none(value: Any, message: str) -> None:
    if value is not None:
        raise AssertionError(message)


def symbolic_trace(
    root: nn.Module | Callable[..., Any],
    concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
) -> GraphModule:
    """Trace a module or function and return it as a GraphModule.

    >>> from opwright.compat.torch import fx
    >>> traced = fx.symbolic_trace(lambda x, y: (x + y).relu())
    >>> print(traced.code.strip())
    def forward(self, x, y):
        add = x + y;  x = y = None
        relu = add.relu();  add = None
        return relu
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, nn.Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


__getattr__ = absent(__name__)
