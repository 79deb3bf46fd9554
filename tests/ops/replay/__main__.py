"""The command line of the replay; see __init__.py."""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
sys.path[:0] = [str(BUILD / "python"), str(ROOT)]

import torch  # noqa: E402

from tests.ops.replay import (  # noqa: E402
    checked_table,
    compiled_table,
    gradient_table,
    onnx_table,
    reach,
    recorder,
    report,
    table,
    traced_table,
    vmapped_table,
)
from tests.ops.replay.again import run_again  # noqa: E402
from tests.ops.replay.checked import CheckedReplayer  # noqa: E402
from tests.ops.replay.compiled import CompiledReplayer  # noqa: E402
from tests.ops.replay.decomposed import DecomposedReplayer  # noqa: E402
from tests.ops.replay.gradients import GradientReplayer  # noqa: E402
from tests.ops.replay.onnx_calls import OnnxReplayer  # noqa: E402
from tests.ops.replay.replayer import Replayer  # noqa: E402
from tests.ops.replay.run import replay  # noqa: E402
from tests.ops.replay.traced import TracedReplayer  # noqa: E402
from tests.ops.replay.vmapped import VmappedReplayer  # noqa: E402

# How a call is replayed: the class, and the page of docs/results that reports it.
WAYS = {
    "plain": (Replayer, table, "replay.md"),
    "traced": (TracedReplayer, traced_table, "traced_replay.md"),
    "decomposed": (DecomposedReplayer, traced_table, "decomposed_replay.md"),
    "gradients": (GradientReplayer, gradient_table, "gradients.md"),
    "vmapped": (VmappedReplayer, vmapped_table, "vmap_rules.md"),
    "checked": (CheckedReplayer, checked_table, "opcheck_built_ins.md"),
    "compiled": (CompiledReplayer, compiled_table, "compiled_replay.md"),
    "onnx": (OnnxReplayer, onnx_table, "onnx_replay.md"),
}


def way_of(options: argparse.Namespace) -> str:
    return next((way for way in WAYS if getattr(options, way, False)), "plain")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="replay", description=__doc__)
    parser.add_argument("--op", nargs="+", default=[], help="aten names, as shell patterns")
    parser.add_argument("--entries", nargs="+", default=[], help="entries of the database")
    parser.add_argument("--dtypes", nargs="+", default=list(recorder.DTYPES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="of entries x dtypes")
    parser.add_argument("--samples", type=int, help="at most so many of each entry and dtype")
    parser.add_argument("--all", action="store_true", help="every entry")
    parser.add_argument(
        "--write", action="store_true", help="the page of docs/results, and reach.json"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", type=int, default=2, help="failing calls of each overload")
    parser.add_argument(
        "--at-least", type=float, default=100.0, help="percentage of calls that must pass"
    )
    parser.add_argument(
        "--mutations", type=int, default=0, help="variants of each call that are run too"
    )
    parser.add_argument(
        "--traced", action="store_true", help="trace each call and run its graph; see traced.py"
    )
    parser.add_argument(
        "--decomposed", action="store_true", help="run its decomposed graph; see decomposed.py"
    )
    parser.add_argument(
        "--gradients", action="store_true", help="differentiate each call; see gradients.py"
    )
    parser.add_argument(
        "--vmapped", action="store_true", help="map each call over its tensors; see vmapped.py"
    )
    parser.add_argument(
        "--checked", action="store_true", help="opcheck with each call as example; see checked.py"
    )
    parser.add_argument(
        "--compiled", action="store_true", help="compile each call and run it; see compiled.py"
    )
    parser.add_argument(
        "--onnx", action="store_true", help="run its ONNX model in ONNX Runtime; see onnx_calls.py"
    )
    parser.add_argument("--opset", type=int, help="of --onnx; else one by the seed for each call")
    parser.add_argument("--backend", default="llvm", help="of --compiled")
    parser.add_argument("--checks", nargs="+", default=["ALL"], help="of --checked")
    parser.add_argument("--examples", type=int, default=12, help="made from each call of --checked")
    parser.add_argument("--again", type=Path, help="a kept call")
    options = parser.parse_args(arguments)
    if not (options.op or options.entries or options.all or options.again or options.share < 1):
        parser.error("say what to run: --op, --entries, --share or --all")
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    CheckedReplayer.checks, CheckedReplayer.examples = tuple(options.checks), options.examples
    CompiledReplayer.backend = options.backend
    OnnxReplayer.seed, OnnxReplayer.opset = options.seed, options.opset
    if options.again:
        return run_again(options.again, WAYS[way_of(options)][0])
    make, page, name = WAYS[way_of(options)]
    outcome = replay(options, make)
    report.print_report(
        outcome, BUILD.parent / "replay", options.show, bool(options.op), page.summary_lines
    )
    if options.write:
        command = "tests/ops/replay " + " ".join(arguments)
        (ROOT / "docs" / "results" / name).write_text(page.markdown(outcome, command))
    if options.write and way_of(options) == "plain":
        reach.write(outcome.reached)
    is_good = table.is_good(outcome, options.at_least)
    if options.vmapped:
        is_good = is_good and vmapped_table.is_good(outcome)
    return 0 if is_good else 1


if __name__ == "__main__":
    torch.set_printoptions(threshold=50)
    sys.exit(main(sys.argv[1:]))
