"""python -m opwright check: run opcheck on an operator named on the command line."""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

import opwright

from ..testing import CheckLine, CheckReport, opcheck


class _Names(dict[str, Any]):
    """The names that an example may use. Modules such as opwright.torch load on first use only."""

    def __missing__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(opwright, name):
            raise KeyError(name)
        return getattr(opwright, name)


def read_example(text: str) -> tuple[tuple, dict[str, Any]]:
    """Evaluate arguments written as in a call, with the names of opwright in scope.

    >>> read_example("ones(2), limit=0.5")
    ((tensor([1., 1.]),), {'limit': 0.5})
    """
    names = _Names(ow=opwright, opwright=opwright, call=lambda *args, **kwargs: (args, kwargs))
    try:
        return eval(f"call({text})", {}, names)
    except SyntaxError as problem:
        raise ValueError(
            f'--example: {problem.msg} in "{text}"\n'
            '  Write arguments as in a call, e.g. --example "randn(3, 64), [0, 1], limit=0.5"'
        ) from None


def load(library: str) -> None:
    """Load the file or module that defines the operator: a binary, a Python file or a module."""
    path = Path(library)
    if path.suffix == ".so":
        opwright.load_library(path)
    elif path.suffix == ".py":
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None or not path.exists():
            raise FileNotFoundError(f"--load: there is no file {library}")
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(path.stem, module)
        spec.loader.exec_module(module)
    else:
        importlib.import_module(library)


def find_operator(name: str) -> Any:
    """Return the operator with that name, or the packet that selects among its overloads."""
    namespace, _, base = name.partition("::")
    if not base:
        raise ValueError(f"'{name}' is not the name of an operator; write e.g. mylib::crop")
    if "." in base:
        return opwright._C.require_operator(name)
    return getattr(getattr(opwright.ops, namespace), base)


def check(name: str, example: str, **options: Any) -> CheckReport:
    """Run opcheck on an example written as on the command line.

    >>> check("aten::sin", "ones(2)", examples=0, test_utils="schema").ok
    True
    """
    args, kwargs = read_example(example)
    return opcheck(find_operator(name), args, kwargs, raise_exception=False, **options)


def show_progress(line: CheckLine) -> None:
    """Print each finished check on the terminal; the table follows at the end."""
    print(f"\r{line.check:<16}", end="", file=sys.stderr, flush=True)


def run(options: Any) -> int:
    """Run the command; return 1 for faults and for operators that cannot be checked."""
    progress = show_progress if sys.stderr.isatty() else None
    ok = True
    try:
        for library in options.load:
            load(library)
        for example in options.example:
            report = check(
                options.name,
                example,
                test_utils=options.checks or "ALL",
                examples=options.examples,
                seed=options.seed,
                progress=progress,
            )
            if progress:
                print("\r", end="", file=sys.stderr)
            print(report.to_markdown() if options.markdown else report.table())
            ok &= report.ok
    except (AttributeError, ImportError, NameError, OSError, TypeError, ValueError) as problem:
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
        return 1
    return 0 if ok else 1
