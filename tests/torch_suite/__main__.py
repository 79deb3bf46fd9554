"""The command: runs chosen files of PyTorch's tests and writes their results."""

import argparse
import json
from pathlib import Path

from . import page
from .classes import ALL, PASS, classify, failure_of
from .processes import ROOT, ImportFailedError, Request, run_tests
from .reviews import Reviews

# Paths below PyTorch's test folder, without .py.
FILES = (
    "test_custom_ops",
    "custom_operator/test_infer_schema_annotation",
    "custom_operator/test_inplace_tag",
    "custom_operator/test_out_variant",
    "test_autograd",
    "functorch/test_eager_transforms",
    "functorch/test_vmap",
    "test_fake_tensor",
    "test_proxy_tensor",
    "export/test_export",
    "dynamo/test_functions",
    "test_dlpack",
    "test_fx",
    "test_indexing",
    "test_view_ops",
    "nn/test_init",
    "nn/test_module_hooks",
    "nn/test_load_state_dict",
)
OUTCOMES = ROOT / "build" / "torch_suite"
PAGE = ROOT / "docs" / "results" / "torch_suite.md"


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.torch_suite", description=__doc__)
    parser.add_argument("--tests", type=Path, required=True, help="PyTorch's test folder")
    parser.add_argument("--file", nargs="+", help="names or endings of files; default: all")
    parser.add_argument("--only", help="part of a test's id, or a pattern with *")
    parser.add_argument("--side", choices=("torch", "here", "both"), default="both")
    parser.add_argument("--json", type=Path, help="write class, reason and record of every test")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument("--list", action="store_true", help="print every test that does not pass")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=120, help="seconds per test")
    parser.add_argument("--outcomes", type=Path, default=OUTCOMES, help="where outcomes are kept")
    return parser.parse_args(arguments)


def choose_files(names: list[str] | None) -> list[str]:
    if not names:
        return list(FILES)
    chosen = [name.removesuffix(".py") for name in names]
    known = [file for file in FILES if any(f"/{file}".endswith(f"/{name}") for name in chosen)]
    groups = [file for file in FILES if any(file.startswith(f"{name}/") for name in chosen)]
    others = [name for name in chosen if not any(f"/{file}".endswith(f"/{name}") for file in known)]
    return known + groups + [name for name in others if "/" not in name and not groups]


def kept(options: argparse.Namespace, file: str, side: str) -> Path:
    return options.outcomes / f"{file.replace('/', '.')}.{side}.json"


def passes_in_torch(options: argparse.Namespace, file: str) -> list[str]:
    """Return the tests that pass in torch, from the kept outcomes if there are any."""
    path = kept(options, file, "torch")
    if path.exists():
        outcomes = json.loads(path.read_text())
    else:
        records = run_tests(request(options, file, "torch", None))
        outcomes = {test_id: record["outcome"] for test_id, record in records.items()}
        if options.only is None:
            path.write_text(json.dumps(outcomes, indent=0))
    from .child import matches

    passed = [test_id for test_id, outcome in outcomes.items() if outcome == "pass"]
    return sorted(test_id for test_id in passed if matches(test_id, options.only))


def request(options: argparse.Namespace, file: str, side: str, ids: list[str] | None) -> Request:
    log = options.outcomes / f"{file.replace('/', '.')}.{side}.log"
    return Request(
        side, options.tests.resolve(), file, ids, options.only, options.limit, options.jobs, log
    )


def run_here(options: argparse.Namespace, file: str, ids: list[str]) -> dict[str, dict]:
    """Run the tests against the package; keep the records of a whole file.

    Deliberate differences run last: what such a test leaves behind disturbs no other.
    """
    reviews = Reviews(file)
    ids = sorted(ids, key=lambda each: (reviews.is_difference(each), each))
    try:
        records = run_tests(request(options, file, "here", ids)) if ids else {}
    except ImportFailedError as error:
        print(f"{file}: not importable\n{error}")
        failure = {"outcome": "fail", "type": "ImportError", "text": str(error)[-300:]}
        records = dict.fromkeys(ids, failure)
    if options.only is None:
        kept(options, file, "here").write_text(json.dumps(records))
    return records


def classify_all(file: str, records: dict[str, dict]) -> dict[str, tuple[str, str]]:
    reviews = Reviews(file)
    return {test_id: classify(test_id, record, reviews) for test_id, record in records.items()}


def main(arguments: list[str] | None = None) -> int:
    options = parse_arguments(arguments)
    options.outcomes.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[str, tuple[str, str]]] = {}
    details: dict[str, dict] = {}
    for file in choose_files(options.file):
        ids = passes_in_torch(options, file)
        print(f"{file}: {len(ids)} tests pass in torch", flush=True)
        if options.side == "torch":
            continue
        records = run_here(options, file, ids)
        results[file] = classify_all(file, records)
        details[file] = {
            test_id: {
                "class": kind,
                "reason": reason,
                "failure": failure_of(test_id, records[test_id]),
                **records[test_id],
            }
            for test_id, (kind, reason) in results[file].items()
        }
        if options.only is None:
            print_doubtful_reviews(file, records)
        if options.list:
            print_others(results[file])
    if results:
        print(page.table(results))
    if options.json:
        options.json.write_text(json.dumps(details, indent=1))
    if options.write:
        PAGE.write_text(page.write_page(kept_results(options, results)))
    return 0


def print_doubtful_reviews(file: str, records: dict[str, dict]) -> None:
    """Print the reviews that accept nothing, or are for every test; count those for anything."""
    reviews = Reviews(file)
    failures = {test_id: failure_of(test_id, record) for test_id, record in records.items()}
    reviewed = {test_id: record.get("reviewed") or [] for test_id, record in records.items()}
    for line in reviews.list_unused(failures, reviewed):
        print(f"unused review: {line}")
    for line in reviews.list_wide(reviewed):
        print(f"wide review: {line}")
    if count := reviews.count_unchecked():
        print(f"{reviews.name}: {count} entries accept any failure of their tests")


def print_others(results: dict[str, tuple[str, str]]) -> None:
    for kind in ALL:
        for test_id in sorted(results):
            if results[test_id][0] == kind != PASS:
                print(f"{kind:10} {test_id}: {results[test_id][1]}")


def kept_results(
    options: argparse.Namespace, fresh: dict[str, dict[str, tuple[str, str]]]
) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the results of every file that was ever run as a whole, in the order of FILES."""
    results = {}
    for file in FILES:
        path = kept(options, file, "here")
        if options.only is None and file in fresh:
            results[file] = fresh[file]
        elif path.exists():
            results[file] = classify_all(file, json.loads(path.read_text()))
    return results


if __name__ == "__main__":
    raise SystemExit(main())
