"""The same program with torch and with compat gives the same: values, classes of errors, types."""

import collections
import itertools
import typing

import opwright.compat.torch as compat
import pytest

COUNTER = itertools.count()
CASES = []


def case(function):
    CASES.append(function)
    return function


def name_of(lib):
    return f"same_as_torch_{lib.__name__.split('.')[0]}_{next(COUNTER)}"


def raises(kind, function, *args):
    """Return whether a call raises an error of this kind."""
    try:
        function(*args)
    except kind:
        return True
    return False


def plain(value):
    """Return tensors as lists of rounded numbers, and containers with their classes."""
    if hasattr(value, "detach"):
        return [str(value.dtype).split(".")[-1], tuple(value.shape), rounded(value.tolist())]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(plain(each) for each in value)]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return rounded(value)


def rounded(value):
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def leaf(lib, *values, **options):
    return lib.tensor([*values], requires_grad=True, **options)


def gradients(output, *inputs):
    output.sum().backward()
    return [each.grad for each in inputs]


# ---- Silent ----


@case
def results_that_are_inputs(lib):
    def define(function):
        return lib.library.custom_op(f"{name_of(lib)}::f", function, mutates_args=())

    def same(x: lib.Tensor) -> lib.Tensor:
        return x

    def view(x: lib.Tensor) -> lib.Tensor:
        return x.view(-1)

    def second(x: lib.Tensor) -> tuple[lib.Tensor, lib.Tensor]:
        return x + 1, x

    def twice(x: lib.Tensor) -> tuple[lib.Tensor, lib.Tensor]:
        y = x + 1
        return y, y

    def listed(x: lib.Tensor) -> list[lib.Tensor]:
        return [x]

    x = lib.ones(2, 2)
    return [raises(RuntimeError, define(each), x) for each in (same, view, second, twice, listed)]


@case
def retain_grad_before_a_write(lib):
    x = leaf(lib, 1.0, 1.0)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    return [*gradients(y, x), y.grad]


@case
def gradients_at_special_points(lib):
    a, b = leaf(lib, 0.0, 0.0, 1.0), leaf(lib, 0.0, 1.0, 0.0)
    base, exponent = leaf(lib, -2.0 + 0j), leaf(lib, 0.5 + 1j)
    real = leaf(lib, -2.0, 3.0)
    return [
        gradients(lib.atan2(a, b), a, b),
        [lib.view_as_real(g) for g in gradients(lib.pow(base, exponent).real, base, exponent)],
        gradients(lib.pow(real, 0.5 + 1j).real, real),
    ]


@case
def strides_of_gradients(lib):
    transposed = lib.ones(3, 4).t().requires_grad_()
    nested = lib.ones(2, 3, 4, 5).to(memory_format=lib.channels_last).requires_grad_()
    product = lib.ones(3, 4).t().requires_grad_()
    outputs = [transposed * 2, nested * lib.ones(2, 3, 4, 5), product @ lib.ones(3, 2)]
    for output in outputs:
        output.sum().backward()
    return [each.grad.stride() for each in (transposed, nested, product)]


@case
def chunks_of_vmap_with_the_same_numbers(lib):
    drawn = [
        lib.vmap(lambda x: x + lib.rand(2), randomness="same", chunk_size=size)(lib.zeros(5, 2))
        for size in (1, 2)
    ]
    return [bool((each == each[0]).all()) for each in drawn]


@case
def writes_to_parts(lib):
    def write(split):
        y = lib.ones(4, requires_grad=True) * 1
        return raises(RuntimeError, lambda: split(y).mul_(2))

    return [
        write(lambda y: y.unbind()[0]),
        write(lambda y: y.split(2)[0]),
        write(lambda y: y.chunk(2)[0]),
        write(lambda y: next(iter(y))),
        write(lambda y: list(y)[1]),
        write(lambda y: y.unbind()[0].view(-1)),
    ]


