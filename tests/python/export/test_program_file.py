"""Program files from Python: structures, state, and missing operators and classes."""

import collections
import copy
import dataclasses
import io
import pickle
import struct
import subprocess
import sys
import textwrap

import opwright as ow
import pytest
from opwright import _C, nn
from opwright.export import Dim, export, load, save


@dataclasses.dataclass
class Pair:
    left: ow.Tensor
    right: ow.Tensor


def saved_and_loaded(program, folder):
    save(program, folder / "program.opw")
    return load(folder / "program.opw")


def test_a_loaded_program_is_the_one_that_was_saved(tmp_path):
    shapes = {"x": {0: Dim("batch", max=9)}}
    program = export(
        lambda x, n, *, scale: {"y": x * n, "z": (x + scale, 3)},
        (ow.ones(4), 2),
        {"scale": 0.5},
        dynamic_shapes=shapes,
    )

    loaded = saved_and_loaded(program, tmp_path)

    assert str(loaded) == str(program)
    assert loaded.graph_signature == program.graph_signature
    assert loaded.range_constraints == program.range_constraints
    assert loaded.operators == program.operators
    result = loaded(ow.ones(7), 2, scale=0.5)
    assert result["y"].tolist() == [2.0] * 7
    assert result["z"][1] == 3
    args, kwargs = loaded.example_inputs
    assert args[0].tolist() == [1.0] * 4
    assert (args[1], kwargs) == (2, {"scale": 0.5})


def test_names_of_arguments_survive(tmp_path):
    loaded = saved_and_loaded(export(lambda x, y: x - y, (ow.ones(1), ow.ones(1))), tmp_path)

    assert loaded(y=ow.ones(1), x=ow.zeros(1)).tolist() == [-1.0]
    with pytest.raises(TypeError, match="the argument 'y' is missing; it takes x, y"):
        loaded(ow.ones(1))


def test_load_program_is_the_same(tmp_path):
    save(export(lambda x: x + 1, (ow.ones(1),)), str(tmp_path / "a.opw"))

    assert ow.load_program(tmp_path / "a.opw")(ow.ones(1)).tolist() == [2.0]


def test_open_files_are_written_and_read():
    file = io.BytesIO()
    save(export(lambda x: x + 1, (ow.ones(1),)), file)
    file.seek(0)

    assert load(file)(ow.ones(1)).tolist() == [2.0]


def test_a_file_that_is_open_for_text_is_refused():
    with pytest.raises(TypeError, match="the file must be open for bytes"):
        load(io.StringIO("program"))


def test_state_comes_back_under_its_paths(tmp_path):
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    model[0].bias.requires_grad_(False)
    program = export(model, (ow.ones(5, 3),), dynamic_shapes=[{0: Dim("n")}])

    loaded = saved_and_loaded(program, tmp_path)
    module = loaded.module()

    assert list(loaded.state_dict) == list(program.state_dict)
    assert all(isinstance(each, nn.Parameter) for each in loaded.parameters())
    assert [each.requires_grad for each in module.parameters()] == [True, False, True, True]
    x = ow.randn(7, 3)
    assert ow.allclose(module(x), model(x))
    module(x).sum().backward()
    assert module.get_parameter("0.weight").grad is not None


def test_tied_parameters_stay_tied(tmp_path):
    layer = nn.Linear(3, 3)
    program = export(nn.Sequential(layer, layer), (ow.ones(1, 3),))

    loaded = saved_and_loaded(program, tmp_path)

    assert loaded.state_dict["0.weight"] is loaded.state_dict["1.weight"]
    module = loaded.module()
    assert module.get_parameter("0.weight") is module.get_parameter("1.weight")


def test_a_written_buffer_of_a_loaded_program_does_not_change_the_file(tmp_path):
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", ow.zeros(1))

        def forward(self, x):
            self.count += 1
            return x * self.count

    loaded = saved_and_loaded(export(Counter(), (ow.ones(1),)), tmp_path)

    assert [loaded(ow.ones(1)).item() for _ in range(3)] == [1.0, 2.0, 3.0]
    assert load(tmp_path / "program.opw")(ow.ones(1)).item() == 1.0


