"""The embedder with the real MiniLM."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from models.embedder import SentenceEmbedder, load_embedder

TEXTS = [
    "Employees receive 30 days of paid vacation a year.",
    "short",
    "The cafeteria opens at noon. " * 60,
    "Der Urlaub beträgt 30 Tage.",
    "",
]


@pytest.fixture(scope="module")
def embedder(minilm_folder: Path) -> SentenceEmbedder:
    return load_embedder(minilm_folder, threads=1)


def test_vectors_are_unit_float32_in_the_order_given(embedder: SentenceEmbedder) -> None:
    vectors = embedder.passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dim) == (5, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = np.stack([embedder.passages([text])[0] for text in TEXTS])
    assert (np.sum(vectors * alone, axis=1) > 0.99).all()


def test_nothing_in_nothing_out(embedder: SentenceEmbedder) -> None:
    assert embedder.passages([]).shape == (0, 384)


def test_a_question_is_nearest_to_what_answers_it(embedder: SentenceEmbedder) -> None:
    question = embedder.question("How many holidays do I get?")
    assert question.shape == (384,)
    assert int(np.argmax(embedder.passages(TEXTS) @ question)) == 0


def test_questions_asked_at_once_get_their_own_vectors(embedder: SentenceEmbedder) -> None:
    asked = [f"How many days of leave does article {number} give?" + " Please." * number for number in range(24)]
    alone = [embedder.question(text) for text in asked]
    with ThreadPoolExecutor(8) as people:
        together = list(people.map(embedder.question, asked))
    for one, other in zip(alone, together, strict=True):
        assert one @ other > 0.9995


def test_its_name_says_model_and_weights(embedder: SentenceEmbedder, minilm_folder: Path, tmp_path: Path) -> None:
    assert embedder.id.startswith("all-minilm-l6-v2@")
    assert embedder.languages == frozenset({"en"})
    other = load_embedder(minilm_folder, languages=frozenset({"de"}), threads=1)
    assert other.id == embedder.id
    assert other.languages == frozenset({"de"})


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no embedding model"):
        load_embedder(tmp_path)
