"""Random Python functions that read state of many kinds, and changes of that state.

A program is the text of a file: declarations of state, helpers, a function `f(x)`, and functions
`change_0`, `change_1`, ... that change the state in place or by assignment. Executed twice, it
makes two equal worlds: in one the function runs as it is, in the other it is compiled.
"""

import contextlib
import random
import textwrap
import warnings
from dataclasses import dataclass, field
from types import SimpleNamespace

import opwright as ow

# What a change may raise after other changes: pop from an empty list, a replaced function.
REFUSED_CHANGES = (AttributeError, IndexError, KeyError, TypeError, ValueError)

PRELUDE = """
import abc, collections, dataclasses, functools, operator, types, weakref
import opwright as ow

class Node:
    rate = 1.5
    def __init__(self, value):
        self.value = value
        self.items = [value]
        self.count = 0.0
    @property
    def twice(self):
        return self.value * 2
    def total(self):
        return sum(self.items) + self.rate

class Slotted:
    __slots__ = ("value",)
    def __init__(self, value):
        self.value = value

@dataclasses.dataclass
class Options:
    scale: float = 1.0
    names: list = dataclasses.field(default_factory=list)

class Meta(type):
    height = 1.0

class Sized(metaclass=Meta):
    level = 1.5
    def __init__(self, value):
        self.value = value
    def __len__(self):
        return 2
    def __iter__(self):
        return iter([self.value, self.level])
    def __eq__(self, other):
        return self.value == other
    def __getitem__(self, key):
        return self.value + key
    def __neg__(self):
        return -self.value

class Config(dict):
    __getattr__ = dict.__getitem__

class Shape(abc.ABC):
    pass

class Model(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("offset", ow.ones(1))
        self.cfg = {"a": 1.0}
        self.flags = [1.0]
        self.factor = 2.0
    def forward(self, x):
        return x * self.cfg["a"] + len(self.flags) * self.factor
"""


@dataclass(frozen=True)
class State:
    """How one kind of state is declared, read as a number, and changed; {v} is a random number."""

    declaration: str
    reads: tuple[str, ...]
    changes: tuple[str, ...]
    effects: tuple[str, ...] = ()