def test_a_trained_program_is_saved_as_it_is(tmp_path):
    program = export(nn.Linear(3, 2), (ow.ones(1, 3),))
    with ow.no_grad():
        program.module().weight.fill_(1.0)
        program.module().bias.zero_()

    assert saved_and_loaded(program, tmp_path)(ow.ones(1, 3)).tolist() == [[3.0, 3.0]]


def test_a_loaded_program_is_trained_and_saved_again(tmp_path):
    loaded = saved_and_loaded(export(nn.Linear(3, 2), (ow.ones(1, 3),)), tmp_path)
    module = loaded.module()
    optimizer = ow.optim.SGD(module.parameters(), lr=0.5)
    module(ow.ones(1, 3)).sum().backward()
    optimizer.step()

    again = saved_and_loaded(loaded, tmp_path)

    assert ow.equal(again(ow.ones(1, 3)), module(ow.ones(1, 3)))
    assert ow.equal(again.state_dict["bias"], module.bias)


@pytest.mark.parametrize(
    "how", [copy.deepcopy, copy.copy, lambda program: pickle.loads(pickle.dumps(program))]
)
def test_programs_are_copied_and_pickled(how):
    model = nn.Linear(3, 2)
    program = export(model, (ow.ones(4, 3),), dynamic_shapes=[{0: Dim("n")}])

    copied = how(program)

    assert str(copied) == str(program)
    x = ow.randn(6, 3)
    assert ow.equal(copied(x), model(x))


def test_a_deep_copy_keeps_classes_that_no_file_can_name():
    @dataclasses.dataclass
    class Local:
        x: ow.Tensor

    program = export(lambda arg: Local(arg.x + 1), (Local(ow.ones(2)),))

    assert isinstance(copy.deepcopy(program)(Local(ow.ones(2))), Local)


def test_classes_of_the_structure_are_found_again(tmp_path):
    program = export(
        lambda pair: collections.OrderedDict(sum=pair.left + pair.right, pair=pair),
        (Pair(ow.ones(2), ow.ones(2)),),
    )

    result = saved_and_loaded(program, tmp_path)(Pair(ow.ones(2), ow.zeros(2)))

    assert isinstance(result, collections.OrderedDict)
    assert isinstance(result["pair"], Pair)


@pytest.mark.parametrize("count", [1, 2])
def test_a_program_of_cpp_takes_tensors_one_after_the_other(count):
    weight = ow.full([2], 3.0)
    session = _C.ExportSession()
    session.add_state("weight", weight, True, True)
    session.add_tensor(ow.ones(2), "x", {})
    session.add_tensor(ow.ones(2), "y", {})
    x, y = session.enter()
    outputs = session.run(lambda: [x * weight - y, y][:count], (), {})
    file = io.BytesIO(_C.write_program(session.finish(outputs, "", "")))

    program = load(file)

    result = program(ow.ones(2), y=ow.zeros(2))
    first = result if count == 1 else result[0]
    assert first.tolist() == [3.0, 3.0]
    assert count == 1 or len(result) == 2
    assert len(program.example_inputs[0]) == 2
    module = program.module()
    assert isinstance(module.weight, nn.Parameter)
    assert not module.weight.requires_grad


def test_a_structure_that_does_not_fit_the_program_is_told():
    session = _C.ExportSession()
    session.add_tensor(ow.ones(2), "x", {})
    (x,) = session.enter()
    program = session.finish([x], "((*, *), {})", "*")

    with pytest.raises(
        ValueError, match="the structure of the arguments has 2 leaves, the program 1"
    ):
        load(io.BytesIO(_C.write_program(program)))


def run_elsewhere(code, folder):
    """Run code in a separate process; return its output."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SAVE_WITH_A_CLASS = """
    import opwright as ow
    from opwright.export import export, save
    from points import Point

    save(export(lambda p: Point(p.y, p.x), (Point(ow.ones(1), ow.zeros(1)),)), "points.opw")
