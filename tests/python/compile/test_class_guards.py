"""What a compiled function reads of classes, changed between calls: special methods, metaclasses.

The cases are those of test_read_guards: a function, and changes of what it reads. A class that a
case changes is made in the case.
"""

import abc
import collections
import functools
import gc
import itertools
import types
import weakref

import numpy as np
import opwright as ow
import pytest

from .test_read_guards import assert_torch_agrees, results_of


def make_class(**members):
    def initialize(self, value=2.0):
        self.value = value

    return type("Sample", (), {"__init__": initialize, "rate": 1.5, **members})


def replaced(cls, name, value):
    return lambda: setattr(cls, name, value)


def class_attribute_of_a_new_object(lib):
    cls = make_class()
    return lambda x: x * cls().rate, [replaced(cls, "rate", 4.0)]


def method_of_a_new_object(lib):
    cls = make_class(total=lambda self: self.value + 1)
    return lambda x: x * cls().total(), [replaced(cls, "total", lambda self: 9.0)]


def base_of_a_new_class(lib):
    cls = make_class()

    def f(x):
        class Derived(cls):
            pass

        return x * Derived.rate + Derived().rate

    return f, [replaced(cls, "rate", 5.0)]


def constructor(lib):
    cls = make_class()

    def other(self):
        self.value = 100.0

    return lambda x: x * cls().value, [replaced(cls, "__init__", other)]


def equality(lib):
    cls = make_class()
    a, b = cls(), cls()
    return lambda x: x * 2 if a == b else x, [
        replaced(cls, "__eq__", lambda self, other: self.value == other.value),
        replaced(cls, "__eq__", lambda self, other: False),
    ]


def length(lib):
    cls = make_class(__len__=lambda self: 3)
    sized = cls()
    return lambda x: x * len(sized), [replaced(cls, "__len__", lambda self: 7)]


def truth(lib):
    cls = make_class()
    flag = cls()
    return lambda x: x * 2 if flag else x, [replaced(cls, "__bool__", lambda self: False)]


def iteration(lib):
    cls = make_class(__iter__=lambda self: iter([1.0, 2.0]))
    values = cls()
    return lambda x: x + sum(value for value in values), [
        replaced(cls, "__iter__", lambda self: iter([7.0]))
    ]


def subscript(lib):
    cls = make_class(__getitem__=lambda self, i: i + 1.0)
    table = cls()
    return lambda x: x + table[3], [replaced(cls, "__getitem__", lambda self, i: i * 10.0)]


def subscript_of_a_list(lib):
    cls = type("Doubled", (list,), {})
    values = cls([1.0])
    return lambda x: x * values[0], [
        lambda: values.__setitem__(0, 4.0),
        replaced(cls, "__getitem__", lambda self, i: 50.0),
    ]


def missing_key(lib):
    cls = type("Table", (dict,), {"__missing__": lambda self, key: 2.0})
    table = cls()
    return lambda x: x * table["a"], [
        replaced(cls, "__missing__", lambda self, key: 5.0),
        lambda: table.update(a=7.0),
    ]


def binary_operator(lib):
    cls = make_class(__add__=lambda self, other: self.value + other)
    number = cls()
    return lambda x: x * (number + 3), [replaced(cls, "__add__", lambda self, other: other * 10.0)]


def unary_operator(lib):
    cls = make_class(__neg__=lambda self: -self.value)
    number = cls()
    return lambda x: x * (-number), [replaced(cls, "__neg__", lambda self: 10.0)]


def conversion(lib):
    cls = make_class(__float__=lambda self: self.value)
    number = cls()
    return lambda x: x * float(number), [replaced(cls, "__float__", lambda self: 10.0)]


def context_manager(lib):
    cls = make_class(__enter__=lambda self: 2.0, __exit__=lambda self, *error: None)
    manager = cls()

    def f(x):
        with manager as value:
            return x * value

    return f, [replaced(cls, "__enter__", lambda self: 10.0)]


