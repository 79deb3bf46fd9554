"""The page docs/results/torch_versions.md: one set of binaries on several versions of torch."""

import re
from dataclasses import dataclass
from pathlib import Path

HEAD = """\
# One set of binaries, several versions of PyTorch

Made by `python -m tests.bridges.torch.run_older FOLDER --markdown docs/results/torch_versions.md`,
once for each version. The binaries were built once, without PyTorch; their hashes show that none
was rebuilt. A dash: the check does not apply. values: results and written arguments, compared with
a reference in torch; opcheck: `torch.library.opcheck`; compile:
`torch.compile(fullgraph=True)`, one graph for four sizes; export: `torch.export` with dynamic
dimensions, saved and loaded; gradients: `gradcheck` in float64; func.grad and vmap: `torch.func`.
"""


@dataclass(frozen=True)
class TableRow:
    operator: str
    outcomes: dict[str, str]  # by referee: "ok", "-" or the error

    @property
    def failed(self) -> bool:
        return any(text not in ("ok", "-") for text in self.outcomes.values())


@dataclass(frozen=True)
class Run:
    """What all referees said on one version of torch."""

    torch: str
    python: str
    hashes: dict[str, str]
    rows: tuple[TableRow, ...]

    def markdown(self) -> str:
        referees = list(self.rows[0].outcomes)
        passed = sum(not row.failed for row in self.rows)
        lines = [
            f"## PyTorch {self.torch}",
            "",
            f"Python {self.python}; {passed} of {len(self.rows)} operators pass every referee.",
            "",
            "| binary | sha256 |",
            "|---|---|",
            *(f"| {name} | `{digest}` |" for name, digest in self.hashes.items()),
            "",
            f"| operator | {' | '.join(referees)} |",
            f"|---|{'---|' * len(referees)}",
        ]
        for row in self.rows:
            cells = [row.outcomes[name].replace("|", "\\|") for name in referees]
            lines.append(f"| {row.operator} | {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"


def merge_into(page: Path, run: Run) -> None:
    """Put the run into the page, replacing an earlier one on the same version; newest first."""
    text = page.read_text() if page.exists() else ""
    sections = re.findall(r"^## PyTorch .*?(?=^## PyTorch |\Z)", text, re.MULTILINE | re.DOTALL)
    by_version = {re.match(r"## PyTorch (\S+)", each)[1]: each.rstrip() + "\n" for each in sections}
    by_version[run.torch] = run.markdown()
    order = sorted(by_version, key=lambda v: [int(n) for n in v.split(".")], reverse=True)
    page.write_text("\n".join([HEAD, *(by_version[version] for version in order)]))
