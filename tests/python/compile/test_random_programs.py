"""Random fused programs compute the same compiled and uncompiled."""

import os

import opwright as ow
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from .random_programs import EXACT, ROUNDING, Program, laid_out, make_tensor, programs, tensors
from .same_results import BACKENDS, assert_same, check_against_eager, copies

IS_LONG = os.environ.get("OPWRIGHT_ALL") == "1"


def examples(count: int) -> settings:
    """Of a run in `make test`; the long form tries many times as many."""
    return settings(
        max_examples=count * 20 if IS_LONG else count,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@examples(60)
@given(data=st.data())
def test_a_program_gives_what_eager_gives(backend, data):
    inputs = [data.draw(tensors()) for _ in range(data.draw(st.integers(1, 3)))]
    program = data.draw(programs(inputs))
    note(f"{program} of {[(i.dtype, tuple(i.shape), i.stride()) for i in inputs]}")

    check_against_eager(program, *inputs, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(40)
@given(data=st.data())
def test_a_program_with_dynamic_sizes_gives_what_eager_gives_at_each(backend, data):
    dtype = data.draw(st.sampled_from([ow.float32, ow.float64, ow.bfloat16, ow.int64]))
    rank = data.draw(st.integers(1, 3))
    first = make_tensor(dtype, [3, 5, 4][:rank], "dense", 1)
    program = data.draw(programs([first]))
    note(str(program))
    sizes = data.draw(st.lists(st.sampled_from([0, 1, 2, 4, 7, 16, 31]), min_size=2, max_size=4))
    compiled = ow.compile(program, dynamic=True, backend=backend)

    for size in (3, *sizes):
        x = make_tensor(dtype, [size, 5, 4][:rank], "dense", size)
        check_call(compiled, program, x)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(30)
@given(data=st.data())
def test_a_function_made_dynamic_by_its_calls_gives_what_eager_gives(backend, data):
    first = make_tensor(ow.float32, [4, 6], "dense", 1)
    program = data.draw(programs([first, first]))
    note(str(program))
    compiled = ow.compile(program, backend=backend)

    for rows, columns in ((4, 6), (5, 6), (7, 6), (7, 9), (1, 1), (0, 3)):
        x = make_tensor(ow.float32, [rows, columns], "dense", rows)
        layout = data.draw(st.sampled_from(["dense", "transposed", "gaps"]))
        check_call(compiled, program, x, laid_out(x, layout))


def check_call(compiled, program, *inputs):
    """Sizes at which eager execution refuses the program are left out."""
    try:
        should = program(*copies(list(inputs)))
    except Exception:
        return
    assert_same(compiled(*copies(list(inputs))), should, program.tolerance)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(30)
@given(data=st.data())
def test_a_program_that_writes_an_input_leaves_what_eager_leaves(backend, data):
    dtype = data.draw(st.sampled_from([ow.float32, ow.float64, ow.int32, ow.float16]))
    inputs = [make_tensor(dtype, [4, 5], layout, 2) for layout in ("dense", "transposed")]
    program = data.draw(programs(inputs, most_steps=5))
    program.writes = data.draw(st.integers(0, 1))
    note(str(program))

    check_against_eager(program, *inputs, backend=backend)


STEPS = sorted({**EXACT, **ROUNDING})


@pytest.mark.parametrize("backend", BACKENDS[:2])
@pytest.mark.parametrize("step", STEPS)
def test_each_step_alone_gives_what_eager_gives_in_each_dtype_and_layout(backend, step):
    function = {**EXACT, **ROUNDING}[step]
    for dtype in (ow.float32, ow.float64, ow.float16, ow.bfloat16, ow.int64, ow.uint8, ow.bool):
        for shape, layout in (([17, 5], "dense"), ([5, 17], "transposed"), ([3, 4], "gaps")):
            x = make_tensor(dtype, shape, layout, 3)
            try:
                function(x)
            except Exception:  # eager execution has no such form either
                continue
            check_against_eager(Program([(step, (0,))], (1,)), x, calls=1, backend=backend)