def membership(lib):
    cls = make_class(__contains__=lambda self, key: key == 1)
    keys = cls()
    return lambda x: x * 2 if 3 in keys else x, [
        replaced(cls, "__contains__", lambda self, key: True)
    ]


def text(lib):
    cls = make_class(__str__=lambda self: "ab")
    named = cls()
    return lambda x: x * len(f"{named}"), [replaced(cls, "__str__", lambda self: "abcdef")]


def order_of_elements(lib):
    cls = make_class(__lt__=lambda self, other: self.value < other.value)
    values = [cls(2.0), cls(1.0)]
    return lambda x: x * sorted(values)[0].value, [
        replaced(cls, "__lt__", lambda self, other: self.value > other.value),
        lambda: setattr(values[1], "value", 9.0),
    ]


def missing_attribute(lib):
    cls = make_class()
    options = cls()
    return lambda x: x * getattr(options, "other", 1.0), [
        replaced(cls, "__getattr__", lambda self, name: 5.0)
    ]


def every_attribute(lib):
    cls = make_class()
    options = cls()
    return lambda x: x * options.value, [replaced(cls, "__getattribute__", lambda self, name: 5.0)]


def descriptor(lib):
    read = type("Read", (), {"__get__": lambda self, owner, cls: 2.0})
    options = make_class(level=read())()
    return lambda x: x * options.level, [replaced(read, "__get__", lambda self, owner, cls: 5.0)]


def callable_object(lib):
    cls = make_class(__call__=lambda self, x: x * self.value)
    step = cls()
    return step, [
        lambda: setattr(step, "value", 5.0),
        replaced(cls, "__call__", lambda self, x: x * 77),
    ]


def attribute_of_a_metaclass(lib):
    class Meta(type):
        level = 2.0

    class Sample(metaclass=Meta):
        pass

    return lambda x: x * Sample.level, [
        replaced(Meta, "level", 5.0),
        replaced(Sample, "level", 6.0),
    ]


def property_of_a_metaclass(lib):
    class Meta(type):
        @property
        def level(cls):
            return cls.own

    class Sample(metaclass=Meta):
        own = 2.0

    return lambda x: x * Sample.level, [
        replaced(Sample, "own", 5.0),
        replaced(Meta, "level", property(lambda cls: 9.0)),
    ]


def call_of_a_metaclass(lib):
    class Meta(type):
        def __call__(cls):
            return 2.0

    class Sample(metaclass=Meta):
        pass

    return lambda x: x * Sample(), [replaced(Meta, "__call__", lambda cls: 9.0)]


def name_of_a_class(lib):
    cls = make_class()
    sample = cls()
    return lambda x: x * len(type(sample).__name__) + len(cls.__qualname__), [
        replaced(cls, "__name__", "AnotherName"),
        replaced(cls, "__qualname__", "Inner.AnotherName"),
    ]


def dict_of_a_class(lib):
    cls = make_class()
    return lambda x: x * cls.__dict__["rate"] + vars(cls)["rate"], [replaced(cls, "rate", 4.0)]


def dict_of_an_object(lib):
    sample = make_class()()
    return lambda x: x * sample.__dict__["value"] + sample.__dict__.get("other", 0.0), [
        lambda: setattr(sample, "value", 4.0),
        lambda: setattr(sample, "other", 4.0),
        lambda: setattr(sample, "__dict__", {"value": 8.0}),
    ]


def bases_of_a_class(lib):
    first, second = make_class(), make_class(rate=5.0)
    cls = type("Derived", (first,), {})
    sample = cls()
    return lambda x: x * sample.rate + isinstance(sample, first) + len(cls.__mro__), [
        replaced(cls, "__bases__", (second,))
    ]


def class_of_an_object(lib):
    first, second = make_class(), make_class(rate=5.0)
    sample = first()
    return lambda x: x * 2 if isinstance(sample, first) else x, [
        lambda: setattr(sample, "__class__", second)
    ]


