"""State that C functions read for a compiled function: it is guarded, or ends the graph.

The cases are those of test_read_guards: a function, and changes of what it reads.
"""

import collections
import ctypes
import decimal
import functools
import operator
import os
import sys
import tempfile
import threading
import types
import warnings
import weakref

import numpy as np
import opwright as ow
import pytest

from .test_read_guards import assert_torch_agrees, results_of


class Node:
    rate = 1.5

    def __init__(self, value):
        self.value = value

    def total(self):
        return self.value + 1


def scaled(x, by=1.0):
    return x * by


def keywords_of_a_partial(lib):
    step = functools.partial(scaled, by=2.0)
    return lambda x: step(x) + sum(map(step, [1.0, 2.0])), [
        lambda: step.keywords.update(by=5.0),
        lambda: step.__setstate__((scaled, (), {"by": 7.0}, {})),
    ]


def partial_itself(lib):
    step = functools.partial(scaled, by=2.0)
    return step, [lambda: step.keywords.update(by=5.0)]


def getters(lib):
    node = Node(1.0)
    node.child = Node(2.0)
    path, rate = operator.attrgetter("child.value"), operator.attrgetter("rate")
    return lambda x: x * path(node) + rate(node), [
        lambda: setattr(node.child, "value", 5.0),
        lambda: setattr(node, "rate", 7.0),
        lambda: setattr(node, "child", Node(9.0)),
    ]


def method_caller(lib):
    node = Node(1.0)
    total = operator.methodcaller("total")
    return lambda x: x * total(node), [
        lambda: setattr(node, "value", 5.0),
        lambda: setattr(node, "total", lambda: 9.0),
    ]


def properties_in_c(lib):
    cls = type("Box", (), {"size": property(operator.attrgetter("value"))})
    box = cls()
    box.value = 2.0
    return lambda x: x * box.size, [lambda: setattr(box, "value", 5.0)]


def properties_with_a_cache(lib):
    cls = type("Box", (), {"size": property(functools.lru_cache(lambda self: self.value))})
    box = cls()
    box.value = 2.0
    return lambda x: x * box.size, [
        lambda: setattr(box, "value", 5.0),
        lambda: cls.size.fget.cache_clear(),
    ]


def special_methods_with_a_cache(lib):
    cls = type("Box", (), {"__len__": functools.lru_cache(lambda self: self.value)})
    box = cls()
    box.value = 2
    return lambda x: x * len(box), [
        lambda: (setattr(box, "value", 5), cls.__len__.cache_clear()),
    ]


def list_of_indices(lib):
    indices = [0, 0]
    return lambda x: (x * lib.tensor([2.0, 3.0, 5.0]))[indices].sum(), [
        lambda: indices.__setitem__(1, 2)
    ]


def getters_that_are_passed_on(lib):
    nodes = [Node(1.0), Node(2.0)]
    return lambda x: x * sum(map(operator.attrgetter("value"), nodes)), [
        lambda: setattr(nodes[0], "value", 5.0)
    ]


def keys_of_an_order(lib):
    nodes = [Node(1.0), Node(2.0)]
    return lambda x: x * max(nodes, key=operator.attrgetter("value")).value, [
        lambda: setattr(nodes[0], "value", 5.0)
    ]


def path_by_getattr(lib):
    node = Node(1.0)
    node.child = Node(2.0)
    return lambda x: x * functools.reduce(getattr, ["child", "value"], node), [
        lambda: setattr(node.child, "value", 5.0)
    ]


def methods_that_are_passed_on(lib):
    values = [1, 2]
    return lambda x: x * sum(map(values.__contains__, [1, 3])), [lambda: values.append(3)]


def attributes_that_are_passed_on(lib):
    node = Node(1.0)
    return lambda x: x * sum(map(node.__getattribute__, ["value"])), [
        lambda: setattr(node, "value", 5.0)
    ]


def slot_by_its_descriptor(lib):
    cls = type("Slotted", (), {"__slots__": ("value",)})
    slotted = cls()
    slotted.value = 2.0
    return lambda x: x * cls.value.__get__(slotted), [lambda: setattr(slotted, "value", 3.0)]


def cache_that_is_passed_on(lib):
    table = [1.0]
    cached = functools.lru_cache(lambda n: n * table[0])
    return lambda x: x * sum(map(cached, [2])), [
        lambda: (table.__setitem__(0, 4.0), cached.cache_clear())
    ]


def size_of_a_cache(lib):
    cached = functools.lru_cache(lambda n: n)
    return lambda x: x * cached.cache_info().currsize, [lambda: cached(1), lambda: cached(2)]


