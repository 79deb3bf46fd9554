"""The page docs/results/torch_names.md."""

from collections import defaultdict

from .public_names import Findings

HEAD = """\
# The public names of PyTorch

Made by `python -m tests.names --write` with PyTorch {version}: the names that a module lists in
`__all__` or defines, looked up under `opwright.compat`. Names are wanted unless a reason below says
no. *missing* is their share of the wanted names.

| place | names | there | not wanted | missing | |
|---|---:|---:|---:|---:|---:|
"""


def write_page(all_findings: list[Findings], version: str) -> str:
    rows = "".join(write_row(each.place, [each]) for each in all_findings)
    total = write_row("**all**", all_findings)
    return (
        HEAD.format(version=version)
        + rows
        + total
        + "\n## Missing\n\n"
        + "".join(write_names(each.place, each.missing) for each in all_findings if each.missing)
        + "\n## Not wanted\n\n"
        + write_reasons(all_findings)
    )


def write_row(title: str, group: list[Findings]) -> str:
    there = sum(len(each.there) for each in group)
    missing = sum(len(each.missing) for each in group)
    unwanted = sum(len(names) for each in group for names in each.unwanted.values())
    wanted = there + missing
    share = f"{100 * missing / wanted:.1f} %" if wanted else "-"
    total = wanted + unwanted
    return f"| {title} | {total} | {there} | {unwanted} | {missing} | {share} |\n"


def write_names(title: str, names: list[str]) -> str:
    return f"- {title}: {', '.join(f'`{name}`' for name in names)}\n"


def write_reasons(all_findings: list[Findings]) -> str:
    by_reason = defaultdict(set)
    for each in all_findings:
        for reason, names in each.unwanted.items():
            by_reason[reason] |= set(names)
    return "".join(write_names(reason, sorted(by_reason[reason])) for reason in sorted(by_reason))
