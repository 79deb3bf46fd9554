"""The table of results for the terminal, and docs/results/torch_suite.md."""

import platform
import re
from datetime import date
from importlib.metadata import version

from .classes import ALL, APART, DELIBERATE, PASS

INTRODUCTION = """\
# PyTorch's own tests

Written by `python -m tests.torch_suite --tests <PyTorch's test folder> --write`. Each file of
PyTorch's tests (release/2.13) runs against torch and against `opwright.compat.torch`, in child
processes with a time limit per test. The tests that pass in torch on the CPU are counted. Tests
over torch's databases of operators and modules (`@ops`, `@modules`) are left out;
`tests/ops/replay` covers them.

| class | meaning |
|---|---|
| pass | the test passes; an error's text may differ if a person found that it says the same |
| text | only the text of an expected error differs |
| class | an error is raised where one is expected, of another class |
| name | a name of torch is missing |
| behaviour | any other failure |
| private | the test needs a name that the package does not have and that is private or not wanted |
| deliberate | a deliberate difference; its reason is in the list |
| operator | a function, method, module or optimizer of torch is missing |
| hang, crash | the test did not end, or ended the process |

A name is private if it has a component with an underscore. Deprecated names, JIT, quantization,
sparse and nested tensors, distributed, and other devices are not wanted.

The share is that of the passes among all tests but *private* and *operator*; a deliberate
difference counts as a test that does not pass. The last column is the share without deliberate
differences: that of the passes among the passes and the faults.
"""


def share(counts: dict[str, int], without: tuple[str, ...] = APART) -> str:
    """Return the share of the passes among the classes that are not in `without`."""
    counted = sum(counts[each] for each in ALL if each not in without)
    return f"{100 * counts[PASS] / counted:.1f} %" if counted else "-"


def share_without_deliberate(counts: dict[str, int]) -> str:
    return share(counts, (*APART, DELIBERATE))


def count(results: dict[str, tuple[str, str]]) -> dict[str, int]:
    counts = dict.fromkeys(ALL, 0)
    for kind, _ in results.values():
        counts[kind] += 1
    return counts


def table(files: dict[str, dict[str, tuple[str, str]]]) -> str:
    """Return a Markdown table with a row per file and a total."""
    rows = {name: count(results) for name, results in files.items()}
    if len(rows) > 1:
        rows["all"] = {each: sum(row[each] for row in rows.values()) for each in ALL}
    lines = [
        "| file | torch | " + " | ".join(ALL) + " | share | without deliberate |",
        "|---|" + "--:|" * (len(ALL) + 3),
    ]
    for name, counts in rows.items():
        cells = [str(sum(counts.values())), *(str(counts[each]) for each in ALL)]
        cells += [share(counts), share_without_deliberate(counts)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_page(files: dict[str, dict[str, tuple[str, str]]]) -> str:
    """Return the whole page: the table and every test that does not pass."""
    versions = f"{date.today()}, Python {platform.python_version()}, torch {version('torch')}."
    parts = [INTRODUCTION, versions, "", table(files), ""]
    for name, results in files.items():
        others = [(each, *results[each]) for each in sorted(results) if results[each][0] != PASS]
        parts += [f"## {name}", ""]
        if not others:
            parts += ["Every test passes.", ""]
            continue
        parts += ["| test | class | reason |", "|---|---|---|"]
        parts += [f"| {test} | {kind} | {escape(reason)} |" for test, kind, reason in others]
        parts.append("")
    return "\n".join(parts)


def escape(text: str) -> str:
    without_folders = re.sub(r"(?<![\w.])/(?:[\w+-]+\.\.\.|(?:[\w.+-]+/)+)", "", text)
    cleaned = re.sub(r"\b0x[0-9a-f]+", "0x...", without_folders).replace("|", "\\|")
    return f"`{cleaned}`" if cleaned and "`" not in cleaned else cleaned.replace("<", "&lt;")
