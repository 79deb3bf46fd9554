"""The reference page of the built-in operators: a section for each family of the YAML file."""

import re

from .declarations import Declaration, Reader
from .slots import ALL_DEVICES, COMPOSITE, DEVICE_KEYS, FAKE
from .yaml_nodes import DeclarationError

FAMILY = re.compile(r"^# ---- (.+?) -*$")
HEAD = """\
# Operators

The built-in operators by family: PyTorch's names and schemas, namespace `aten`. Made from
`src/ops/functions.yaml` by `tools/update_reference`: {overloads:,} overloads of {names:,} names,
{core} of them tagged core.

- *forms*: `function` is `opwright.name(...)` in Python and `opwright::name(...)` in C++; `method`
  is `x.name(...)` in both. In C++ both take `Tensor` and `FakeTensor`, with `SymInt` sizes. Every
  operator can also be called as `opwright.ops.aten.name.overload`; one without forms only so.
- *runs on*: devices with their own kernel; `devices` are those that run the core's primitives
  (docs/concepts/device_plugin.md), `meta` includes fake tensors. `all` is one
  body for every device, `composite` a body made of other operators, which transforms see through.
- *tags* are those of `opwright.library.Tag`.

"""


def write_reference(text: str, yaml: str) -> str:
    """Return the page of a file with that text."""
    declarations = Reader(yaml).read(text)
    families = list_families(text)
    by_family: dict[str, list[Declaration]] = {family: [] for _, family in families}
    for declaration in declarations:
        by_family[family_of(declaration, families)].append(declaration)
    core = sum("core" in each.tags for each in declarations)
    contents = "".join(
        f"- [{title(family)}](#{anchor(family)}): {len(members)}\n"
        for family, members in by_family.items()
    )
    sections = "".join(write_section(*each) for each in by_family.items())
    overloads, names = count(declarations)
    return HEAD.format(overloads=overloads, names=names, core=core) + contents + sections


def count_operators(text: str, yaml: str) -> tuple[int, int]:
    """Return how many overloads and names a file with that text declares, with all forms.

    >>> count_operators("- {func: f(Tensor self) -> Tensor, composite: self, out: f.out}", "f.yaml")
    (2, 1)
    """
    return count(Reader(yaml).read(text))


def count(declarations: list[Declaration]) -> tuple[int, int]:
    return len(declarations), len({each.schema.name for each in declarations})


def list_families(text: str) -> list[tuple[int, str]]:
    """Return the lines and titles of the comments that begin a family.

    >>> list_families("# ---- views ----\\n- func: f\\n")
    [(1, 'views')]
    """
    lines = enumerate(text.splitlines(), start=1)
    return [(number, found[1]) for number, line in lines if (found := FAMILY.match(line))]


def family_of(declaration: Declaration, families: list[tuple[int, str]]) -> str:
    before = [family for line, family in families if line < declaration.line]
    if not before:
        raise DeclarationError(
            f"{declaration.place}: no comment '# ---- family ----' precedes the operator"
        )
    return before[-1]


def write_section(family: str, declarations: list[Declaration]) -> str:
    rows = "".join(write_row(each) for each in declarations)
    return f"\n## {title(family)}\n\n| schema | forms | runs on | tags |\n|---|---|---|---|\n{rows}"


def write_row(declaration: Declaration) -> str:
    cells = (
        f"`{declaration.schema.text}`".replace("|", "\\|"),
        ", ".join(declaration.variants),
        runs_on(declaration),
        ", ".join(declaration.tags),
    )
    return f"| {' | '.join(cells)} |\n"


def runs_on(declaration: Declaration) -> str:
    """Return the devices of an operator."""
    slots = {*declaration.slots, *(("CPU", ALL_DEVICES, FAKE) if declaration.pointwise else ())}
    devices = [device for key, device in DEVICE_KEYS.items() if key in slots]
    places = {
        ALL_DEVICES: "devices",
        FAKE: "meta",
        "CompositeExplicitAutograd": "all",
        COMPOSITE: "composite",
    }
    return ", ".join([*devices, *(text for slot, text in places.items() if slot in slots)])


def title(family: str) -> str:
    return family[0].upper() + family[1:]


def anchor(family: str) -> str:
    """Return the name of a heading in a link.

    >>> anchor("joined, repeated and padded copies")
    'joined-repeated-and-padded-copies'
    """
    return re.sub(r"[^\w -]", "", family.lower()).replace(" ", "-")
