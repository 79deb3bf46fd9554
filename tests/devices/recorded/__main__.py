"""The command line of the recorded calls; see __init__.py."""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
sys.path[:0] = [str(BUILD / "python"), str(ROOT)]

from tests.devices.recorded.replay import replay  # noqa: E402
from tests.devices.recorded.table import summary, to_markdown  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", required=True, help="cuda, opencl, cuda:1, ...")
    parser.add_argument("--op", nargs="*", default=["*"], help="names, as shell patterns")
    parser.add_argument("--write", metavar="FILE", help="write the table there")
    options = parser.parse_args()
    outcomes = replay(options.device, patterns=options.op)
    for name, outcome in sorted(outcomes.items()):
        print(name, dict(outcome.counts))
        for failure in outcome.failures[:3]:
            print("    ", failure)
    print(summary(outcomes))
    if options.write:
        Path(options.write).write_text(to_markdown(options.device, outcomes))
    return 1 if any(outcome.failures for outcome in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