STATES = {
    "numbers": State(
        "numbers = [1.0, 2.0, 3.0]",
        (
            "sum(numbers)",
            "float(len(numbers))",
            "(numbers[0] if numbers else 0.0)",
            "max(numbers, default=0.0)",
            "sum(v for v in numbers if v > 1)",
            "float(2.0 in numbers)",
            "float(numbers == [1.0, 2.0, 3.0])",
            "float(len(f'{numbers}'))",
            "sum(sorted(numbers)[:2])",
            "sum(a * b for a, b in zip(numbers, [3.0, 2.0, 1.0]))",
        ),
        (
            "numbers.append({v})",
            "numbers[:] = [{v}, {v}]",
            "numbers.reverse()",
            "numbers.clear()",
            "numbers.insert(0, {v})",
            "numbers = [{v}]",
        ),
        ("numbers.append(0.5)", "numbers[:1] = [0.25]"),
    ),
    "table": State(
        "table = {'a': 1.0, 'b': 2.0}",
        (
            "table['a']",
            "table.get('c', 0.5)",
            "sum(table.values())",
            "float('c' in table)",
            "float(len(table))",
            "sum(v for k, v in table.items() if k != 'a')",
            "sum({**table}.values())",
        ),
        ("table['a'] = {v}", "table['c'] = {v}", "table.pop('c', None)", "table.update(b={v})"),
        ("table['n'] = table.get('n', 0.0) + 1", "table['a'] = 1.25"),
    ),
    "names": State(
        "names = {'a', 'b'}",
        ("float(len(names))", "float('c' in names)", "float(names >= {'a'})"),
        ("names.add('c')", "names.discard('c')", "names.discard('a')", "names.update('xyz')"),
        ("names.add('f')",),
    ),
    "window": State(
        "window = collections.deque([1.0, 2.0], maxlen=3)",
        ("sum(window)", "window[-1]", "float(len(window))"),
        ("window.append({v})", "window.appendleft({v})", "window.rotate(1)"),
        ("window.append(0.5)",),
    ),
    "order": State(
        "order = collections.OrderedDict(a=1.0, b=2.0)",
        ("next(iter(order.values()))", "sum(order.values())", "order['b']"),
        ("order.move_to_end('a')", "order['b'] = {v}", "order['c'] = {v}"),
    ),
    "nested": State(
        "nested = {'rows': [[1.0], [2.0, 3.0]], 'options': {'k': 1.0}, 'pair': ([1.0], 2)}",
        (
            "sum(sum(row) for row in nested['rows'])",
            "nested['options']['k']",
            "nested['rows'][1][0]",
            "float(nested['rows'][0] == [1.0])",
            "nested['pair'][0][0]",
        ),
        (
            "nested['rows'][0].append({v})",
            "nested['options']['k'] = {v}",
            "nested['rows'].append([{v}])",
            "nested['rows'] = [[{v}], [{v}]]",
            "nested['pair'][0][0] = {v}",
        ),
    ),
    "node": State(
        "node = Node(1.0)\nnode.child = Node(2.0)",
        (
            "node.value",
            "node.twice",
            "node.total()",
            "node.rate",
            "node.child.value",
            "node.child.items[0]",
            "getattr(node, 'extra', 0.5)",
            "float(hasattr(node, 'extra'))",
            "sum(v for v in vars(node.child).values() if isinstance(v, float))",
        ),
        (
            "node.value = {v}",
            "node.items.append({v})",
            "node.child.value = {v}",
            "node.child = Node({v})",
            "Node.rate = {v}",
            "node.rate = {v}",
            "node.extra = {v}",
            "node.child.items[0] = {v}",
            "node.__dict__['value'] = {v}",
            "Node.total = lambda self: {v}",
        ),
        ("node.count += 1.0", "node.value = node.count"),
    ),
    "slotted": State(
        "slotted = Slotted(1.0)",
        ("slotted.value",),
        ("slotted.value = {v}", "slotted = Slotted({v})"),
    ),
    "options": State(
        "options = Options(2.0, ['a'])",
        ("options.scale", "float(len(options.names))"),
        ("options.scale = {v}", "options.names.append('b')", "options = Options({v})"),
    ),
    "settings": State(
        "settings = types.ModuleType('settings')\nsettings.rate = 1.0\n"
        "settings.step = lambda v: v + 1",
        ("settings.rate", "settings.step(2.0)"),
        ("settings.rate = {v}", "settings.step = lambda v: v * {v}"),
    ),
    "rate": State("rate = 1.0", ("rate", "rate * 2"), ("rate = {v}",), ("rate = rate + 1.0",)),
    "sized": State(
        "sized = Sized(2.0)",
        (
            "float(len(sized))",
            "sum(sized)",
            "sum(v for v in sized)",
            "float(sized == 2.0)",
            "(1.0 if sized else 0.25)",
            "sized[1]",
            "-sized",
            "Sized(3.0).value",
            "Sized(3.0).level",
            "sum(Sized(4.0))",
            "Sized.height",
            "Sized.__dict__['level']",
            "sized.__dict__['value']",
            "float(len(type(sized).__name__))",
            "getattr(sized, 'missing', 0.5)",
            "float(isinstance(sized, Shape))",
        ),
        (
            "sized.value = {v}",
            "Sized.level = {v}",
            "Meta.height = {v}",
            "Sized.__init__ = lambda self, value: setattr(self, 'value', {v})",
            "Sized.__len__ = lambda self: int({v} * 4)",
            "Sized.__iter__ = lambda self: iter([{v}])",
            "Sized.__eq__ = lambda self, other: True",
            "Sized.__bool__ = lambda self: False",
            "Sized.__getitem__ = lambda self, key: {v}",
            "Sized.__neg__ = lambda self: {v}",
            "Sized.__getattr__ = lambda self, name: {v}",
            "Sized.__name__ = 'AnotherName'",
            "Shape.register(Sized)",
        ),
    ),
    "bound": State(
        "bound = functools.partial(lambda v, by=1.0: v * by, by=2.0)",
        ("bound(2.0)", "sum(map(bound, [1.0, 2.0]))", "bound.keywords['by']"),
        (
            "bound.keywords['by'] = {v}",
            "bound = functools.partial(lambda v, by=1.0: v - by, by={v})",
        ),
    ),
    "owner": State(
        "owner = Node(1.0)\nowner.child = Node(2.0)\npath = operator.attrgetter('child.value')",
        (
            "path(owner)",
            "functools.reduce(getattr, ['child', 'value'], owner)",
            "max([owner, owner.child], key=operator.attrgetter('value')).value",
            "operator.methodcaller('total')(owner)",
        ),
        ("owner.child.value = {v}", "owner.value = {v}", "owner.child = Node({v})"),
    ),
    "space": State(
        "space = types.SimpleNamespace(a=1.0)",
        (
            "space.a",
            "float(len(repr(space)))",
            "float(space == types.SimpleNamespace(a=1.0))",
            "vars(space)['a']",
        ),
        ("space.a = {v}", "space.b = {v}", "space = types.SimpleNamespace(a={v})"),
    ),
    "config": State(
        "config = Config(a=1.0)",
        ("config.a", "config['a']", "sum(config.values())"),
        ("config['a'] = {v}", "config['b'] = {v}", "config = Config(a={v})"),
    ),
    "weak": State(
        "strong = [Node(2.0)]\nweak = weakref.ref(strong[0])",
        ("(0.5 if weak() is None else 1.0)", "(0.5 if weak() is None else weak().value)"),
        ("strong.clear()", "strong and setattr(strong[0], 'value', {v})"),
    ),
    "leaf": State(
        "leaf = ow.ones(1, requires_grad=True)",
        ("(0.5 if leaf.grad is None else leaf.grad)", "float(leaf._version)"),
        ("leaf.grad = ow.ones(1) * {v}", "leaf.grad = None", "leaf.data.mul_(2)"),
    ),
    "steps": State(
        "steps = [lambda v: v + 1, lambda v: v * 2]",
        ("steps[0](1.0)", "sum(step(2.0) for step in steps)"),
        ("steps[0] = lambda v: v - {v}", "steps.append(lambda v: {v})", "steps.pop()"),
    ),
    "scale": State(
        "def scale(v, by=2.0, *, plus=0.0):\n    return v * by + plus",
        ("scale(1.5)", "functools.partial(scale, 2.0)()", "sum(map(scale, [1.0, 2.0]))"),
        (
            "scale.__defaults__ = ({v},)",
            "scale.__kwdefaults__['plus'] = {v}",
            "scale = lambda v: v - {v}",
            "scale.__code__ = (lambda v, by=1.0, *, plus=0.0: by - plus).__code__",
        ),
    ),
    "get": State(
        "def make_cell():\n    level = [1.0]\n    height = 2.0\n"
        "    def get():\n        return level[0] + height\n"
        "    def put(v):\n        nonlocal height\n        height = v\n"
        "    return types.SimpleNamespace(get=get), put, level\n"
        "cell, put, level = make_cell()",
        ("cell.get()",),
        ("put({v})", "level[0] = {v}"),
    ),
    "cached": State(
        "base = [1.0]\n@functools.lru_cache\ndef cached(n):\n    return n * base[0]",
        ("cached(2)", "cached(3)"),
        ("cached.cache_clear()", "base[0] = {v}", "base[0] = {v}; cached.cache_clear()"),
    ),
    "data": State(
        "data = bytearray([1, 2, 3])",
        ("float(data[0])", "float(sum(data))"),
        ("data[0] = int({v} * 4)", "data.append(7)"),
    ),
    "tensors": State(
        "tensors = [ow.ones(1), ow.ones(1) * 2]",
        ("tensors[0]", "sum(tensors)", "tensors[-1] * len(tensors)"),
        (
            "tensors[0] = ow.ones(1) * {v}",
            "tensors.append(ow.ones(1) * {v})",
            "tensors[0].mul_(2)",
            "tensors.reverse()",
        ),
    ),
    "model": State(
        "model = Model()",
        ("model(ow.ones(1))", "model.factor", "model.cfg['a']", "model.offset"),
        (
            "model.cfg['a'] = {v}",
            "model.flags.append({v})",
            "model.factor = {v}",
            "model.register_forward_hook(lambda module, args, out: out + {v})",
            "model.cfg = {'a': {v}}",
            "model._buffers['offset'] = ow.ones(1) * {v}",
            "Model.forward = lambda self, x: x * {v}",
        ),
        ("model.cfg['n'] = model.cfg.get('n', 0.0) + 1",),
    ),
}


