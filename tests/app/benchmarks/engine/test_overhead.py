"""A real Beleg in front of the stand-in engine, both processes of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.benchmarks.engine import overhead
from app.benchmarks.engine.instant import ANSWER_WORDS, pieces_of
from app.benchmarks.engine.prompts import documents
from app.benchmarks.engine.size import QUICK
from app.config import Settings

TINY = replace(QUICK, streams=3, questions=2, passes=1, step_seconds=0.005)


@pytest.mark.timeout(600)
def test_all_tokens_are_seen_and_every_question_is_traced(
    tmp_path: Path, minilm_folder: Path, smollm_folder: Path
) -> None:
    settings = Settings(data_dir=tmp_path, embedder=str(minilm_folder), _env_file=None)  # type: ignore[call-arg]
    found = overhead.measure(settings, minilm_folder, smollm_folder, TINY, lambda _what: None)
    assert found["answers"] == 6
    assert found["tokens"] >= 6 * ANSWER_WORDS
    for part in ("relay_ms", "front_ms", "front_without_embedding_ms"):
        assert found[part].keys() == {"engine_alone", "through_beleg", "added"}
    assert "relay_while_nothing_is_searched_ms" in found
    assert found["front_parts_ms"].keys() == {"embed_ms", "retrieval_ms", "prepare_ms", "queue_ms"}
    assert found["reached"].keys() == {"relay", "front_without_embedding"}


def test_the_stand_in_quotes_its_passages_a_word_at_a_time() -> None:
    prompt = "<passages>\n[D3.1] rules.txt\nTen days. Call 300.\n\n[D4.0] b.txt\nYes it is.\n</passages>\n<question>"
    assert "".join(pieces_of(prompt)) == "Ten days [D3.1]. Call 300 [D3.1]. Yes it is [D4.0]."


def test_the_documents_are_the_same_every_time_and_enough_for_an_answer() -> None:
    assert documents() == documents()
    assert all(len(text.split()) > 4 * ANSWER_WORDS for text in documents().values())
