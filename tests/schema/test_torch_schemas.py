"""Every schema of torch parses, and prints to text that torch parses as the same schema."""

import os
import re
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: no schema of torch was compared"
)

ROOT = Path(__file__).parents[2]

# Rejected on purpose: two arguments have the same name.
DUPLICATE_ARGUMENT_NAMES = {
    "static_runtime::clamp_nan_to_num(Tensor input, Scalar? min, Scalar? max, "
    "float? nan, float? posinf, float? posinf) -> Tensor",
}
# From modules that another test may have imported; schemas have no type for their PyObject.
OF_PYTHON_OBJECTS = "_dtensor::"
# torch keeps the int 1 in a `float?` argument; we convert it to the float of the type.
INT_IN_A_FLOAT_DEFAULT = {"prims::var"}


def print_schemas(lines: list[str]) -> list[str]:
    build = Path(os.environ.get("OPWRIGHT_BUILD", "build/release"))
    program = ROOT / build / "print_schemas"
    if not program.exists():
        pytest.fail(f"{program} is not built; set OPWRIGHT_BUILD")
    run = subprocess.run(
        [program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    )
    return run.stdout.splitlines()


def sort_alias_sets(text: str) -> str:
    """torch prints alias sets in the order of a hash table."""
    return re.sub(r"\w+(?:\|\w+)+", lambda sets: "|".join(sorted(sets[0].split("|"))), text)


def describe_alias(alias) -> object:
    if alias is None:
        return None
    return (alias.is_write, frozenset(alias.before_set), frozenset(alias.after_set))


def describe(argument) -> tuple:
    default = argument.default_value if argument.has_default_value() else "no default"
    return (
        argument.name,
        str(argument.type),
        argument.N,
        argument.kwarg_only,
        describe_alias(argument.alias_info),
        default,
        type(default),
    )


def compare(theirs, ours) -> str | None:
    """Return what differs, or None."""
    if theirs.name in INT_IN_A_FLOAT_DEFAULT:
        pairs = zip(theirs.arguments, ours.arguments, strict=True)
        same = all(describe(a)[:-1] == describe(b)[:-1] for a, b in pairs)
        return None if same else "arguments"
    if sort_alias_sets(str(theirs)) != sort_alias_sets(str(ours)):
        return f"torch reads it back as {ours}"
    for part in ("arguments", "returns"):
        for a, b in zip(getattr(theirs, part), getattr(ours, part), strict=True):
            if describe(a) != describe(b):
                return f"{part}: {describe(a)} became {describe(b)}"
    return None


def test_all_schemas_of_torch_print_back_to_the_same_schema():
    schemas = [
        schema
        for schema in torch._C._jit_get_all_schemas()
        if not schema.name.startswith(OF_PYTHON_OBJECTS)
    ]
    printed = print_schemas([str(schema) for schema in schemas])
    assert len(printed) == len(schemas)

    problems, refused, compared = [], set(), 0
    for schema, text in zip(schemas, printed, strict=True):
        if text.startswith("ERROR: "):
            refused.add(str(schema))
            if str(schema) not in DUPLICATE_ARGUMENT_NAMES:
                problems.append(f"{schema}\n    {text}")
            continue
        difference = compare(schema, torch._C.parse_schema(text))
        if difference:
            problems.append(f"{schema}\n    {text}\n    {difference}")
        compared += 1

    print(f"{compared} of {len(schemas)} schemas compared, {len(refused)} refused on purpose")
    assert not problems, f"{len(problems)} differ:\n" + "\n".join(problems[:20])
    assert refused == DUPLICATE_ARGUMENT_NAMES
    assert compared >= 4000


def test_printing_is_stable():
    once = print_schemas([str(schema) for schema in torch._C._jit_get_all_schemas()])
    readable = [line for line in once if not line.startswith("ERROR: ")]
    assert print_schemas(readable) == readable