def registered_class(lib):
    protocol = abc.ABCMeta("Protocol", (), {})
    first, second = make_class(), make_class()
    sample = first()
    return lambda x: x + isinstance(sample, protocol) + 2 * issubclass(second, protocol), [
        lambda: protocol.register(first),
        lambda: protocol.register(second),
    ]


def function_of_a_type(lib):
    cls = make_class()
    sample = cls()

    @functools.singledispatch
    def scale(value):
        return 1.0

    return lambda x: x * scale(sample), [lambda: scale.register(cls, lambda value: 5.0)]


def positional_patterns(lib):
    cls = make_class(__match_args__=("value", "other"))
    sample = cls()
    sample.other = 3.0

    def f(x):
        match sample:
            case cls(first):
                return x * first
        return x

    return f, [
        lambda: setattr(sample, "value", 4.0),
        replaced(cls, "__match_args__", ("other", "value")),
    ]


def names_and_defaults_of_a_function(lib):
    def step(a=2.0, *, b=1.0):
        """Read by the function."""

    return lambda x: x * step.__defaults__[0] + step.__kwdefaults__["b"] + len(step.__name__), [
        lambda: setattr(step, "__defaults__", (5.0,)),
        lambda: step.__kwdefaults__.update(b=6.0),
        lambda: setattr(step, "__kwdefaults__", {"b": 7.0}),
        lambda: setattr(step, "__name__", "another_step"),
    ]


def attribute_of_a_dict(lib):
    config = type("Config", (dict,), {"__getattr__": dict.__getitem__})(scale=1.0)
    return lambda x: x * config.scale, [lambda: config.__setitem__("scale", 4.0)]


def factory_of_a_dict(lib):
    table = collections.defaultdict(lambda: 3.0)

    def f(x):
        result = x * table["a"]
        del table["a"]
        return result

    return f, [lambda: setattr(table, "default_factory", lambda: 9.0)]


def attribute_of_a_module_by_function(lib):
    module = types.ModuleType("lazy_names_of_a_test")
    table = {"scale": 1.0}
    module.__getattr__ = lambda name: table[name]
    return lambda x: x * module.scale, [
        lambda: table.update(scale=5.0),
        lambda: setattr(module, "__getattr__", lambda name: 8.0),
    ]


def class_of_a_module(lib):
    class Model(lib.nn.Module):
        def forward(self, x):
            return x * 2

    model = Model()
    whole = lib.nn.Sequential(model)
    return lambda x: model(x) + whole(x), [replaced(Model, "forward", lambda self, x: x * 9)]


def make_checked():
    """Return a metaclass and a class of it, which no value is an instance of yet."""
    meta = type("Meta", (type,), {})
    return meta, meta("Checked", (), {})


def instance_of_a_tuple_of_classes(lib):
    meta, checked = make_checked()
    kinds = (str, (bytes, checked))
    return lambda x: x * 2 if isinstance(3, kinds) else x, [
        replaced(meta, "__instancecheck__", lambda self, value: True),
        replaced(meta, "__instancecheck__", lambda self, value: False),
    ]


def instance_of_a_union(lib):
    meta, checked = make_checked()
    kinds = str | checked
    return lambda x: x * 2 if isinstance(3, kinds) else x, [
        replaced(meta, "__instancecheck__", lambda self, value: True),
        replaced(meta, "__instancecheck__", lambda self, value: False),
    ]


def subclass_of_a_tuple_of_classes(lib):
    meta, checked = make_checked()
    return lambda x: x * 2 if issubclass(int, (str, checked)) else x, [
        replaced(meta, "__subclasscheck__", lambda self, value: True),
        replaced(meta, "__subclasscheck__", lambda self, value: False),
    ]


def class_of_a_pattern(lib):
    meta, checked = make_checked()

    def f(x):
        match 3:
            case checked():
                return x * 2
        return x

    return f, [
        replaced(meta, "__instancecheck__", lambda self, value: True),
        replaced(meta, "__instancecheck__", lambda self, value: False),
    ]


