"""opwright convert: programs between Opwright's files and PyTorch's archives, without Python."""


def results_of(opwright, program, folder, *options):
    path = folder / "results.npy"
    done = opwright("run", program, "--random", "--seed", "1", "--output", path, *options)
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


def test_a_program_becomes_an_archive_and_a_program_again(opwright, programs, tmp_path):
    archive, again = tmp_path / "linear.pt2", tmp_path / "again.opw"

    done = opwright("convert", programs / "linear.opw", archive)
    assert done.stderr == ""
    assert done.stdout == f"{archive}\n"
    opwright("convert", archive, again)

    assert archive.read_bytes()[:2] == b"PK"
    assert again.read_bytes()[:2] != b"PK"
    wanted = results_of(opwright, programs / "linear.opw", tmp_path)
    assert results_of(opwright, again, tmp_path) == wanted


def test_custom_operators_need_their_library(opwright, programs, tmp_path, soft_clip):
    archive = tmp_path / "clip.pt2"

    assert opwright("convert", programs / "clip.opw", archive, "-l", soft_clip).returncode == 0
    failed = opwright("run", archive)

    assert failed.returncode == 1
    assert "there is no operator audio::soft_clip" in failed.stderr
    assert results_of(opwright, archive, tmp_path, "--library", soft_clip)
