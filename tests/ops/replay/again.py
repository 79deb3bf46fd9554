"""Reruns one saved call in this process and prints both results in full."""

from collections import Counter
from pathlib import Path

from . import kept_call
from .call import call_text, copy_arguments
from .conversion import convert
from .handwritten import find_overload
from .replayer import Replayer, find_ours


def run_again(path: Path, make: type[Replayer]) -> int:
    name, args, kwargs = kept_call.read(path)
    overload = find_overload(name.removeprefix("aten."))
    print(call_text(overload, args, kwargs))
    for index, value in enumerate([*args, *kwargs.values()]):
        print(f"argument {index}: {value}")
    ours = convert(copy_arguments(args, kwargs))
    theirs = copy_arguments(args, kwargs)
    print("torch:", result_of(lambda: overload(*theirs[0], **theirs[1])))
    print("ours: ", result_of(lambda: find_ours(name)(*ours[0], **ours[1])))
    replayer = make(lambda _: True, Counter(), set(), lambda *_: None)
    result_of(lambda: replayer.run_one(overload, args, kwargs))
    failures = replayer.outcome.failures[name]
    print("\n".join(f"{each.kind}: {each.problem}" for each in failures) or "passes")
    return 1 if failures else 0


def result_of(compute):
    try:
        return compute()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
