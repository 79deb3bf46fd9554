"""Runs one call in torch and in ours, compares, and counts."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import opwright as ow
import torch

from . import derived, differences
from .call import (
    NotReplayableError,
    call_text,
    copy_arguments,
    leaves_of,
    list_of,
    map_values,
    signature,
    tensors_of,
)
from .comparison import (
    TOLERANCES,
    DifferenceError,
    compare_form,
    compare_result,
    compare_sharing,
    compare_ties,
    turned,
)
from .conversion import convert, on_meta
from .exact import Exact
from .kept_call import to_bytes
from .mutation import mutate

TORCHS = "torch's "  # prefix of the name while torch runs the call
FORMS = 3  # calls of each other form of an overload and dtypes, in a worker
SHOWN = 4  # failing calls kept per overload and job


def find_ours(overload: str):
    """Return our operator for "aten.add.Tensor", or None."""
    namespace, name, form = overload.split(".")
    if namespace != "aten" or not hasattr(ow.ops.aten, name):
        return None
    packet = getattr(ow.ops.aten, name)
    return getattr(packet, form) if form in packet.overloads() else None


class ReplayFault(BaseException):
    """An error of the replay itself; not an Exception, so that it is not mistaken for torch's."""


class TorchCrashesError(RuntimeError):
    """torch crashed in a call of this signature before; the call is not repeated."""


@contextmanager
def fault_of_the_replay() -> Iterator[None]:
    try:
        yield
    except TorchCrashesError:
        raise
    except Exception as error:
        raise ReplayFault(str(error)) from error


@dataclass
class Failure:
    kind: str
    call: str
    problem: str
    entry: str
    saved: bytes | None  # for --again


def saved(overload, arguments) -> bytes | None:
    return None if arguments is None else to_bytes(str(overload), arguments)


class Outcome:
    """What one job found; created in a worker, merged by the parent."""

    def __init__(self):
        self.counts: dict[str, Counter] = defaultdict(Counter)
        self.failures: dict[str, list[Failure]] = defaultdict(list)
        self.not_ours: Counter = Counter()
        self.left_out: Counter = Counter()
        self.seen: Counter = Counter()
        self.faults: list[str] = []  # jobs that ended with an error of the replay itself
        self.reached: dict[str, set] = defaultdict(set)
        self.narrower: dict[str, str] = {}  # sizes that guards reject and the operator accepts
        self.told: dict[str, Counter] = defaultdict(Counter)  # other reports per overload
        # What entries call forward that is not ours, and whether they call anything that is.
        self.lacking: dict[str, set] = defaultdict(set)
        self.called: set[str] = set()

    def merge(self, other: "Outcome") -> None:
        for overload, counts in other.counts.items():
            self.counts[overload].update(counts)
        for overload, failures in other.failures.items():
            self.failures[overload] += failures
        self.not_ours.update(other.not_ours)
        self.left_out.update(other.left_out)
        self.seen.update(other.seen)
        self.faults += other.faults
        for overload, entries in other.reached.items():
            self.reached[overload] |= entries
        self.narrower = other.narrower | self.narrower
        for overload, texts in other.told.items():
            self.told[overload].update(texts)
        for entry, names in other.lacking.items():
            self.lacking[entry] |= names
        self.called |= other.called