def conversion_to_an_array(lib):
    cls = make_class(__array__=lambda self, dtype=None, copy=None: np.array([self.value]))
    sample = cls()
    return lambda x: x * float(np.asarray(sample)[0]), [
        replaced(cls, "__array__", lambda self, dtype=None, copy=None: np.array([7.0]))
    ]


def function_of_arrays(lib):
    cls = make_class(__array_ufunc__=lambda self, ufunc, method, *inputs: 2.0)
    sample = cls()
    return lambda x: x * np.negative(sample), [
        replaced(cls, "__array_ufunc__", lambda self, ufunc, method, *inputs: 7.0)
    ]


def dispatch_of_arrays(lib):
    cls = make_class(__array_function__=lambda self, function, types, args, kwargs: 2.0)
    sample = cls()
    return lambda x: x * np.concatenate([sample]), [
        replaced(cls, "__array_function__", lambda self, function, types, args, kwargs: 7.0)
    ]


CASES = [
    class_attribute_of_a_new_object,
    method_of_a_new_object,
    base_of_a_new_class,
    constructor,
    equality,
    length,
    truth,
    iteration,
    subscript,
    subscript_of_a_list,
    missing_key,
    binary_operator,
    unary_operator,
    conversion,
    context_manager,
    membership,
    text,
    order_of_elements,
    missing_attribute,
    every_attribute,
    descriptor,
    callable_object,
    attribute_of_a_metaclass,
    property_of_a_metaclass,
    call_of_a_metaclass,
    name_of_a_class,
    dict_of_a_class,
    dict_of_an_object,
    bases_of_a_class,
    class_of_an_object,
    registered_class,
    function_of_a_type,
    positional_patterns,
    names_and_defaults_of_a_function,
    attribute_of_a_dict,
    factory_of_a_dict,
    attribute_of_a_module_by_function,
    class_of_a_module,
    instance_of_a_tuple_of_classes,
    instance_of_a_union,
    subclass_of_a_tuple_of_classes,
    class_of_a_pattern,
    conversion_to_an_array,
    function_of_arrays,
    dispatch_of_arrays,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_change_of_a_class_is_noticed(case):
    pairs, compiled = results_of(ow, lambda f: ow.compile(f, fullgraph=True), case)

    assert [actual for _, actual in pairs] == [expected for expected, _ in pairs]
    assert compiled.num_compiles >= 2


@pytest.mark.parametrize("base", [list, set, collections.deque])
def test_a_container_is_read_without_its_own_iteration(base):
    endless = type("Endless", (base,), {"__iter__": lambda self: itertools.count()})([1, 2])

    f = ow.compile(lambda x: x * len(endless), fullgraph=True)

    assert f(ow.ones(1)).item() == 2.0
    assert f(ow.ones(1)).item() == 2.0
    assert f.num_compiles == 1


def test_a_class_that_holds_what_was_compiled_for_it_is_freed():
    def make():
        cls = make_class(__len__=lambda self: 3)
        sized = cls()
        cls.scale = staticmethod(ow.compile(lambda x: x * len(sized), fullgraph=True))
        assert cls.scale(ow.ones(1)).item() == 3.0
        return weakref.ref(cls)

    gone = make()
    gc.collect()

    assert gone() is None


# torch.compile does not notice these.
BEYOND_TORCH = [
    method_of_a_new_object,
    constructor,
    length,
    truth,
    iteration,
    subscript,
    subscript_of_a_list,
    missing_key,
    binary_operator,
    unary_operator,
    conversion,
    every_attribute,
    descriptor,
    attribute_of_a_metaclass,
    dict_of_an_object,
    registered_class,
    class_of_a_module,
]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case not in BEYOND_TORCH], ids=lambda case: case.__name__
)
def test_torch_compile_agrees(case):
    assert_torch_agrees(case)
