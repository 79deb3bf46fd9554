"""Which operators have a true vmap rule, as lines for the terminal and as a page of docs/results.

A true rule calls the operator once for all samples. `how` says which rule:

    rule       its own rule
    pointwise  the rule that all pointwise operators have
    composite  it is composed of other operators, which have their own
    constant   it has no tensor argument, so every sample has the same result
    random     vmap draws for it, according to `randomness`
    refused    it returns a number to Python, and samples have several
    samples    it runs once per sample
"""

from opwright import _C

from .replayer import Outcome, find_ours
from .table import (
    failures_line,
    our_overloads,
    overloads_line,
    page,
    passed_text,
    short,
    table_lines,
    totals,
)

TITLE = "vmap over calls of torch's operator database"
ABOUT = (
    "The comparison and the columns are described in tests/ops/replay/vmapped.py, the column `how` "
    "in vmapped_table.py."
)
COLUMNS = ("calls", "passed", "maps", "counted", "slices")
TRUE = ("rule", "pointwise", "composite", "constant", "random")


def how(name: str) -> str:
    """Return how vmap maps the overload."""
    operator = find_ours(name)
    tags = operator.tags
    if "nondeterministic_seeded" in tags:
        return "random"
    if not any("Tensor" in str(argument.type) for argument in operator.schema.arguments):
        return "constant"
    if _C.has_own_function(operator.name, "Vmap"):
        return "rule"
    if "data_dependent_output" in tags:
        return "refused"
    if "pointwise" in tags:
        return "pointwise"
    bodies = ("CompositeImplicitAutograd", "Decompose")
    if any(_C.has_own_function(operator.name, body) for body in bodies):
        return "composite"
    return "samples"


def is_core(name: str) -> bool:
    return "core" in find_ours(name).tags


def has_true_rule(outcome: Outcome, name: str) -> bool:
    return how(name) in TRUE and not outcome.counts[name]["slices"]


def without_true_rule(outcome: Outcome) -> list[str]:
    """Return the overloads that run once per sample."""
    names = (name for name in our_overloads() if how(name) != "refused")
    return sorted(name for name in names if not has_true_rule(outcome, name))


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    ours = our_overloads()
    core = [name for name in ours if is_core(name)]
    true = [name for name in ours if has_true_rule(outcome, name)]
    refused = [short(name) for name in sorted(ours) if how(name) == "refused"]
    without = [
        short(name) + (" (core)" if is_core(name) else "") for name in without_true_rule(outcome)
    ]
    return [
        f"calls mapped: {total['calls']} in {total['maps']} ways, {passed_text(outcome)}",
        overloads_line(outcome),
        f"with a true rule: {len(true)} of {len(ours)}; of the core set "
        f"{sum(is_core(name) for name in true)} of {len(core)}",
        f"give Python a number, which vmap refuses: {', '.join(refused)}",
        f"once for each sample: {', '.join(without) or 'none'}",
        failures_line(outcome),
    ]


def is_good(outcome: Outcome) -> bool:
    """Return whether no operator of the core set runs once per sample."""
    return not any(is_core(name) for name in without_true_rule(outcome))


def markdown(outcome: Outcome, command: str) -> str:
    rows = [
        (
            short(name),
            "core" if is_core(name) else "",
            how(name),
            *(outcome.counts[name][column] for column in COLUMNS),
        )
        for name in sorted(our_overloads())
    ]
    table = table_lines(("overload", "core", "how", *COLUMNS), rows)
    return page(outcome, TITLE, command, ABOUT, summary_lines(outcome), table)