class Replayer:
    """`seen` holds the signatures replayed so far; `announce` gets each call before it is made."""

    variants = 2  # calls that differ only in values

    def __init__(self, wanted, seen: Counter, crashed: set, announce):
        self.wanted = wanted
        self.seen = seen
        self.crashed = crashed
        self.announce = announce
        self.outcome = Outcome()
        self.tolerances = TOLERANCES
        self.entry = ""
        self.known: dict[str, object] = {}
        self.mutations = 0  # variants of each call that also run
        self.is_variant = False
        self.forms = FORMS
        self.is_form = False  # the call was made from another form's
        self.composites = 0  # of ours, entered: what they call need not be ours
        self.is_entry = False  # the entry's function runs on a sample
        self.rng = random.Random(0)

    def ours(self, overload) -> object:
        name = str(overload)
        if name not in self.known:
            self.known[name] = find_ours(name) if name.count(".") == 2 else None
        return self.known[name]

    def takes(self, overload, args, kwargs) -> str | None:
        """Return the signature if the call is to be replayed."""
        name = str(overload)
        self.outcome.reached[name].add(self.entry)
        if self.ours(overload) is None:
            self.outcome.not_ours[name] += 1
            is_constant = differences.find(differences.CONSTANTS, name) is not None
            if self.is_entry and not self.composites and not is_constant:
                self.outcome.lacking[self.entry].add(name)
            return None
        if self.is_entry:
            self.outcome.called.add(self.entry)
        if not self.wanted(name):
            return None
        key = signature(overload, args, kwargs)
        if TORCHS + key in self.crashed:
            raise TorchCrashesError(key)
        if key in self.crashed:
            return None
        if self.seen[key] >= self.variants:
            self.announce(TORCHS + name, key, name)  # torch may crash on these values only
            return None
        self.seen[key] += 1
        self.outcome.seen[key] += 1
        return key

    def run(self, overload, args: tuple, kwargs: dict, compute=None):
        """Run the call in torch and return its result; replay it, and its other forms, if required.

        `compute` runs torch's side on the original arguments, if it is not the overload itself.
        """
        forms = self.forms_to_run(overload, args, kwargs)
        if not forms:
            return self.run_one(overload, args, kwargs, compute)
        try:
            spare = copy_arguments(args, kwargs)
        except NotReplayableError:
            return self.run_one(overload, args, kwargs, compute)
        result = self.run_one(overload, args, kwargs, compute)
        self.run_forms(forms, overload, spare, result)
        return result

    def forms_to_run(self, overload, args: tuple, kwargs: dict) -> list[tuple]:
        """Return pairs: a form of the overload (derived.py), and how often it ran."""
        if self.is_variant or self.is_form:
            return []
        found = []
        for form in derived.forms_of(overload):
            if self.ours(form) is None or not self.wanted(str(form)):
                continue
            dtypes = {str(each.dtype) for each in tensors_of((args, kwargs))}
            key = f"form {form} {sorted(dtypes)}"
            if self.seen[key] < self.forms:
                found.append((form, self.seen[key]))
                self.seen[key] += 1
                self.outcome.seen[key] += 1
        return found

    def run_forms(self, forms: list[tuple], overload, spare: tuple[tuple, dict], result) -> None:
        self.is_form = True
        try:
            for form, count in forms:
                with suppress(
                    derived.ImpossibleError,
                    NotReplayableError,
                    RuntimeError,
                    IndexError,
                    TypeError,
                    ValueError,
                    NotImplementedError,
                ):
                    call = derived.call_of(form, overload, *spare, result, fits=count % 2 == 0)
                    with torch.no_grad():
                        self.run_one(form, *call)
        finally:
            self.is_form = False

    def run_one(self, overload, args: tuple, kwargs: dict, compute=None):
        compute = compute or (lambda: overload(*args, **kwargs))
        with fault_of_the_replay():
            key = self.takes(overload, args, kwargs)
        if key is None:
            return compute()
        try:
            copies = copy_arguments(args, kwargs)
            ours = convert(copies)
        except NotReplayableError as problem:
            self.outcome.left_out[str(problem)] += 1
            return compute()
        except Exception as problem:  # our conversion failed: our fault, not the sample's
            text = call_text(overload, args, kwargs)
            self.outcome.counts[str(overload)]["calls"] += 1
            self.fail(overload, None, "raised", f"arguments: {problem}", text)
            return compute()
        text = call_text(overload, args, kwargs)
        # For --again: the arguments before the call.
        spare = copy_arguments(*copies) if overload._schema.is_mutable else copies
        self.announce(f"{TORCHS}{overload}", key, text)
        try:
            result = compute()
        except Exception as refusal:
            with fault_of_the_replay():
                self.check_refusal(overload, ours, refusal, key, text, spare)
            raise
        with fault_of_the_replay():
            self.check(overload, (args, kwargs), copies, ours, result, key, text, spare)
        if self.mutations:
            self.run_mutations(overload, spare)
        return result

    def run_mutations(self, overload, spare: tuple[tuple, dict]) -> None:
        """Run variants of a call that torch accepted (see mutation.py)."""
        count, self.mutations = self.mutations, 0  # variants have no variants
        self.is_variant = True
        try:
            for _ in range(count):
                # An error of the change itself, or of torch in the call, is not a failure here.
                with suppress(RuntimeError, IndexError, TypeError, ValueError, NotImplementedError):
                    variant = mutate(self.rng, self.ours(overload), *spare)
                    if variant is None:
                        continue
                    if differences.find(differences.UNSAFE, str(overload)):
                        self.run_ours_alone(overload, *variant)
                    elif signature(overload, *variant) not in self.crashed:
                        self.run_one(overload, *variant)
        finally:
            self.mutations, self.is_variant = count, False

    def run_ours_alone(self, overload, args: tuple, kwargs: dict) -> None:
        """Run a variant that might crash torch: it must not crash ours."""
        key = self.takes(overload, args, kwargs)
        if key is None:
            return
        self.announce(str(overload), key, call_text(overload, args, kwargs))
        copied_args, copied_kwargs = convert(copy_arguments(args, kwargs))
        with suppress(Exception):
            self.ours(overload)(*copied_args, **copied_kwargs)

    def check(self, overload, torchs, copies, ours, result, key, text, spare) -> None:
        self.announce(str(overload), key, text)
        name = str(overload)
        self.outcome.counts[name]["calls"] += 1
        try:
            self.compare(overload, torchs, copies, ours, result, Exact(overload, spare))
            self.announce(f"{TORCHS}{overload}", key, text)
        except NotReplayableError as problem:
            self.outcome.counts[name]["calls"] -= 1
            self.outcome.left_out[str(problem)] += 1
        except DifferenceError as difference:
            self.fail(overload, spare, difference.kind, str(difference), text)
        else:
            self.outcome.counts[name]["passed"] += 1

    def compare(self, overload, torchs, copies, ours, result, exact: Exact) -> None:
        name = str(overload)
        operator = our_form(self.ours(overload), overload, ours)
        for tensor in tensors_of(result):
            convert(tensor.dtype)
            if tensor.layout != torch.strided:
                raise NotReplayableError(str(tensor.layout))
        fake = None
        if not differences.depends_on_data(name, tensors_of(copies)):
            fake = convert(copies, is_fake=True)
        try:
            actual = operator(*ours[0], **ours[1])
        except Exception as error:
            if differences.is_refused(name, str(error)):
                raise NotReplayableError("refused on purpose") from error
            if self.is_variant and all(each.numel() == 0 for each in tensors_of(result)):
                raise NotReplayableError("refused, where torch has nothing to compute") from error
            raise DifferenceError("raised", f"{type(error).__name__}: {error}") from error
        values = not differences.is_random(name, *torchs)
        is_copy = differences.find(differences.COPIES, name) is not None
        is_lazy = any(each.is_conj() or each.is_neg() for each in tensors_of(torchs))
        strides = not (is_copy or is_lazy or differences.find(differences.STRIDES, name))
        results, expected = leaves_of(actual), leaves_of(result)
        if len(results) != len(expected):
            raise DifferenceError("shape", f"{len(results)} results, torch: {len(expected)}")
        tolerances = differences.tolerances(name, self.tolerances)
        pairs = list(zip(results, expected, strict=True))
        if differences.find(differences.TIES, name):
            compare_ties(overload, copies, results, expected)
            pairs = pairs[:1]
        factors = differences.find(differences.FACTORS, name) or {}
        for index, (mine, theirs) in enumerate(pairs):
            compare_result(
                mine if index not in factors else turned(mine, theirs, factors[index]),
                theirs,
                tolerances,
                partial(exact.result, index),
                values=values,
                strides=strides,
                infinite=not differences.find(differences.INFINITE, name),
            )
        self.compare_written(overload, torchs, ours, exact, values=values, strides=strides)
        if not is_copy:
            compare_sharing(
                results, expected, our_tensors(ours), tensors_of(copies), tensors_of(torchs)
            )
        if fake is not None:
            self.compare_fake(overload, operator, fake, expected, strides)

    def compare_written(self, overload, torchs, ours, exact: Exact, **compared: bool) -> None:
        for index, argument in enumerate(overload._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            if argument.name == "indices" and differences.find(differences.TIES, str(overload)):
                continue  # compare_ties looks at them
            wide = partial(exact.argument, index, argument.name)
            theirs = list_of(argument_of(torchs, index, argument.name))
            mine = list_of(argument_of(ours, index, argument.name))
            for part, (each, expected) in enumerate(zip(mine, theirs, strict=True)):
                get_exact = partial(lambda part, wide: list_of(wide())[part], part, wide)
                compare_result(each, expected, self.tolerances, get_exact, **compared)

    def compare_fake(self, overload, operator, fake, expected: list, strides: bool) -> None:
        try:
            args, kwargs = fake
            results = leaves_of(operator(*args, **on_meta(args, kwargs, self.ours(overload))))
        except Exception as error:
            raise DifferenceError("fake", f"fake: {type(error).__name__}: {error}") from error
        for mine, theirs in zip(results, expected, strict=True):
            if not isinstance(theirs, torch.Tensor) or not isinstance(mine, ow.Tensor):
                continue
            try:
                compare_form(mine, theirs, strides=strides)
            except DifferenceError as difference:
                raise DifferenceError("fake", f"fake: {difference}") from difference

    def check_refusal(self, overload, ours, refusal, key, text, spare) -> None:
        name = str(overload)
        if isinstance(refusal, NotImplementedError) or "not implemented for" in str(refusal):
            self.outcome.left_out["torch lacks a kernel"] += 1
            return
        self.announce(name, key, text)
        refuses = False
        try:
            our_form(self.ours(overload), overload, ours)(*ours[0], **ours[1])
        except Exception:
            refuses = True
        if not refuses and differences.is_accepted(name, str(refusal)):
            self.outcome.left_out["accepted on purpose"] += 1
            return
        self.outcome.counts[name].update({"calls": 1, "refusals": 1, "passed": int(refuses)})
        if not refuses:
            torchs = str(refusal).splitlines()[0][:200] if str(refusal) else type(refusal).__name__
            self.fail(overload, spare, "accepted", f"torch refuses: {torchs}", text)

    def fail(self, overload, spare, kind: str, problem: str, text: str) -> None:
        name = str(overload)
        self.outcome.counts[name][kind] += 1
        failures = self.outcome.failures[name]
        if len(failures) < SHOWN:
            failures.append(Failure(kind, text, problem, self.entry, saved(overload, spare)))


def argument_of(arguments: tuple[tuple, dict], index: int, name: str):
    args, kwargs = arguments
    return kwargs.get(name) if index >= len(args) else args[index]


def our_form(operator, overload, arguments: tuple[tuple, dict]):
    """Return the operator; its packet if torch passes a number for a tensor, our Scalar."""
    for index, argument in enumerate(overload._schema.arguments):
        value = argument_of(arguments, index, argument.name)
        if str(argument.type) == "Tensor" and isinstance(value, int | float | complex):
            return getattr(ow.ops.aten, operator.base)
    return operator


def our_tensors(value) -> list:
    found = []
    map_values(lambda leaf: found.append(leaf) if isinstance(leaf, ow.Tensor) else None, value)
    return found