"""


def test_a_class_that_is_not_there_is_asked_for_when_the_program_is_called(tmp_path):
    (tmp_path / "points.py").write_text(
        "import dataclasses\n@dataclasses.dataclass\nclass Point:\n    x: object\n    y: object\n"
    )
    run_elsewhere(SAVE_WITH_A_CLASS, tmp_path)

    printed = run_elsewhere(
        """
        import opwright as ow
        from opwright.export import load

        program = load("points.opw")
        print(str(program).splitlines()[2])
        print(program.graph_signature.user_inputs)
        try:
            program(ow.ones(1))
        except ImportError as error:
            print(error)
        from points import Point
        print(program(Point(ow.ones(1), ow.zeros(1))))
        """,
        tmp_path,
    )

    assert printed.splitlines() == [
        "  user p.x: %p_x float32[1]",
        "('p_x', 'p_y')",
        "the structure of the program's call has the class Point of the module points, which is "
        "not imported; import points before the program is called",
        "Point(x=tensor([0.]), y=tensor([1.]))",
    ]


def test_an_operator_that_is_not_there_is_named(tmp_path):
    with ow.library.Library("short_lived", "DEF") as lib:
        lib.define("twice(Tensor x) -> Tensor")
        lib.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
        save(export(lambda x: ow.ops.short_lived.twice(x), (ow.ones(2),)), tmp_path / "a.opw")

    with pytest.raises(NotImplementedError) as error:
        load(tmp_path / "a.opw")
    assert "short_lived::twice" in str(error.value)


def test_an_operator_whose_schema_changed_is_told_with_both(tmp_path):
    def define(schema):
        lib = ow.library.Library("changing", "DEF")
        lib.define(schema)
        lib.impl("twice", lambda x, *_: x * 2, "CompositeImplicitAutograd")
        return lib

    with define("twice(Tensor x) -> Tensor"):
        save(export(lambda x: ow.ops.changing.twice(x), (ow.ones(2),)), tmp_path / "a.opw")
    with define("twice(Tensor x, int count) -> Tensor"):
        with pytest.raises(NotImplementedError) as error:
            load(tmp_path / "a.opw")
        assert "changing::twice(Tensor x) -> Tensor" in str(error.value)
        assert "changing::twice(Tensor x, int count) -> Tensor" in str(error.value)
    with define("twice(Tensor x, int count=2) -> Tensor"):
        assert load(tmp_path / "a.opw")(ow.ones(2)).tolist() == [2.0, 2.0]


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(OSError, match=r"nowhere\.opw"):
        load(tmp_path / "nowhere.opw")


def test_a_file_that_is_no_program_is_told(tmp_path):
    (tmp_path / "a.opw").write_bytes(b"no program at all" * 10)

    with pytest.raises(ValueError, match=r"a\.opw"):
        load(tmp_path / "a.opw")


def test_a_file_of_a_newer_format_is_told_with_both_versions(tmp_path):
    file = io.BytesIO()
    save(export(lambda x: x + 1, (ow.ones(1),)), file)
    data = bytearray(file.getvalue())
    place = data.find(struct.pack("<II", 1, 0))
    data[place : place + 4] = struct.pack("<I", 2)

    with pytest.raises(ValueError, match=r"2\.0.*1\.0"):
        load(io.BytesIO(bytes(data)))


def test_what_is_no_program_is_not_saved(tmp_path):
    with pytest.raises(TypeError, match="save: expected an ExportedProgram, got Linear"):
        save(nn.Linear(3, 2), tmp_path / "a.opw")


def test_an_object_that_data_cannot_be_is_told_when_it_is_saved(tmp_path):
    def f(x, activation):
        return activation(x)

    program = export(f, (ow.ones(2), ow.relu))

    assert program(ow.ones(2), ow.relu).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="activation"):
        save(program, tmp_path / "a.opw")


@pytest.mark.parametrize("file", ["net.opw", "net.pt2"])
def test_a_parameter_may_have_a_name_of_another_alphabet(tmp_path, file):
    def scaled(maß, größe):
        return maß * größe

    save(export(scaled, (ow.ones(2),), {"größe": ow.full([2], 3.0)}), tmp_path / file)

    program = load(tmp_path / file)
    assert program(ow.ones(2), größe=ow.full([2], 4.0)).tolist() == [4, 4]
    assert program(größe=ow.ones(2), maß=ow.ones(2)).tolist() == [1, 1]