@case
def none_in_a_pytree(lib):
    trees = lib.utils._pytree
    leaves, spec = trees.tree_flatten([1, None, {"a": None}])
    return [leaves, trees.tree_unflatten(leaves, spec)]


# ---- Wrongly refused ----


@case
def checkpoint_under_autocast(lib):
    found = []
    for is_reentrant in (True, False):
        weight, x = lib.ones(4, 4, requires_grad=True), lib.ones(2, 4, requires_grad=True)
        with lib.autocast("cpu", dtype=lib.bfloat16):
            y = lib.utils.checkpoint.checkpoint(
                lambda a, weight=weight: (a @ weight).relu(), x, use_reentrant=is_reentrant
            )
        found += [y.dtype == lib.bfloat16, gradients(y.float(), weight, x)]
    return found


@case
def activations_in_place(lib):
    functions = lib.nn.functional
    steps = [
        lambda x: functions.hardswish(x, inplace=True),
        lambda x: functions.hardsigmoid(x, inplace=True),
        lambda x: functions.mish(x, inplace=True),
        lambda x: functions.threshold(x, 0.1, 20.0, inplace=True),
        lambda x: functions.silu(x, inplace=True),
    ]
    found = []
    for step in steps:
        x = leaf(lib, -4.0, -1.0, 0.0, 0.5, 4.0)
        found.append(gradients(step(x * 1), x))
    return found


@case
def gradcheck_of_views_that_are_written(lib):
    def f(x, z):
        y = x.clone()
        y.view(-1)[1:3].copy_(z)
        y[:2].mul_(2)
        return y, y * 2

    x = lib.ones(4, dtype=lib.float64, requires_grad=True)
    z = lib.ones(2, dtype=lib.float64, requires_grad=True)
    return lib.autograd.gradcheck(f, (x, z), check_undefined_grad=True)


@case
def inputs_of_autograd_grad(lib):
    x, y = leaf(lib, 1.0, 2.0), leaf(lib, 3.0, 4.0)
    doubled = x * 2
    edge = lib.autograd.graph.get_gradient_edge(doubled)
    return [
        lib.autograd.grad((x * y).sum(), (each for each in (x, y))),
        lib.autograd.grad(((x * k).sum() for k in (1.0, 2.0)), x),
        lib.autograd.grad((x * 2).sum(), {"a": x}.values()),
        lib.autograd.grad((doubled * 3).sum(), edge),
    ]


@case
def dict_with_another_order_of_keys(lib):
    class Model(lib.nn.Module):
        def forward(self, pair):
            return pair["a"] * 2 + pair["b"]

    program = lib.export.export(Model(), ({"a": lib.ones(2), "b": lib.ones(2) * 3},))
    return program.module()({"b": lib.ones(2) * 5, "a": lib.ones(2)})


@case
def results_of_vmap_without_tensors(lib):
    return [
        lib.vmap(lambda x: 3, out_dims=None)(lib.ones(2)),
        lib.vmap(lambda x: (x, "s", None), out_dims=(0, None, None))(lib.ones(2)),
        raises(ValueError, lib.vmap(lambda x: 3), lib.ones(2)),
        raises(ValueError, lib.vmap(lambda x: x, out_dims=None), lib.ones(2)),
    ]


# ---- compile ----


@case
def backends_that_are_functions(lib):
    seen = []

    def backend(graph_module, example_inputs):
        seen.append(len(example_inputs))
        return graph_module.forward

    result = lib.compile(lambda x, y: x * 2 + y, backend=backend)(lib.ones(2), lib.ones(2))
    return [result, seen]


@case
def disabled_functions(lib):
    disabled = lib.compiler.disable(lambda x: x + 1)
    compiled = lib.compile(lambda x: disabled(x) * 2, backend="eager")
    return [compiled(lib.ones(2)), lib.compiler.disable(recursive=False)(lambda x: x)(3)]