@dataclass
class Program:
    """The text of a program and the names of its changes."""

    text: str
    num_changes: int
    kinds: tuple[str, ...]
    is_closure: bool


def make_program(seed: int) -> Program:
    rng = random.Random(seed)
    kinds = tuple(rng.sample(sorted(STATES), rng.randint(1, 4)))
    states = [STATES[kind] for kind in kinds]
    is_closure = rng.random() < 0.5

    def number() -> str:
        return str(rng.choice([0.25, 0.5, 2.0, 3.0, 5.0]))

    def read() -> str:
        return rng.choice(rng.choice(states).reads)

    body = [statement(rng, read, number) for _ in range(rng.randint(1, 5))]
    effects = [effect for state in states for effect in state.effects]
    if effects and rng.random() < 0.2:
        body.insert(rng.randrange(len(body) + 1), rng.choice(effects))
    helper = [statement(rng, read, number) for _ in range(rng.randint(0, 2))]
    changes = [change for state in states for change in state.changes]
    changes = [
        change.replace("{v}", number()) for change in rng.sample(changes, min(6, len(changes)))
    ]

    scope = scope_of(states)
    lines = [line for state in states for line in state.declaration.splitlines()]
    lines += function("helper(y)", [*helper, "return y"], "")
    lines += function("f(x)", ["y = x", *body, "return y"], scope(is_closure, body))
    for i, change in enumerate(changes):
        lines += function(f"change_{i}()", [change], scope(is_closure, [change]))
    if is_closure:
        names = ["f", *(f"change_{i}" for i in range(len(changes)))]
        lines = function("build()", [*lines, "return types.SimpleNamespace(**locals())"], "")
        lines.append(f"built = build(); {', '.join(names)} = {pick(names)}")
    return Program(PRELUDE + "\n".join(lines) + "\n", len(changes), kinds, is_closure)


