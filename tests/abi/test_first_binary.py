"""Runs the first binary of ABI 1.0, never rebuilt: every host of major version 1 must run it."""

import hashlib
import math
from pathlib import Path

import opwright as ow
import pytest

FOLDER = Path(__file__).resolve().parent
LIBRARY = FOLDER / "first_binary_1_0.so"
SHA256 = "aeac66d9a7f31a6c127473361d9045d02a84381e0fca250521889d6658061f0c"


# ---- For every host: `ops` is the namespace of the binary, `library` the package of its tensors --


def check(ops, library):
    """Call everything that needs no transform: `check(torch.ops.first_binary, torch)`."""
    check_arguments(ops, library)
    check_results(ops, library)
    check_rules(ops, library)
    check_gradients(ops, library)
    check_errors(ops, library)


def check_arguments(ops, library):
    one = library.tensor([1.0])
    numbers = ops.numbers(one.double(), 1, 2, 0.5, True, 3 + 4j, 5)
    assert numbers.tolist() == [5_431_021.5]
    assert ops.numbers(one, 1, 2, 0.5, False, 0j, 2.0).tolist() == [2_000_021.5]

    place = (library.device("cpu"), library.strided, library.contiguous_format)
    doubled = ops.names(one, "double", library.float64, *place)
    assert (doubled.dtype, doubled.tolist()) == (library.float64, [2.0])
    assert ops.names(one, "", library.float32, *place).tolist() == [1.0]

    listed = ops.lists(one, [1, 2], [3], [0.25, 0.25], [True, False], ["a", "bc"], [1, 2.0])
    assert listed.tolist() == [331_034.5]
    assert ops.lists(one, [], [], [], [], [], []).tolist() == [1.0]

    assert ops.tensors(one, one, [one, one], [one, None]).tolist() == [122.0]
    assert ops.tensors(one, None, [], []).tolist() == [1.0]

    assert ops.optionals(one).tolist() == [1.0]
    given = ops.optionals(one, 1, f=0.5, b=True, word="ab", ints=[7], dtype=library.float64)
    assert (given.dtype, given.tolist()) == (library.float64, [12_102.5])

    first = ops.noise(one, generator=library.Generator().manual_seed(3))
    again = ops.noise(one, generator=library.Generator().manual_seed(3))
    assert first.tolist() == again.tolist()
    assert ops.noise(one).shape == one.shape


def check_results(ops, library):
    x = library.tensor([[1.0, 2.0], [3.0, 4.0]])
    first, second = ops.two(x)
    assert (first.tolist(), second.tolist()) == ([[2, 3], [4, 5]], [[2, 4], [6, 8]])
    assert [each.tolist() for each in ops.many(x[0])] == [[0, 0], [1, 2]]
    assert len(ops.many(x, 0)) == 0
    assert tuple(ops.measure(x)) == (4, 1.0, True)
    assert ops.describe(x) == "float32[2, 2]"
    assert ops.ignore(x) is None
    assert ops.is_on_default_stream(x) is True
    assert ops.shifted(x[0], 0.5).tolist() == [1.5, 2.5]


def check_rules(ops, library):
    x = library.tensor([float(i) for i in range(100)])
    assert ops.bend(x, 50.0)[10].item() == pytest.approx(50 * math.tanh(0.2), rel=1e-6)
    assert ops.twice_bent(x)[1].item() == pytest.approx(2 * math.tanh(math.tanh(0.5)), rel=1e-6)

    x = library.tensor([1.0, -2.0, 3.0])
    assert ops.square_(x) is None
    assert x.tolist() == [1, 4, 9]
    assert ops.scale_(x, 0.5).tolist() == [0.5, 2, 4.5]
    assert x.tolist() == [0.5, 2, 4.5]

    rows = library.tensor([[1.0, 2.0], [3.0, 4.0]])
    ops.first_row(rows).mul_(10)
    assert rows.tolist() == [[10, 20], [3, 4]]

    assert ops.pair_rows(library.tensor([1.0, 2.0, 3.0, 4.0])).tolist() == [[1, 2], [3, 4]]
    assert ops.positive(library.tensor([1.0, -2.0, 3.0])).tolist() == [1, 3]


def check_gradients(ops, library):
    x = library.tensor([0.5], requires_grad=True)
    ops.bend(x, 2.0).sum().backward()
    assert x.grad.item() == pytest.approx(1 - math.tanh(0.25) ** 2, rel=1e-5)

    x = library.tensor([3.0], requires_grad=True)
    y = x * 1.0
    ops.square_(y)
    ops.scale_(y, 0.5).sum().backward()
    assert x.grad.tolist() == [3.0]