@case
def state_of_the_compiler(lib):
    def f(x):
        return x * 2 if lib.compiler.is_compiling() else x

    return [
        lib.compiler.is_compiling(),
        f(lib.ones(1)),
        lib.compile(f, backend="eager")(lib.ones(1)),
    ]


# ---- library ----


@case
def one_result_in_a_tuple(lib):
    def f(x: lib.Tensor) -> tuple[lib.Tensor]:
        return (x * 2,)

    return lib.library.custom_op(f"{name_of(lib)}::f", f, mutates_args=())(lib.ones(1))


@case
def fallthrough(lib):
    name = name_of(lib)
    library = lib.library.Library(name, "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x * 3, "CPU")
    library.impl("f", lib.library.fallthrough_kernel, "Autograd")
    result = getattr(lib.ops, name).f(lib.ones(1))
    return [result, raises(NotImplementedError, lib.library.fallthrough_kernel)]


@case
def schemas_from_hints(lib):
    def f(
        x: lib.Tensor,
        y: lib.Tensor | None,
        z: float = 1.5,
        *,
        k: typing.Sequence[int],
    ) -> tuple[lib.Tensor, int]: ...

    return lib.library.infer_schema(f, mutates_args={"x"})


# ---- autograd ----


@case
def function_with_defaults(lib):
    class Scale(lib.autograd.Function):
        @staticmethod
        def forward(x, scale=2.0, shift=1.0):
            return x * scale + shift

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.num_inputs, ctx.scale = len(inputs), inputs[1]

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.scale * ctx.num_inputs, None, None

    found = []
    for given in ((), (3.0,), (3.0, 4.0)):
        x = leaf(lib, 1.0)
        found.append([y := Scale.apply(x, *given), gradients(y, x)])
    return found


@case
def variables(lib):
    variable = lib.autograd.Variable(lib.ones(2), requires_grad=True)
    return [isinstance(variable, lib.Tensor), gradients(variable * 2, variable)]


@case
def texts_of_tensors(lib):
    x = leaf(lib, 1.0, 2.0)
    return [repr(each) for each in (x, x * 2, x + 1, x.sum(), x.view(2, 1), lib.sin(x), x.detach())]


# ---- calls ----


@case
def numbers_as_first_arguments(lib):
    x = lib.tensor([2.0, 4.0])
    return [
        lib.add(1, x),
        lib.mul(3, x),
        lib.sub(1, x),
        lib.div(8, x),
        lib.add(1, x, alpha=2),
        lib.div(9, x, rounding_mode="floor"),
        lib.add(1.5, lib.tensor([1, 2])),
        lib.where(x > 2, 1.0, x),
    ]


@case
def forms_of_norm(lib):
    x = lib.tensor([[3.0, 4.0], [6.0, 8.0]])
    return [
        x.norm(),
        x.norm(dim=1),
        x.norm(2, 1),
        x.norm(p=1, dim=0),
        x.norm(dim=(0, 1)),
        x.norm(dim=1, keepdim=True),
        lib.norm(x, "fro"),
        x.norm(p=float("inf"), dim=1),
        x.norm(p=0, dim=1),
        lib.norm(x, dtype=lib.float64),
    ]


@case
def positions_of_elements(lib):
    x = lib.tensor([[0, 1], [2, 0]])
    return [
        x.nonzero(),
        x.nonzero(as_tuple=True),
        lib.where(x),
        lib.where(x > 0),
        lib.tensor(5).nonzero(as_tuple=True),
        lib.full((2,), lib.tensor(3.0)),
        lib.full((2,), lib.tensor(3)),
    ]


@case
def device_as_a_context(lib):
    with lib.device("meta"):
        made = [
            lib.ones(2),
            lib.tensor([1.0]),
            lib.arange(3),
            lib.nn.Linear(2, 2).weight,
            lib.rand(2),
        ]
        made.append(lib.ones(1, device="cpu"))
        with lib.device("cpu"):
            made.append(lib.zeros(1))
    return [each.device.type for each in [*made, lib.ones(1)]]


@case
def parts_are_tuples(lib):
    x = lib.ones(2, 3)
    return [
        type(each).__name__ for each in (x.unbind(), x.split(1), x.chunk(2), lib.split(x, [1, 1]))
    ]


@case
def sizes_of_tensors(lib):
    size = lib.ones(2, 3).shape
    return [
        size.numel(),
        lib.Size([2, 3]) == size,
        type(size[:1]).__name__,
        type(size + size).__name__,
        isinstance(size, tuple),
        hash(size) == hash((2, 3)),
        lib.Size().numel(),
    ]


@case
def sizes_in_place(lib):
    x = lib.ones(2, 1, 3)
    shapes = [x.clone().unsqueeze_(0), x.clone().squeeze_(), x.clone().squeeze_(1)]
    shapes.append(lib.ones(2, 3).t_())
    return [tuple(each.shape) for each in shapes] + [raises(RuntimeError, lib.ones(2, 3, 4).t_)]


@case
def inference_tensors(lib):
    with lib.inference_mode():
        inside = lib.ones(2)
    return [inside.is_inference(), lib.ones(2).is_inference(), raises(RuntimeError, inside.add_, 1)]


@case
def limits_of_dtypes(lib):
    ints, floats = lib.iinfo(lib.int8), lib.finfo(lib.float32)
    names = ("eps", "min", "max", "tiny", "bits", "resolution")
    return [
        ints.min,
        ints.max,
        ints.bits,
        *(getattr(floats, name) for name in names),
        lib.pi,
        lib.inf,
    ]


@case
def buffers_of_modules(lib):
    class Model(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.kept = lib.nn.Buffer(lib.ones(2))
            self.dropped = lib.nn.Buffer(lib.ones(1), persistent=False)

    model = Model()
    return [sorted(dict(model.named_buffers())), sorted(model.state_dict())]


@case
def trees_of_containers(lib):
    trees = lib.utils._pytree
    tree = {"a": [1, 2.5, (3, "x")], "c": collections.OrderedDict(z=1, y=2)}
    return [
        trees.tree_leaves(tree),
        trees.tree_map_only(int, lambda value: value * 10, tree),
        trees.tree_any(lambda value: value == 3, tree),
        [trees.keystr(path) for path, _ in trees.tree_flatten_with_path(tree)[0]],
    ]


@case
def resizing_like_another_tensor(lib):
    images = lib.zeros(2, 3, 4, 5).contiguous(memory_format=lib.channels_last)
    like = lib.arange(120).resize_as_(images, memory_format=lib.preserve_format)
    plain_one = lib.arange(120).resize_as_(images)
    return [like.stride(), plain_one.stride(), like, tuple(plain_one.shape)]


@case
def coordinates_of_elements(lib):
    return [
        raises(TypeError, lib.unravel_index, lib.tensor(0.5), (2, 2)),
        raises(TypeError, lib.unravel_index, lib.tensor(1), 2.0),
        raises(TypeError, lib.unravel_index, lib.tensor(1), (1, 2.0)),
        raises(ValueError, lib.unravel_index, lib.tensor(1), (2, -3)),
        lib.unravel_index(lib.tensor([3, 5]), lib.Size((2, 3))),
    ]


@case
def named_results(lib):
    x = lib.tensor([[1.0, 5.0], [7.0, 3.0]])
    values, indices = x.sort()
    return [x.max(0), x.max(0).values, x.topk(1).indices, values, indices, lib.vmap(lib.aminmax)(x)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.filterwarnings("ignore")
def test_compat_gives_what_torch_gives(case):
    torch = pytest.importorskip("torch", minversion="2.13")

    assert plain(case(compat)) == plain(case(torch))
