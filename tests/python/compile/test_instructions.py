"""Every form of Python's syntax that reads state is observed, in each version of CPython.

Each case builds a function and changes of what it reads; the compiled function must give what the
function itself gives, after every change.
"""

import dataclasses
from collections.abc import Callable

import opwright as ow
import pytest

SCALES = {"a": 2.0}


def slice_of_a_list():
    items = [1.0, 2.0, 3.0]
    return lambda x: x + sum(items[1:]), [
        lambda: items.append(4.0),
        lambda: items.__setitem__(1, 7),
    ]


def slice_with_a_step():
    items = [1.0, 2.0, 3.0]
    return lambda x: x + sum(items[::2]), [lambda: items.__setitem__(2, 7.0)]


def unpacked_list():
    items = [1.0, 2.0, 3.0]

    def f(x):
        first, *rest = items
        return x * first + sum(rest)

    return f, [lambda: items.__setitem__(0, 5.0), lambda: items.append(2.0)]


def comprehension():
    items = [1.0, 2.0]
    factor = [3.0]
    return lambda x: x + sum([item * factor[0] for item in items]), [
        lambda: items.append(4.0),
        lambda: factor.__setitem__(0, 5.0),
    ]


def generator():
    items = [1.0, 2.0]

    def pairs():
        yield from items
        yield len(items)

    return lambda x: x + sum(pairs()), [lambda: items.append(4.0)]


def loop_with_break_and_else():
    limits = [2, 4]

    def f(x):
        for i in range(limits[1]):
            if i == limits[0]:
                break
            x = x + i
        else:
            x = x * 10
        return x

    return f, [lambda: limits.__setitem__(0, 3), lambda: limits.__setitem__(0, 9)]


def caught_exception():
    table = {"a": 1.0}

    def f(x):
        try:
            return x * table["b"]
        except KeyError:
            return x - table["a"]
        finally:
            x = x + 1

    return f, [lambda: table.update(a=3.0), lambda: table.update(b=4.0)]


def context_manager():
    state = {"depth": 1.0}

    class Scope:
        def __enter__(self):
            return state["depth"]

        def __exit__(self, *raised):
            return None

    def f(x):
        with Scope() as depth:
            return x * depth

    return f, [lambda: state.update(depth=4.0)]


def formatted_text():
    key = ["a"]
    table = {"['a']": 2.0, "['b']": 3.0}
    return lambda x: x * table[f"{key}"], [lambda: key.__setitem__(0, "b")]


def formatted_text_with_a_conversion():
    key = ["a"]
    table = {"  ['a']": 2.0, "  ['b']": 3.0}
    return lambda x: x * table[f"{key!r:>7}"], [lambda: key.__setitem__(0, "b")]


def truth_of_a_list():
    items = []
    return lambda x: x * 2 if not items else x + 1, [lambda: items.append(1), items.clear]


def both_truths():
    left, right = [], [1]
    return lambda x: x * 2 if left and right else x + len(left or right), [
        lambda: left.append(1),
        right.clear,
    ]


def membership():
    names = ["a"]
    return lambda x: x * 2 if "b" in names else x, [lambda: names.append("b")]


def comparison_of_lists():
    left, right = [1], [1]
    return lambda x: x * 2 if left == right else x, [lambda: right.append(2)]


def call_with_keywords():
    options = [1.0, 2.0]

    def scaled(x, *, scale, shift):
        return x * scale + shift

    return lambda x: scaled(x, shift=options[0], scale=options[1]), [
        lambda: options.__setitem__(1, 5.0)
    ]


def call_with_a_tuple_and_a_dict():
    args, options = [1.0], {"scale": 2.0}

    def scaled(x, shift, scale):
        return x * scale + shift

    return lambda x: scaled(x, *args, **options), [
        lambda: args.__setitem__(0, 3.0),
        lambda: options.update(scale=5.0),
    ]


def built_in_with_keywords():
    items = [3.0, 1.0]
    return lambda x: x + sorted(items, key=lambda item: -item, reverse=True)[0], [
        lambda: items.append(0.5)
    ]


