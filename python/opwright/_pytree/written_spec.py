"""Structures as JSON text, in the form that torch.utils._pytree writes."""

import importlib
import json
from collections import OrderedDict, defaultdict, namedtuple
from enum import Enum
from typing import Any

from .._C import TreeSpec
from .registration import CLASS_OF_NAME, WRITTEN, name_class

_PROTOCOL = 1


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """Write a structure as JSON."""
    _check_protocol(_PROTOCOL if protocol is None else protocol)
    return json.dumps([_PROTOCOL, _dump(treespec)], cls=_EnumEncoder)


def treespec_loads(serialized: str) -> TreeSpec:
    """Read a structure that `treespec_dumps` wrote."""
    protocol, data = json.loads(serialized)
    _check_protocol(protocol)
    return _load(data)


def register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Give a class of named tuples the name by which structures with it are written."""
    name_class(cls, serialized_type_name)


def _check_protocol(protocol: int) -> None:
    if protocol != _PROTOCOL:
        raise ValueError(
            f"treespec_dumps: Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]"
        )


class _EnumEncoder(json.JSONEncoder):
    def default(self, o: Any) -> Any:
        if not isinstance(o, Enum):
            return super().default(o)
        place = f"{type(o).__module__}:{type(o).__qualname__}"
        return {"__enum__": True, "fqn": place, "name": o.name}


def _as_enum(data: dict[str, Any]) -> Any:
    if "__enum__" not in data:
        return data
    module, _, path = data["fqn"].partition(":")
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found[data["name"]]


def _dump(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    written = WRITTEN.get(spec.type)
    if written is None or written.name is None:
        raise NotImplementedError(
            f"treespec_dumps: No registered serialization name for {spec.type} found. Please "
            "register the class with a `serialized_type_name`."
        )
    context = spec.context
    if written.dump_context is not None:
        text = written.dump_context(context)
    else:
        try:
            text = json.dumps(context, cls=_EnumEncoder)
        except TypeError as error:
            raise TypeError(
                f"treespec_dumps: Unable to serialize context of {spec.type}. Please make the "
                "context json dump-able, or register to_dumpable_context."
            ) from error
    children = [_dump(child) for child in spec.children()]
    return {"type": written.name, "context": text, "children_spec": children}


def _load(data: dict[str, Any]) -> TreeSpec:
    if data["type"] is None:
        return TreeSpec(None, None, [])
    cls = CLASS_OF_NAME.get(data["type"])
    if cls is None:
        raise NotImplementedError(
            f"treespec_loads: Deserializing {data['type']} in pytree is not registered."
        )
    load_context = WRITTEN[cls].load_context
    context = (
        json.loads(data["context"], object_hook=_as_enum)
        if load_context is None
        else load_context(data["context"])
    )
    return TreeSpec(cls, context, [_load(child) for child in data["children_spec"]])


def _dump_named_tuple(cls: type) -> str:
    written = WRITTEN.get(cls)
    if written is None or written.name is None:
        raise NotImplementedError(
            f"treespec_dumps: Can't serialize TreeSpec of namedtuple class {cls} because we didn't "
            "register a serializated_type_name. Please register using `_register_namedtuple`."
        )
    return written.name


def _load_named_tuple(name: str) -> type:
    if name not in CLASS_OF_NAME:
        raise NotImplementedError(
            f"treespec_loads: Can't deserialize TreeSpec of namedtuple class {name} because we "
            "couldn't find a serializated name."
        )
    return CLASS_OF_NAME[name]


def _dump_default_dict(context: list[Any]) -> dict[str, Any]:
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def _load_default_dict(data: dict[str, Any]) -> list[Any]:
    module = importlib.import_module(data["default_factory_module"])
    return [getattr(module, data["default_factory_name"]), data["dict_context"]]


name_class(tuple, "builtins.tuple")
name_class(list, "builtins.list")
name_class(dict, "builtins.dict")
name_class(OrderedDict, "collections.OrderedDict")
name_class(namedtuple, "collections.namedtuple", _dump_named_tuple, _load_named_tuple)
name_class(defaultdict, "collections.defaultdict", _dump_default_dict, _load_default_dict)