def text_with_attributes(lib):
    node, template = Node(1.0), "{0.value}"
    return lambda x: x * len(template.format(node)), [lambda: setattr(node, "value", 12345.0)]


def text_of_a_namespace(lib):
    names = types.SimpleNamespace(a=1, inner=[1])
    return lambda x: x * len(repr(names)) + len(f"{names}"), [
        lambda: setattr(names, "a", 100000),
        lambda: names.inner.append(2),
    ]


def equal_namespaces(lib):
    a, b = types.SimpleNamespace(a=1, inner=[1]), types.SimpleNamespace(a=1, inner=[1])
    return lambda x: x * 2 if a == b else x, [lambda: b.inner.append(2), lambda: b.inner.pop()]


def arguments_of_an_exception(lib):
    error = ValueError("a")
    return lambda x: x * len(str(error)) + len(error.args[0]), [
        lambda: setattr(error, "args", ("abcdef",))
    ]


def shape_of_an_array(lib):
    array = np.zeros((2, 3))
    return lambda x: x * array.shape[0], [lambda: setattr(array, "shape", (3, 2))]


def views_of_an_array(lib):
    array = np.ones((2, 3))
    return lambda x: x * float(array.T[0, 0]) + float((-array)[0, 0]), [
        lambda: array.__setitem__((0, 0), 5.0)
    ]


def structure(lib):
    cls = type("Pair", (ctypes.Structure,), {"_fields_": [("value", ctypes.c_double)]})
    pair, number = cls(2.0), ctypes.c_double(2.0)
    return lambda x: x * pair.value + number.value, [
        lambda: setattr(pair, "value", 5.0),
        lambda: setattr(number, "value", 6.0),
    ]


def state_of_a_thread(lib):
    state = threading.local()
    state.value = 2.0
    return lambda x: x * state.value, [lambda: setattr(state, "value", 5.0)]


def lock(lib):
    held = threading.Lock()
    return lambda x: x * 2 if held.locked() else x, [held.acquire, held.release]


def decimal_context(lib):
    one, three = decimal.Decimal(1), decimal.Decimal(3)
    context = decimal.getcontext()
    return lambda x: x * len(str(one / three)), [
        lambda: setattr(context, "prec", 5),
        lambda: setattr(context, "prec", 28),
    ]


def weak_proxy(lib):
    node = Node(2.0)
    proxy = weakref.proxy(node)
    return lambda x: x * proxy.value, [lambda: setattr(node, "value", 5.0)]


def weak_reference(lib):
    held = [Node(2.0)]
    reference = weakref.ref(held[0])
    return lambda x: x * 2 if reference() is not None else x, [held.clear]


def weak_values(lib):
    held = [Node(2.0)]
    table = weakref.WeakValueDictionary(a=held[0])
    return lambda x: x * (table["a"].value if "a" in table else 1.0), [
        lambda: setattr(held[0], "value", 3.0),
        held.clear,
    ]


def subclasses(lib):
    cls, held = type("Base", (), {}), []
    return lambda x: x * len(cls.__subclasses__()), [
        lambda: held.append(type("Derived", (cls,), {}))
    ]


def names_of_an_object(lib):
    node = Node(2.0)
    return lambda x: x * len(dir(node)), [lambda: setattr(node, "other", 1)]


def imported_module(lib):
    def add_module(rate):
        sys.modules["module_of_a_test"] = module = types.ModuleType("module_of_a_test")
        module.rate = rate

    def f(x):
        import module_of_a_test

        return x * module_of_a_test.rate

    add_module(2.0)
    return f, [
        lambda: setattr(sys.modules["module_of_a_test"], "rate", 5.0),
        lambda: add_module(9.0),
    ]


def function_of_the_package(lib):
    relu = lib.relu
    return lambda x: lib.relu(x), [
        lambda: setattr(lib, "relu", lambda x: x * 50),
        lambda: setattr(lib, "relu", relu),
    ]


def seed(lib):
    return lambda x: x * (lib.initial_seed() % 1000), [
        lambda: lib.manual_seed(3),
        lambda: lib.manual_seed(5),
    ]


def make_path():
    return os.path.join(tempfile.mkdtemp(), "values.npy")


def file_of_numbers(lib):
    path = make_path()
    np.array([2.0]).tofile(path)
    return lambda x: x * float(np.fromfile(path)[0]), [lambda: np.array([5.0]).tofile(path)]


def file_of_an_array(lib):
    path = make_path()
    np.save(path, np.array([2.0]))
    return lambda x: x * float(np.load(path)[0]), [lambda: np.save(path, np.array([5.0]))]


def file_in_memory(lib):
    path = make_path()
    np.array([2.0]).tofile(path)
    return lambda x: x * float(np.memmap(path, mode="r")[6]), [lambda: np.array([5.0]).tofile(path)]