def method_of_an_instance():
    class Scale:
        def __init__(self):
            self.value = 2.0

        def apply(self, x):
            return x * self.value

    scale = Scale()
    return lambda x: scale.apply(x), [
        lambda: setattr(scale, "value", 3.0),
        lambda: setattr(scale, "apply", lambda x: x - 1),
        lambda: delattr(scale, "apply"),
        lambda: setattr(Scale, "apply", lambda self, x: x + self.value),
    ]


def super_class():
    class Base:
        def apply(self, x):
            return x * 2

    class Derived(Base):
        def apply(self, x):
            return super().apply(x) + 1

    derived = Derived()
    return lambda x: derived.apply(x), [lambda: setattr(Base, "apply", lambda self, x: x * 5)]


def super_class_in_a_class_method():
    class Base:
        factor = 2.0

        @classmethod
        def scale(cls):
            return cls.factor

    class Derived(Base):
        @classmethod
        def scale(cls):
            return super().scale() + super().factor

    return lambda x: x * Derived.scale(), [
        lambda: setattr(Base, "factor", 3.0),
        lambda: setattr(Base, "scale", classmethod(lambda cls: 7.0)),
    ]


def class_pattern():
    @dataclasses.dataclass
    class Point:
        x: float
        y: float

    point = Point(1.0, 2.0)

    def f(x):
        match point:
            case Point(x=1.0, y=y):
                return x * y
            case Point(first, second):
                return x + first + second

    return f, [lambda: setattr(point, "y", 5.0), lambda: setattr(point, "x", 3.0)]


def mapping_pattern():
    config = {"kind": "scale", "by": 2.0}

    def f(x):
        match config:
            case {"kind": "scale", "by": by}:
                return x * by
            case {"kind": "shift", **rest}:
                return x + rest["by"]

    return f, [lambda: config.update(by=3.0), lambda: config.update(kind="shift")]


def sequence_pattern():
    items = [1.0, 2.0]

    def f(x):
        match items:
            case [first, second]:
                return x * first + second
            case [first, *_]:
                return x - first

    return f, [lambda: items.__setitem__(1, 4.0), lambda: items.append(1.0)]


def class_body():
    outer = [2.0]

    def f(x):
        scale = outer[0]

        class Local:
            by = scale
            kind = SCALES["a"]

        return x * Local.by + Local.kind

    return f, [lambda: outer.__setitem__(0, 5.0), lambda: SCALES.update(a=SCALES["a"] + 1)]


def two_locals_at_once():
    pair = ([1.0], [2.0])

    def f(x):
        left, right = pair
        both = left + right
        return x + sum(both)

    return f, [lambda: pair[0].append(3.0), lambda: pair[1].append(4.0)]


def many_names():
    """More than 255 names and constants: arguments that are extended."""
    lines = [f"    x = x + state.n{i} * {i + 0.5}" for i in range(300)]
    lines.append(f"    return x + max(0.0, {', '.join(f'state.n{i}' for i in range(290))})")
    scope = {}
    exec("\n".join(["def f(x, state):", *lines]), scope)

    class State:
        pass

    state = State()
    for i in range(300):
        setattr(state, f"n{i}", 1.0)
    function = scope["f"]
    return lambda x: function(x, state), [lambda: setattr(state, "n280", 400.0)]


CASES = [
    slice_of_a_list,
    slice_with_a_step,
    unpacked_list,
    comprehension,
    generator,
    loop_with_break_and_else,
    caught_exception,
    context_manager,
    formatted_text,
    formatted_text_with_a_conversion,
    truth_of_a_list,
    both_truths,
    membership,
    comparison_of_lists,
    call_with_keywords,
    call_with_a_tuple_and_a_dict,
    built_in_with_keywords,
    method_of_an_instance,
    super_class,
    super_class_in_a_class_method,
    class_pattern,
    mapping_pattern,
    sequence_pattern,
    class_body,
    two_locals_at_once,
    many_names,
]


@pytest.mark.parametrize("case", CASES)
def test_a_compiled_function_observes_what_the_syntax_reads(case: Callable) -> None:
    function, changes = case()
    compiled = ow.compile(function, fullgraph=True)
    x = ow.arange(3.0)
    assert compiled(x).tolist() == function(x).tolist()
    for change in changes:
        change()
        assert compiled(x).tolist() == function(x).tolist()
    assert compiled(x).tolist() == function(x).tolist()
