"""Generators, seeds and random tensors in Python."""

import threading

import numpy as np
import opwright as ow
import pytest


def test_a_seed_gives_the_same_numbers():
    ow.manual_seed(5)
    first = ow.randn(4).tolist()

    generator = ow.manual_seed(5)

    assert ow.randn(4).tolist() == first
    assert generator == ow.default_generator
    assert ow.initial_seed() == 5


def test_a_generator_is_a_stream_of_its_own():
    a = ow.Generator().manual_seed(1)
    b = ow.Generator("cpu").manual_seed(1)
    ow.rand(3)
    first = ow.rand(3, generator=a)
    ow.rand(3, generator=a)

    assert ow.equal(first, ow.rand(3, generator=b))
    assert a != b
    assert repr(a) == "Generator(device='cpu')"
    assert a.device == ow.device("cpu")


def test_a_new_generator_has_the_seed_of_torch():
    assert ow.Generator().initial_seed() == 67280421310721


def test_a_state_is_a_tensor_to_go_on_from():
    generator = ow.Generator().manual_seed(3)
    ow.rand(100, generator=generator)
    state = generator.get_state()
    expected = ow.randint(0, 100, (5,), generator=generator)

    other = ow.Generator().set_state(state)

    assert state.dtype == ow.uint8
    assert ow.equal(ow.randint(0, 100, (5,), generator=other), expected)
    assert other.initial_seed() == 3


def test_the_default_state_can_be_kept_and_put_back():
    state = ow.get_rng_state()
    first = ow.rand(3)
    ow.set_rng_state(state)
    with ow.random.fork_rng():
        assert ow.equal(ow.rand(3), first)

    assert ow.equal(ow.rand(3), first)


def test_seeds_may_be_negative_or_of_64_bits():
    generator = ow.Generator()

    assert generator.manual_seed(-1).initial_seed() == 2**64 - 1
    assert generator.manual_seed(2**64 - 1).initial_seed() == 2**64 - 1
    assert generator.manual_seed(np.int64(4)).initial_seed() == 4
    with pytest.raises(OverflowError, match="manual_seed: the seed 18446744073709551616 does not"):
        generator.manual_seed(2**64)
    with pytest.raises(TypeError):
        generator.manual_seed("1")


def test_seed_is_not_predictable():
    assert ow.seed() != ow.seed()
    assert ow.seed() == ow.initial_seed()
    generator = ow.Generator()
    assert generator.seed() == generator.initial_seed()


def test_what_is_no_state_is_refused():
    generator = ow.Generator()

    with pytest.raises(TypeError, match="set_state: the state of a generator is a uint8 tensor"):
        generator.set_state([1, 2])
    with pytest.raises(ValueError, match="set_state: the state of a generator has 16 bytes"):
        generator.set_state(ow.zeros(3, dtype=ow.uint8))


def test_creation_takes_sizes_dtype_device_generator_and_requires_grad():
    generator = ow.Generator()

    x = ow.rand(2, 3, dtype=ow.float64, device="cpu", generator=generator, requires_grad=True)

    assert (x.shape, x.dtype, x.requires_grad) == ((2, 3), ow.float64, True)
    assert ow.randn([2, 3], generator=generator).shape == (2, 3)
    assert ow.randn(2).shape == (2,)
    assert ow.randn(()).shape == ()
    assert ow.randint(3, (2,)).dtype == ow.int64
    assert ow.randint(1, 3, (2,), dtype=ow.int8, generator=generator).dtype == ow.int8
    assert sorted(ow.randperm(5, generator=generator).tolist()) == [0, 1, 2, 3, 4]
    assert ow.rand_like(x, dtype=ow.float32).shape == (2, 3)
    assert ow.randn_like(x, generator=generator).dtype == ow.float64
    assert ow.randint_like(x, 3, 4).tolist() == [[3.0] * 3] * 2
    assert ow.normal(1.0, 0.0, (2,)).tolist() == [1.0, 1.0]
    assert ow.bernoulli(ow.ones(2)).tolist() == [1.0, 1.0]
    assert ow.multinomial(ow.tensor([0.0, 1.0]), 1).tolist() == [1]


def test_tensors_have_the_methods():
    x = ow.empty(1000)

    assert x.uniform_() is x
    assert 0 <= x.min().item() < x.max().item() < 1
    assert 2 <= x.uniform_(2, 3).min().item() < 3
    assert abs(x.normal_(5, 0.1).mean().item() - 5) < 0.1
    assert set(x.bernoulli_(0.5).tolist()) == {0.0, 1.0}
    assert set(x.bernoulli_().tolist()) == {0.0, 1.0}
    assert set(x.random_(3).tolist()) == {0.0, 1.0, 2.0}
    assert set(x.random_(3, 5).tolist()) == {3.0, 4.0}
    assert x.random_().max().item() > 1000
    assert x.exponential_(2.0).min().item() > 0
    assert ow.full((5,), 0.5).bernoulli().shape == (5,)


def test_dropout_scales_what_it_keeps():
    ow.manual_seed(0)

    dropped = ow.dropout(ow.ones(1000), 0.5, True)

    assert set(dropped.tolist()) == {0.0, 2.0}
    x = ow.ones(3)
    assert ow.dropout(x, 0.5, False).tolist() == x.tolist()


def test_errors_name_the_operator_and_the_argument():
    with pytest.raises(ValueError, match="normal_: std must not be negative, got -1"):
        ow.empty(2).normal_(0, -1)
    with pytest.raises(ValueError, match="randint: high must be above low, got low=3 and high=3"):
        ow.randint(3, 3, (2,))
    with pytest.raises(TypeError, match="rand"):
        ow.rand(2, generator=3)


def test_meta_tensors_draw_nothing():
    generator = ow.Generator().manual_seed(1)
    state = generator.get_state()

    x = ow.rand(2, 3, device="meta")

    assert x.normal_(generator=generator).shape == (2, 3)
    assert ow.equal(generator.get_state(), state)


def test_a_python_operator_takes_a_generator():
    @ow.library.custom_op("test_random::noisy", mutates_args=())
    def noisy(x: ow.Tensor, generator: ow.Generator | None = None) -> ow.Tensor:
        return x + ow.rand(3, generator=generator)

    schema = str(ow.ops.test_random.noisy.default._schema)
    first = noisy(ow.zeros(3), ow.Generator().manual_seed(2))

    assert "Generator? generator=None" in schema
    assert ow.equal(first, ow.rand(3, generator=ow.Generator().manual_seed(2)))


def test_threads_share_the_default_generator():
    drawn = []

    def draw() -> None:
        drawn.extend(ow.rand(2000, dtype=ow.float64).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(drawn)) == 8000


def test_other_creation_functions():
    assert ow.eye(2).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert ow.eye(1, 2, dtype=ow.int64, requires_grad=False).tolist() == [[1, 0]]
    assert ow.logspace(0, 2, 3).tolist() == [1.0, 10.0, 100.0]
    assert ow.tril_indices(2, 2).tolist() == [[0, 1, 1], [0, 0, 1]]
    assert ow.triu_indices(2, 2, 1).tolist() == [[0], [1]]
    assert ow.complex(ow.ones(1), ow.zeros(1)).tolist() == [1 + 0j]
    assert ow.polar(ow.ones(1), ow.zeros(1)).tolist() == [1 + 0j]
    x, y = ow.meshgrid([ow.arange(2), ow.arange(3)], indexing="xy")
    assert (x.shape, y.shape) == ((3, 2), (3, 2))
