"""The child process: imports one test file, runs tests of it and reports each as a line of JSON.

Arguments: a JSON object with side, tests (the folder), file, ids (or null), share ([index, count]),
only, limit, and the number of the file descriptor for the reports.
"""

import contextlib
import fnmatch
import importlib.util
import json
import os
import re
import signal
import sys
import time
import traceback
import types
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path


class TimeLimit(BaseException):
    """The test ran past its time limit."""


class Recorder(unittest.TestResult):
    """Keeps the first failure of the test that runs."""

    def __init__(self) -> None:
        super().__init__()
        self.outcome = "pass"
        self.error: BaseException | None = None

    def _fail(self, outcome: str, error: BaseException | None = None) -> None:
        if self.outcome == "pass":
            self.outcome, self.error = outcome, error

    def addError(self, test: object, err: tuple) -> None:  # noqa: N802
        self._fail("fail", err[1])

    addFailure = addError  # noqa: N815

    def addSubTest(self, test: object, subtest: object, err: tuple | None) -> None:  # noqa: N802
        if err is not None:
            self._fail("fail", err[1])

    def addSkip(self, test: object, reason: str) -> None:  # noqa: N802
        self._fail("skip")

    def addExpectedFailure(self, test: object, err: tuple) -> None:  # noqa: N802
        self._fail("expected failure")

    def addUnexpectedSuccess(self, test: object) -> None:  # noqa: N802
        self._fail("unexpected success")


def leave_out_databases() -> None:
    """Let torch create no test over its databases of operators and modules."""
    from torch.testing._internal import common_device_type, common_modules

    def no_cases(*args: object) -> Iterator:
        return iter(())

    common_device_type.ops._parametrize_test = no_cases
    common_modules.modules._parametrize_test = no_cases


def phase_of(is_here: bool) -> contextlib.AbstractContextManager:
    """Return the context in which a test file is imported."""
    if not is_here:
        return contextlib.nullcontext()
    import opwright

    from .missing_names import import_phase

    return import_phase(type(opwright.ops.aten), type(opwright.ops.aten.add))


def import_file(folder: Path, name: str, is_here: bool) -> types.ModuleType:
    """Import the test file as a module of its stem."""
    path = folder / f"{name}.py"
    sys.path.insert(0, str(path.parent))
    sys.path.append(str(folder))
    sys.argv = [str(path)]
    if not is_here:
        leave_out_databases()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    with phase_of(is_here):
        spec.loader.exec_module(module)
    return module


def collect(module: types.ModuleType) -> dict[str, unittest.TestCase]:
    """Return the tests by id: the class and the method."""
    found: dict[str, unittest.TestCase] = {}
    waiting: list = [unittest.defaultTestLoader.loadTestsFromModule(module)]
    while waiting:
        test = waiting.pop()
        if isinstance(test, unittest.TestSuite):
            waiting.extend(test)
        elif isinstance(test, unittest.TestCase):
            found[f"{type(test).__name__}.{test._testMethodName}"] = test
    return dict(sorted(found.items()))


def stop_test(number: int, frame: object) -> None:
    raise TimeLimit


def run_test(test: unittest.TestCase, limit: int) -> tuple[Recorder, float]:
    """Run one test with a time limit and give its outcome and its seconds."""
    result = Recorder()
    start = time.monotonic()
    signal.signal(signal.SIGALRM, stop_test)
    signal.alarm(limit)
    try:
        unittest.TestSuite([test]).run(result)
    except TimeLimit as error:
        result._fail("hang", error)
    finally:
        signal.alarm(0)
    if isinstance(result.error, TimeLimit):
        result.outcome = "hang"
    return result, time.monotonic() - start


def describe(test: unittest.TestCase, result: Recorder, is_here: bool) -> dict:
    """Return what the classes of a result need: the error, its lines, its names."""
    if not is_here:
        return {"outcome": result.outcome, "text": str(result.error)[:300] if result.error else ""}
    from .raised_errors import Notes
    from .source_names import private_names, unresolved_private_names

    method = getattr(type(test), test._testMethodName)
    record: dict = {
        "outcome": result.outcome,
        "texts": Notes.texts,
        "reviewed": Notes.reviewed,
        "private": private_names(method),
    }
    if result.error is not None:
        record.update(describe_error(result.error))
        record["unresolved"] = unresolved_private_names(method)
    return record


