"""Random operators inside vmap: refused, the same numbers, or different ones."""

import opwright as ow
import pytest
from opwright import vmap
from opwright.func import functionalize

from .samples import assert_same

DRAWS = {
    "rand": lambda x: ow.rand(4),
    "randn": lambda x: ow.randn(4, dtype=ow.float64),
    "randint": lambda x: ow.randint(1000, (4,)),
    "normal": lambda x: ow.normal(0.0, 1.0, (4,)),
    "randperm": lambda x: ow.randperm(20),
    "rand_like": lambda x: ow.rand_like(x),
    "randn_like": lambda x: ow.randn_like(x),
    "randint_like": lambda x: ow.randint_like(x, 1000),
    "uniform_": lambda x: x.clone().uniform_(),
    "normal_": lambda x: x.clone().normal_(),
    "exponential_": lambda x: x.clone().exponential_(),
    "bernoulli": lambda x: ow.bernoulli(x),
    "bernoulli.p": lambda x: ow.bernoulli(x, 0.5),
    "bernoulli_": lambda x: x.clone().bernoulli_(0.5),
    "poisson": lambda x: ow.poisson(x * 100),
    "multinomial": lambda x: ow.multinomial(x, 8, replacement=True),
    "dropout": lambda x: ow.nn.functional.dropout(x),
    "alpha_dropout": lambda x: ow.nn.functional.alpha_dropout(x, training=True),
}


def halves() -> ow.Tensor:
    return ow.full((8, 16), 0.5)


@pytest.mark.parametrize("name", DRAWS)
def test_a_random_operator_is_refused_unless_vmap_is_told_what_it_does(name):
    with pytest.raises(
        RuntimeError,
        match=r"aten::\w+(\.\w+)?: random numbers were requested inside vmap, but its randomness",
    ) as caught:
        vmap(DRAWS[name])(halves())

    assert 'Use vmap(..., randomness="different")' in str(caught.value)


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_numbers_are_drawn_for_every_sample(name):
    ow.manual_seed(1)
    drawn = vmap(DRAWS[name], randomness="same")(halves())
    ow.manual_seed(1)
    alone = DRAWS[name](halves()[0])

    for sample in drawn:
        assert_same(sample, alone)


@pytest.mark.parametrize("name", DRAWS)
def test_the_state_moves_on_as_for_one_sample(name):
    ow.manual_seed(1)
    vmap(DRAWS[name], randomness="same")(halves())
    after = ow.get_rng_state()
    ow.manual_seed(1)
    DRAWS[name](halves()[0])

    assert after.tolist() == ow.get_rng_state().tolist()


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_of_its_own_are_drawn_for_every_sample(name):
    alone = DRAWS[name](halves()[0])

    drawn = vmap(DRAWS[name], randomness="different")(halves())

    assert tuple(drawn.shape) == (8, *alone.shape)
    assert drawn.dtype == alone.dtype
    assert len({tuple(sample.tolist()) for sample in drawn}) > 1


def test_a_batch_in_another_dimension_is_drawn_for_too():
    x = ow.zeros(5, 8)

    vmap(lambda x: x.uniform_(1, 2), in_dims=1, randomness="different")(x)
    ow.manual_seed(3)
    same = vmap(lambda x: x.uniform_(1, 2), in_dims=1, randomness="same")(ow.zeros(5, 8))

    assert len({tuple(column.tolist()) for column in x.t()}) == 8
    assert len({tuple(sample.tolist()) for sample in same}) == 1


def test_a_tensor_that_all_samples_share_has_numbers_of_its_own_in_each():
    shared = ow.full((16,), 0.5)

    drawn = vmap(lambda x: ow.bernoulli(shared), randomness="different")(ow.zeros(8))

    assert len({tuple(sample.tolist()) for sample in drawn}) > 1


def test_a_shared_tensor_cannot_take_different_numbers():
    shared = ow.zeros(3)

    with pytest.raises(
        RuntimeError, match=r"aten::uniform_\(.* 'self' is written with values that"
    ):
        vmap(lambda x: shared.uniform_(), randomness="different")(ow.zeros(8))


def test_a_shared_tensor_takes_the_same_numbers():
    shared = ow.zeros(3)

    vmap(lambda x: shared.uniform_(1, 2), randomness="same")(ow.zeros(8))

    assert min(shared.tolist()) >= 1


def test_a_generator_of_its_own_is_used():
    generator = ow.Generator()
    generator.manual_seed(7)
    drawn = vmap(lambda x: ow.rand(3, generator=generator), randomness="same")(ow.zeros(2))
    generator.manual_seed(7)

    assert drawn[0].tolist() == drawn[1].tolist() == ow.rand(3, generator=generator).tolist()


def test_dropout_that_does_not_train_is_not_random():
    x = halves()

    assert_same(vmap(lambda x: ow.nn.functional.dropout(x, training=False))(x), x)


def test_functionalize_around_vmap_draws_what_vmap_draws():
    ow.manual_seed(5)
    plain = vmap(lambda x: x + ow.rand(3), randomness="different")(ow.zeros(2, 3))
    ow.manual_seed(5)
    functional = functionalize(vmap(lambda x: x + ow.rand(3), randomness="different"))(
        ow.zeros(2, 3)
    )

    assert_same(functional, plain)


@pytest.mark.parametrize("draw", [lambda x: x + ow.rand(16), lambda x: ow.bernoulli(x)])
def test_functionalize_inside_vmap_asks_what_vmap_asks(draw):
    with pytest.raises(RuntimeError, match=r"aten::\w+: random numbers were requested inside vmap"):
        vmap(functionalize(draw))(halves())

    ow.manual_seed(2)
    same = vmap(functionalize(draw), randomness="same")(halves())
    ow.manual_seed(2)
    alone = draw(halves()[0])
    different = vmap(functionalize(draw), randomness="different")(halves())

    assert all(sample.tolist() == alone.tolist() for sample in same)
    assert len({tuple(sample.tolist()) for sample in different}) > 1


def test_functionalize_inside_vmap_moves_the_state_on():
    def draw(x):
        return x + ow.rand(3)

    mapped = vmap(functionalize(draw), randomness="different")

    assert mapped(ow.zeros(2, 3)).tolist() != mapped(ow.zeros(2, 3)).tolist()


def test_functionalize_inside_vmap_is_traced_with_its_random_numbers():
    def draw(x):
        return ow.bernoulli(x)

    traced = ow.make_fx(vmap(functionalize(draw), randomness="different"))(halves())

    assert len({tuple(sample.tolist()) for sample in traced(halves())}) > 1
    assert traced(halves()).tolist() != traced(halves()).tolist()
