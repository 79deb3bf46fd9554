"""The default random number generator.

It is Philox 4x32-10: the numbers depend on the seed and on what was drawn before, not on the number
of threads.
"""

import contextlib
from collections.abc import Iterator

from . import _C
from ._C import Generator, Tensor, default_generator

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def manual_seed(seed: int) -> Generator:
    """Seed the generators of every device; return the generator of the CPU.

    >>> _ = ow.manual_seed(0)
    >>> first = ow.randn(2)
    >>> _ = ow.manual_seed(0)
    >>> ow.equal(first, ow.randn(2))
    True
    """
    _C.seed_default_generators(seed)
    return default_generator


def seed() -> int:
    """Seed the generators of every device unpredictably; return the seed.

    >>> ow.seed() == ow.initial_seed()
    True
    """
    chosen = Generator().seed()
    _C.seed_default_generators(chosen)
    return chosen


def initial_seed() -> int:
    """Return the seed last set.

    >>> _ = ow.manual_seed(7)
    >>> ow.initial_seed()
    7
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the CPU's generator as a uint8 tensor.

    >>> ow.get_rng_state().shape
    (16,)
    """
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Restore a state that get_rng_state returned.

    >>> state = ow.get_rng_state()
    >>> first = ow.rand(2)
    >>> ow.set_rng_state(state)
    >>> ow.equal(first, ow.rand(2))
    True
    """
    default_generator.set_state(state)


@contextlib.contextmanager
def fork_rng() -> Iterator[None]:
    """Restore the generator's state at the end of a `with` block.

    >>> before = ow.get_rng_state()
    >>> with ow.random.fork_rng():
    ...     _ = ow.rand(2)
    >>> ow.equal(before, ow.get_rng_state())
    True
    """
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
