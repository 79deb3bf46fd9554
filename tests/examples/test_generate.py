"""The example that decodes text with an exported model, from Python and from C++."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import opwright as ow
import pytest
from opwright.export import load

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
EXAMPLE = ROOT / "examples/generate"
SAMPLING = BUILD / "operators/libsampling.so"
PROMPT = "Once upon a time"


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    path = tmp_path_factory.mktemp("generate") / "decoder.pt2"
    command = [sys.executable, EXAMPLE / "decoder.py", path]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == "written: 8 caches\n"
    return path


def in_python(decoder, *options):
    command = [sys.executable, EXAMPLE / "generate.py", decoder, "--operators", SAMPLING, *options]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def in_cpp(decoder, *options):
    command = [BUILD / "generate", decoder, SAMPLING, *options]
    return subprocess.run(command, capture_output=True, text=True, check=True)


SETTINGS = [
    ["--temperature", "0"],
    ["--temperature", "0.8", "--top-k", "40", "--top-p", "0.95", "--seed", "3"],
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_both_languages_print_the_same_text(decoder, settings):
    ours, theirs = in_python(decoder, *settings), in_cpp(decoder, *settings)

    lines = ours.stdout.splitlines()
    assert [len(line) for line in lines] == [len(PROMPT) + 100] * 2
    assert ours.stdout == theirs.stdout
    assert "tokens per second" in ours.stderr
    assert "tokens per second" in theirs.stderr


def test_a_seed_decides_what_is_drawn(decoder):
    assert in_cpp(decoder, "--seed", "1").stdout != in_cpp(decoder, "--seed", "2").stdout


def test_the_cache_gives_what_the_whole_sequence_gives(decoder):
    """Tokens one by one give the scores of one call with all of them."""
    tokens = ow.tensor([[72, 101, 108, 108, 111]] * 2)
    with ow.no_grad():
        whole = load(decoder)(tokens, ow.arange(5))
        program = load(decoder)
        for place in range(5):
            scores = program(tokens[:, place : place + 1], ow.tensor([place]))
    np.testing.assert_allclose(scores.numpy(), whole.numpy(), rtol=1e-4, atol=1e-5)


def test_torch_decodes_the_same_scores(decoder):
    torch = pytest.importorskip("torch")
    module, program = torch.export.load(decoder).module(), load(decoder)
    tokens = np.asarray([[72, 105, 33]] * 2)
    for given, places in ((tokens[:, :2], [0, 1]), (tokens[:, 2:], [2])):
        with torch.no_grad():
            theirs = module(torch.tensor(given), torch.tensor(places))
        with ow.no_grad():
            ours = program(ow.from_numpy(given.copy()), ow.tensor(places))
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-4, atol=1e-5)


# ---- The operator ----


@pytest.fixture(scope="module")
def sample():
    ow.load_library(SAMPLING)
    return ow.ops.generate.sample


def draws(sample, scores, **settings):
    """Return the tokens that 400 evenly spaced numbers draw, with their frequencies."""
    places = ow.arange(400.0) / 400
    tokens = sample(ow.tensor(scores).expand(400, -1), places, **settings).numpy()
    return {int(token): float(np.mean(tokens == token)) for token in np.unique(tokens)}


def test_tokens_are_drawn_with_their_probabilities(sample):
    probabilities = [0.5, 0.125, 0.25, 0.125]
    found = draws(sample, np.log(probabilities).tolist())
    assert found == pytest.approx(dict(enumerate(probabilities)), abs=0.01)


def test_the_temperature_flattens_the_probabilities(sample):
    cold, warm = (draws(sample, [1.0, 0.0], temperature=each) for each in (0.5, 2.0))
    assert cold[0] == pytest.approx(1 / (1 + np.exp(-2)), abs=0.01)
    assert warm[0] == pytest.approx(1 / (1 + np.exp(-0.5)), abs=0.01)
    assert set(draws(sample, [1.0, 0.0], temperature=0.0)) == {0}


def test_only_the_best_tokens_are_drawn(sample):
    scores = np.log([0.5, 0.125, 0.25, 0.125]).tolist()
    assert set(draws(sample, scores, top_k=2)) == {0, 2}
    assert set(draws(sample, scores, top_p=0.5)) == {0}
    assert set(draws(sample, scores, top_p=0.6)) == {0, 2}


def test_wrong_settings_are_refused(sample):
    scores, places = ow.ones(1, 4), ow.ones(1)
    with pytest.raises(ValueError, match="sample: temperature must be 0 or more, got -1"):
        sample(scores, places, temperature=-1.0)
    with pytest.raises(ValueError, match=r"sample: top_p must be in \(0, 1\], got 0"):
        sample(scores, places, top_p=0.0)
    with pytest.raises(ValueError, match="a number for each sequence"):
        sample(scores, ow.ones(2))


def test_opcheck_passes(sample):
    ow.library.opcheck(sample, (ow.randn(3, 8), ow.rand(3)))
