"""python -m opwright generate; tests/install/test_declare.py compiles what it writes."""

import pytest
from opwright.__main__ import main

LIST = """\
custom:
  - func: npu_add_custom(Tensor x, Tensor y) -> Tensor
  - func: npu_add_custom.out(Tensor x, Tensor y, *, Tensor(a!) out) -> Tensor(a!)
"""


@pytest.fixture
def functions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "functions.yaml"
    path.write_text(LIST)
    return path


def test_generate_writes_a_source_for_each_operator_and_a_project(functions, tmp_path, capsys):
    arguments = ["generate", "functions.yaml", "--kernels", "cpu", "--namespace", "npu"]

    assert main([*arguments, "--out", "kernels"]) == 0

    assert capsys.readouterr().out == "kernels/npu_add_custom.cpp\nkernels/CMakeLists.txt\n"
    source = (tmp_path / "kernels/npu_add_custom.cpp").read_text()
    assert source.startswith("// npu::npu_add_custom, started from functions.yaml.\n")
    assert "opwright::Tensor& npu_add_custom_out_cpu(\n" in source
    assert "OPWRIGHT_LIBRARY_IMPL(npu, CPU, m) {\n" in source


def test_generate_writes_kernels_for_each_device(functions, tmp_path):
    assert main(["generate", "functions.yaml", "--kernels", "cpu", "privateuse1", "npu"]) == 0

    source = (tmp_path / "npu_add_custom.cpp").read_text()
    for key in ("CPU", "PrivateUse1", "NPU", "Fake"):
        assert f"OPWRIGHT_LIBRARY_IMPL(custom, {key}, m) {{\n" in source


def test_generate_overwrites_only_by_force(functions, tmp_path, capsys):
    (tmp_path / "CMakeLists.txt").write_text("# mine\n")

    assert main(["generate", "functions.yaml"]) == 1

    assert capsys.readouterr().err == (
        "not overwritten: CMakeLists.txt; pass another folder to --out, or pass --force\n"
    )
    assert (tmp_path / "CMakeLists.txt").read_text() == "# mine\n"
    assert not (tmp_path / "npu_add_custom.cpp").exists()

    assert main(["generate", "functions.yaml", "--force"]) == 0
    assert "opwright_add_operators(" in (tmp_path / "CMakeLists.txt").read_text()


@pytest.mark.parametrize(
    ("text", "arguments", "problem"),
    [
        (
            "- func: f(Tensr x) -> Tensor\n",
            [],
            "functions.yaml:1: schema of custom::f: unknown type",
        ),
        (
            "- func: f(Stream s) -> Tensor\n",
            [],
            "functions.yaml:1: the type Stream has no C++ form yet",
        ),
        ("- fnc: f\n", [], "functions.yaml:1: unknown key 'fnc'; there are func, variants, tags"),
        ("", [], "functions.yaml:1: the file is empty; expected a list of operators"),
        (LIST, ["--namespace", "a b"], "the namespace of operators is a name like 'npu', got 'a "),
        (LIST, ["--kernels", "c-pu"], "--kernels takes names of devices like 'cpu', got 'c-pu'"),
    ],
)
def test_generate_refuses_what_it_cannot_read(functions, capsys, text, arguments, problem):
    functions.write_text(text)

    assert main(["generate", "functions.yaml", *arguments]) == 1

    assert capsys.readouterr().err.startswith(problem)


def test_generate_names_a_file_that_is_not_there(capsys):
    assert main(["generate", "nowhere.yaml"]) == 1

    assert "No such file or directory: 'nowhere.yaml'" in capsys.readouterr().err