def file_of_text(lib):
    path = make_path()
    np.savetxt(path, np.array([2.0]))
    return lambda x: x * float(np.loadtxt(path)), [lambda: np.savetxt(path, np.array([5.0]))]


def errors_of_numpy(lib):
    return lambda x: x * (2 if np.geterr()["divide"] == "warn" else 3), [
        lambda: np.seterr(divide="ignore"),
        lambda: np.seterr(divide="warn"),
    ]


def buffer_of_numpy(lib):
    return lambda x: x * np.getbufsize(), [
        lambda: np.setbufsize(16384),
        lambda: np.setbufsize(8192),
    ]


def print_options_of_numpy(lib):
    return lambda x: x * np.get_printoptions()["precision"], [
        lambda: np.set_printoptions(precision=3),
        lambda: np.set_printoptions(precision=8),
    ]


def name_that_is_no_text(lib):
    node, name = Node(1.0), "\udc80"
    return lambda x: x * getattr(node, name, 2.0), [lambda: setattr(node, name, 5.0)]


def class_of_named_tuples(lib):
    names = ["first", "second"]

    def scale(x):
        return collections.namedtuple("Pair", names)(x, x * 2).first * 3

    return scale, [names.reverse]


CASES = [
    keywords_of_a_partial,
    partial_itself,
    getters,
    method_caller,
    properties_in_c,
    properties_with_a_cache,
    special_methods_with_a_cache,
    list_of_indices,
    getters_that_are_passed_on,
    keys_of_an_order,
    path_by_getattr,
    methods_that_are_passed_on,
    attributes_that_are_passed_on,
    slot_by_its_descriptor,
    cache_that_is_passed_on,
    size_of_a_cache,
    text_with_attributes,
    text_of_a_namespace,
    equal_namespaces,
    arguments_of_an_exception,
    shape_of_an_array,
    views_of_an_array,
    structure,
    state_of_a_thread,
    lock,
    decimal_context,
    weak_proxy,
    weak_reference,
    weak_values,
    subclasses,
    names_of_an_object,
    imported_module,
    function_of_the_package,
    seed,
    file_of_numbers,
    file_of_an_array,
    file_in_memory,
    file_of_text,
    errors_of_numpy,
    buffer_of_numpy,
    print_options_of_numpy,
    name_that_is_no_text,
    class_of_named_tuples,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_no_answer_is_stale(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # graph breaks
        pairs, _ = results_of(ow, ow.compile, case)

    assert [actual for _, actual in pairs] == [expected for expected, _ in pairs]


GUARDED = [
    keywords_of_a_partial,
    partial_itself,
    getters,
    method_caller,
    properties_in_c,
    properties_with_a_cache,
    list_of_indices,
    methods_that_are_passed_on,
    slot_by_its_descriptor,
    text_of_a_namespace,
    equal_namespaces,
    arguments_of_an_exception,
    shape_of_an_array,
    views_of_an_array,
    imported_module,
    function_of_the_package,
    class_of_named_tuples,
]


@pytest.mark.parametrize("case", GUARDED, ids=lambda case: case.__name__)
def test_what_can_be_guarded_stays_one_graph(case):
    pairs, compiled = results_of(ow, lambda f: ow.compile(f, fullgraph=True), case)

    assert [actual for _, actual in pairs] == [expected for expected, _ in pairs]
    assert compiled.num_compiles >= 2


@pytest.mark.parametrize(
    "read",
    [
        lambda: np.datetime64("now"),
        lambda: np.datetime64("Today", "D"),
        lambda: np.array("now", dtype="M8[s]"),
        lambda: np.asarray(["today"], dtype="M8[D]"),
    ],
)
def test_the_time_of_numpy_is_no_constant(read):
    compiled = ow.compile(lambda x: x * 2 if read() is not None else x, fullgraph=True)

    with pytest.raises(ow.GraphBreakError, match="numpy that reads the time"):
        compiled(ow.ones(1))


@pytest.mark.filterwarnings("ignore")
def test_an_array_is_written_in_every_call(tmp_path):
    path, array = tmp_path / "values", np.ones(2)

    @ow.compile
    def f(x):
        array.tofile(path)
        return x * 2

    for _ in range(3):
        f(ow.ones(1))
        assert path.stat().st_size == 16
        path.unlink()


# torch.compile does not notice these, and cannot name the last.
BEYOND_TORCH = [imported_module, properties_with_a_cache, name_that_is_no_text]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case not in BEYOND_TORCH], ids=lambda case: case.__name__
)
def test_torch_compile_agrees(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_torch_agrees(case)