def check_errors(ops, library):
    x = library.tensor([1.0, 2.0])
    assert ops.fail(x, "not at all").tolist() == [1, 2]
    for how, kind, text in (
        ("check", RuntimeError, r"fail: a check failed for float32\[2\]"),
        ("value", ValueError, "fail: a value was wrong"),
        ("index", IndexError, "fail: an index was wrong"),
        ("standard", RuntimeError, r"fail: an exception of the C\+\+ library"),
        ("worker", ValueError, "fail: a worker found 500"),
        ("type", (TypeError, RuntimeError), "fail: a type was wrong"),
        ("import", RuntimeError, "self must"),
    ):
        with pytest.raises(kind, match=text):
            ops.fail(x, how)
    with pytest.raises(ValueError, match="bend: width must be positive, got -1"):
        ops.bend(x, -1.0)


# ---- In the core ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ops():
    """Return the operators of the kept file."""
    ow.load_library(LIBRARY)
    return ow.ops.first_binary


def test_the_kept_file_is_the_one_that_was_built():
    assert hashlib.sha256(LIBRARY.read_bytes()).hexdigest() == SHA256


def test_it_runs_in_the_core(ops):
    check(ops, ow)


def test_its_fake_kernels_give_shapes_with_symbols(ops):
    with ow.FakeTensorMode(shape_env=ow.ShapeEnv()):
        x = ow.empty(6)
        assert ops.bend(x).shape == (6,)
        assert ops.pair_rows(x).shape == (3, 2)
        assert ow.is_symbolic(ops.positive(x).shape[0])


def test_it_is_traced_with_symbolic_sizes(ops):
    traced = ow.make_fx(lambda x: ops.pair_rows(ops.bend(x, 2.0)), tracing_mode="symbolic")(
        ow.ones(6)
    )
    text = str(traced.graph)
    assert "first_binary::bend" in text
    assert "first_binary::pair_rows" in text
    assert traced(ow.zeros(8)).shape == (4, 2)


def test_its_rules_of_forward_mode_and_vmap_run(ops):
    x = ow.tensor([0.5, 1.0])
    slope = [1 - math.tanh(each / 2) ** 2 for each in (0.5, 1.0)]
    value, tangent = ow.func.jvp(lambda x: ops.bend(x, 2.0), (x,), (ow.ones(2),))
    assert tangent.tolist() == pytest.approx(slope, rel=1e-5)
    mapped = ow.vmap(lambda x: ops.bend(x, 2.0))(ow.stack([x, x]))
    assert mapped[1].tolist() == value.tolist()


def test_its_views_and_writes_are_functionalized(ops):
    def program(x):
        y = x * 1.0
        ops.first_row(y).mul_(10)
        ops.square_(y)
        return y

    traced = ow.make_fx(ow.func.functionalize(program))(ow.ones((2, 1)))
    assert "square_" not in str(traced.graph).replace("square_functional", "")
    assert traced(ow.ones((2, 1))).tolist() == [[100], [1]]


def test_its_autocast_rule_casts(ops):
    with ow.autocast("cpu", dtype=ow.bfloat16):
        assert ops.bend(ow.ones(2)).dtype == ow.bfloat16


# ---- In other hosts ------------------------------------------------------------------------------


def test_it_runs_in_torch():
    torch = pytest.importorskip("torch")
    bridge = pytest.importorskip("opwright.torch")
    with bridge.load(LIBRARY):
        check(torch.ops.first_binary, torch)


def test_it_runs_in_jax():
    jax = pytest.importorskip("jax")
    bridge = pytest.importorskip("opwright.jax")
    bridge.load(LIBRARY)
    ops = bridge.ops.first_binary
    x = jax.numpy.asarray([0.5, 1.0], dtype="float32")

    slope = [1 - math.tanh(each / 2) ** 2 for each in (0.5, 1.0)]
    gradient = jax.jit(jax.grad(lambda x: ops.bend(x, width=2.0).sum()))(x)
    assert gradient.tolist() == pytest.approx(slope, rel=1e-5)
    assert jax.jit(ops.tensors)(x, None, [x, x], [x]).tolist() == [60.5, 121.0]
    assert [each.tolist() for each in ops.two(x)] == [[1.5, 2.0], [1.0, 2.0]]
    assert len(jax.jit(ops.many)(x)) == 2
    with pytest.raises(Exception, match="bend: width must be positive, got -1"):
        ops.bend(x, width=-1.0).block_until_ready()