def pick(names: list[str]) -> str:
    return ", ".join(f"built.{name}" for name in names) + ","


def statement(rng, read, number) -> str:
    return rng.choice(
        [
            lambda: f"y = y * 0.5 + {read()}",
            lambda: f"y = y + {read()} * {number()}",
            lambda: f"y = (y + 1 if float({read()}) > {number()} else y - 2)",
            lambda: f"for _ in range(2): y = y * 0.5 + {read()}",
            lambda: f"parts = [{read()}, {number()}]; parts.append({read()}); y = y + sum(parts)",
            lambda: f"y = y + sum([{read()} for _ in range(2)])",
            lambda: f"kept = dict(a={read()}); y = y - kept['a']",
            lambda: f"y = (lambda z: z + {read()})(y)",
            lambda: f"y = helper(y) + {read()}",
        ]
    )()


def scope_of(states):
    assigned = sorted(
        {
            line.split(" ")[0]
            for state in states
            for line in (*state.changes, *state.effects)
            if line.split(" ")[0].isidentifier() and line.split(" ")[1] == "="
        }
    )

    def declare(is_closure: bool, lines: list[str]) -> str:
        names = [n for n in assigned if any(line.startswith(f"{n} = ") for line in lines)]
        word = "nonlocal" if is_closure else "global"
        return f"{word} {', '.join(names)}" if names else ""

    return declare


def function(head: str, lines: list[str], declaration: str) -> list[str]:
    body = "\n".join(([declaration] if declaration else []) + lines)
    return [f"def {head}:", *textwrap.indent(body, "    ").splitlines()]


@dataclass
class Tally:
    """What a run tried and found."""

    programs: int = 0
    calls: int = 0
    changes: int = 0
    compiled: int = 0
    refused: int = 0
    stale: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.programs} programs, {self.changes} changes, {self.calls} calls, "
            f"{self.compiled} compiled, {self.refused} refused, {len(self.stale)} stale answers"
        )


def world(program: Program) -> SimpleNamespace:
    names: dict = {"__name__": "state_program"}
    exec(program.text, names)
    return SimpleNamespace(**{n: v for n, v in names.items() if n == "f" or n.startswith("change")})


def outcome(f, x):
    try:
        result = f(x)
    except Exception as error:
        if isinstance(error, RuntimeError) and "outlive" in str(error):
            return "refused"
        return type(error).__name__
    return [round(value, 3) for value in result.tolist()]


def check_program(seed: int, tally: Tally) -> None:
    """Call a program compiled and uncompiled, with the same changes in between."""
    program = make_program(seed)
    rng = random.Random(seed + 1)
    eager, ours = world(program), world(program)
    compiled = ow.compile(ours.f, backend="plan")
    tally.programs += 1
    done = []
    for _ in range(8):
        x = ow.ones(rng.choice([1, 1, 3])) * rng.choice([1.0, 2.0])
        expected, actual = outcome(eager.f, x), outcome(compiled, x)
        tally.calls += 1
        if actual == "refused":
            tally.refused += 1
            break
        if str(expected) != str(actual):
            tally.stale.append(f"seed {seed}, after {done}: {actual} instead of {expected}")
            break
        if rng.random() < 0.8 and program.num_changes:
            number = rng.randrange(program.num_changes)
            done.append(number)
            tally.changes += 1
            for each in (eager, ours):
                with contextlib.suppress(*REFUSED_CHANGES):
                    getattr(each, f"change_{number}")()
    tally.compiled += compiled.num_compiles


def check_programs(seeds, most_stale: int = 10) -> Tally:
    """Check the programs of these seeds, until there are many stale answers."""
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            check_program(seed, tally)
            if len(tally.stale) >= most_stale:
                break
    return tally