def describe_error(error: BaseException) -> dict:
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "type": type(error).__name__,
        "text": str(error)[:600],
        "missing": missing_name(error),
        "expected_class": getattr(error, "torch_suite_expected", None),
        "lines": [
            f"{Path(frame.filename).name}:{frame.lineno}: {frame.line}" for frame in frames[-8:]
        ],
    }


def missing_name(error: BaseException | None) -> str | None:
    """Return the name of torch whose absence is the error's cause."""
    import opwright

    from .missing_names import MissingNameError
    from .name_mapping import COMPAT

    while error is not None:
        if isinstance(error, MissingNameError):
            return error.path
        if isinstance(error, ImportError) and error.name:
            name = error.name.removeprefix(COMPAT)
            if name.partition(".")[0] in ("torch", "functorch"):
                wanted = re.match(r"cannot import name '(\w+)'", str(error))  # as CPython 3.11 says
                return f"{name}.{wanted[1]}" if wanted else name
        if isinstance(error, AttributeError) and error.name:
            owner = error.obj
            if isinstance(owner, opwright.Tensor) or owner is opwright.Tensor:
                return f"torch.Tensor.{error.name}"
            kind = owner if isinstance(owner, type) else type(owner)
            if isinstance(owner, types.ModuleType):
                return f"{owner.__name__.removeprefix(COMPAT)}.{error.name}"
            if kind in (type(opwright.ops.aten), type(opwright.ops.aten.add)):
                path = repr(owner).strip("<>").rpartition(" ")[2].replace("::", ".")
                return f"torch.ops.{path}.{error.name}"
            if kind.__module__.startswith("opwright"):
                return f"{kind.__name__}.{error.name}"
        error = error.__cause__ or error.__context__
    return None


def missing_function(test_id: str) -> str | None:
    """Return the function that a test is generated for, `test_nn_functional_<name>`, if missing."""
    import opwright

    found = re.search(r"\.test_nn_functional_(\w+)$", test_id)
    if found is None or hasattr(opwright.nn.functional, found[1]):
        return None
    return f"torch.nn.functional.{found[1]}"


def main() -> None:
    order = json.loads(sys.argv[1])
    is_here = order["side"] == "here"
    reports = os.fdopen(order["reports"], "w", buffering=1)

    def report(**entry: object) -> None:
        reports.write(json.dumps(entry) + "\n")

    warnings.simplefilter("ignore")
    if is_here:
        from . import name_mapping, raised_errors
        from .reviews import Reviews

        name_mapping.install()
        raised_errors.install(Reviews(order["file"]))
    try:
        tests = collect(import_file(Path(order["tests"]), order["file"], is_here))
    except BaseException as error:
        report(event="import failed", text="".join(traceback.format_exception(error))[-3000:])
        raise
    ids = order["ids"]
    if ids is None:
        ids = [each for each in tests if matches(each, order["only"])]
        index, count = order["share"]
        ids = ids[len(ids) * index // count : len(ids) * (index + 1) // count]
    report(event="tests", ids=ids)
    for test_id in ids:
        report(event="start", id=test_id)
        if test_id not in tests:
            record = {"outcome": "not collected", "missing": missing_function(test_id)}
            report(event="end", id=test_id, record=record)
            continue
        if is_here:
            from .raised_errors import Notes

            Notes.start(test_id)
        result, seconds = run_test(tests[test_id], order["limit"])
        record = describe(tests[test_id], result, is_here)
        report(event="end", id=test_id, record={**record, "seconds": round(seconds, 2)})
    reports.close()
    sys.stdout.flush()
    os._exit(0)  # threads or hooks that a test left behind do not keep the process


def matches(test_id: str, only: str | None) -> bool:
    return only is None or only in test_id or fnmatch.fnmatchcase(test_id, only)


if __name__ == "__main__":
    main()
