"""The command line: python -m opwright list | show | run | check | generate | doctor | cache."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import _C


def _list(options: argparse.Namespace) -> int:
    names = _C.list_operators(options.namespace or "")
    if not names and options.namespace:
        known = ", ".join(_C.list_namespaces())
        print(
            f"there is no operator in '{options.namespace}'; namespaces: {known}", file=sys.stderr
        )
        return 1
    print("\n".join(names))
    return 0


def _find(name: str) -> list[_C.Operator]:
    """Return the operator of that name, or all overloads of it."""
    namespace, _, base = name.partition("::")
    if not base or "." in base:
        return [_C.require_operator(name)]
    packet = getattr(getattr(_C.ops, namespace), base)
    return [getattr(packet, overload) for overload in packet.overloads()]


def _describe(operator: _C.Operator) -> str:
    namespace, base, overload = operator.namespace, operator.base, operator.overload or "default"
    place = operator.site or "unknown"
    lines = [
        str(operator.schema),
        f"  call     opwright.ops.{namespace}.{base}.{overload}",
        f"  defined  {f'{place} ({operator.origin})' if operator.origin else place}",
        f"  tags     {', '.join(operator.tag_names) or 'none'}",
    ]
    if about := getattr(operator, "documentation", "").strip():
        lines.append(f"  about    {about.splitlines()[0]}")
    rows = [f"    {slot:<26} {site}" for slot, site in operator.implementations()]
    return "\n".join([*lines, "  functions", *(rows or ["    none"])])


def _is_program(name: str) -> bool:
    return name.endswith(".opw") or ("::" not in name and os.path.isfile(name))


def _show(options: argparse.Namespace) -> int:
    if _is_program(options.name):
        return _show_program(options.name)
    try:
        operators = _find(options.name)
    except (AttributeError, NotImplementedError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 1
    print("\n\n".join(map(_describe, operators)))
    return 0


def _show_program(path: str) -> int:
    try:
        text = _C.describe_program_file(path)
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 1
    print(text.rstrip())
    return 0


def _hand_over(arguments: Sequence[str]) -> int:
    """Run the program `opwright`, which does not need Python."""
    command = Path(__file__).parent / "bin" / "opwright"
    if not command.is_file():
        print(
            f"the command opwright is not in this package (looked for {command}); build the target "
            "`opwright_command`, or install a package that has it",
            file=sys.stderr,
        )
        return 1
    return subprocess.run([command, *arguments]).returncode


def _doctor(options: argparse.Namespace) -> int:
    from ._cli import doctor

    findings = doctor.examine()
    if options.json:
        print(json.dumps([finding.as_dict() for finding in findings], indent=2))
    else:
        print(doctor.report(findings))
    return doctor.exit_code(findings)


def _generate(options: argparse.Namespace) -> int:
    from ._cli import generate

    try:
        written = generate.generate(
            options.file, options.kernels, options.namespace, options.out, force=options.force
        )
    except (ImportError, OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 1
    print("\n".join(map(str, written)))
    return 0


def _check(options: argparse.Namespace) -> int:
    from ._cli import check

    return check.run(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m opwright", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("list", help="list all operators, or those of a namespace")
    command.add_argument("namespace", nargs="?")
    command.set_defaults(run=_list)

    command = commands.add_parser("show", help="describe an operator or an exported program")
    command.add_argument(
        "name", help="aten::add, one overload: aten::add.Tensor, or a file: program.opw"
    )
    command.set_defaults(run=_show)

    commands.add_parser("run", help="run a program.opw; see run --help", add_help=False)
    commands.add_parser("onnx", help="write a program.opw as an ONNX model", add_help=False)
    commands.add_parser("convert", help="write a program as .opw or .pt2", add_help=False)

    command = commands.add_parser("check", help="opcheck: find the faults of an operator")
    command.add_argument("name", help="mylib::crop, or one overload: aten::add.Tensor")
    command.add_argument(
        "--example",
        action="append",
        required=True,
        help='arguments as in a call: "randn(3, 64, 64), [0, 0, 10, 10]"; repeatable',
    )
    command.add_argument(
        "--load", action="append", default=[], help="what defines it: a .so, a .py or a module"
    )
    command.add_argument("--checks", nargs="+", help="run only these checks")
    command.add_argument("--examples", type=int, default=50, help="inputs to generate")
    command.add_argument("--seed", type=int, default=0, help="of what is generated")
    command.add_argument("--markdown", action="store_true", help="the report as markdown")
    command.set_defaults(run=_check)

    command = commands.add_parser("generate", help="starter sources for a list of operators")
    command.add_argument("file", help="a YAML file in the format of opwright.declare.load")
    command.add_argument("--kernels", nargs="+", default=["cpu"], help="devices, e.g. cpu cuda")
    command.add_argument("--namespace", default="custom", help="of the operators")
    command.add_argument("--out", default=".", help="the output folder")
    command.add_argument("--force", action="store_true", help="replace files that are there")
    command.set_defaults(run=_generate)

    command = commands.add_parser("doctor", help="show what is installed, and how to get the rest")
    command.add_argument("--json", action="store_true", help="for programs")
    command.set_defaults(run=_doctor)

    commands.add_parser("cache", help="manage the cache of compiled extensions; see cache --help")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 1 on failure, 2 for a wrong command line.

    >>> main(["list", "nowhere"])
    1
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["cache"]:  # it has a command line of its own
        from .cpp_extension import _cache

        return _cache.main(arguments[1:]) or 0
    if arguments[:1] in (["run"], ["onnx"], ["convert"]):
        return _hand_over(arguments)
    options = _parser().parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, e.g. `| head`, has exited
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
