"""opwright show: the text of a program, with or without its operators."""


def test_it_prints_signature_constraints_operators_and_graph(opwright, programs):
    text = opwright("show", programs / "linear.opw").stdout

    assert "float32[batch, 3]" in text
    assert "linear.weight" in text
    assert "aten::mm" in text
    assert "%relu" in text


def test_a_program_whose_operators_are_not_there_is_shown(opwright, programs):
    done = opwright("show", programs / "clip.opw")

    assert done.returncode == 0
    assert "audio::soft_clip" in done.stdout
    assert "libsoft_clip.so" in done.stdout


def test_a_file_that_is_none_is_refused(opwright, tmp_path):
    path = tmp_path / "nonsense.opw"
    path.write_bytes(b"nonsense")

    done = opwright("show", path)

    assert done.returncode == 1
    assert done.stderr.startswith("opwright show: ")
    assert str(path) in done.stderr
