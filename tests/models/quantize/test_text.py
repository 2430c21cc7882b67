"""Text to sequences: nothing is dropped for being long, nothing is calibrated with and compared on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.quantize.text import least_sequences, pack, sequences, spread, thinned
from models.quantize.types import Job, QuantizeError, Text


def job(method: str = "awq", samples: int = 128, length: int = 64) -> Job:
    return Job(Path("model"), "model", method, "llmcompressor", Path("out"), samples=samples, length=length)  # type: ignore[arg-type]


def words(text: str) -> list[int]:
    """A stand-in for a tokenizer: one token a word."""
    return [int(word) for word in text.split()]


@given(st.lists(st.lists(st.integers(0, 9)), max_size=20), st.integers(1, 7))
def test_every_token_is_in_one_sequence_in_order_up_to_an_incomplete_last_one(texts, length) -> None:
    together = [token for text in texts for token in text]
    packed = pack(texts, length)
    assert [token for one in packed for token in one] == together[: len(together) // length * length]
    assert {len(one) for one in packed} <= {length}


def test_one_text_longer_than_a_sequence_is_cut_and_not_lost() -> None:
    text = Text((" ".join(map(str, range(64 * 20))),), "file x")
    parts = sequences(text, job(), words)
    assert (len(parts.calibration), len(parts.held_out)) == (16, 4)
    assert parts.calibration_tokens + parts.held_out_tokens == 64 * 20


def test_what_is_held_out_is_not_calibrated_with() -> None:
    text = Text((" ".join(map(str, range(64 * 500))),), "file x")
    parts = sequences(text, job(samples=50), words)
    assert (len(parts.calibration), len(parts.held_out)) == (50, 32)
    assert not set(sum(parts.calibration, ())) & set(sum(parts.held_out, ()))
    assert max(max(parts.calibration)) > 64 * 450, "both are spread over the whole text"
    assert max(max(parts.held_out)) > 64 * 450


def test_too_little_text_is_refused_with_how_much_is_wanted() -> None:
    with pytest.raises(QuantizeError) as refused:
        sequences(Text(("1 2 3 " * 100,), "collection Contracts"), job(), words)
    assert "collection Contracts has too little text" in refused.value.message
    assert "wants 20" in refused.value.message
    assert "--length 128" in refused.value.hint


def test_no_text_at_all_is_refused_too() -> None:
    with pytest.raises(QuantizeError, match="too little text"):
        sequences(Text(("", "  \n"), "file x"), job("rtn"), words)


def test_a_method_that_looks_at_weights_only_wants_text_to_compare_on() -> None:
    text = Text((" ".join(map(str, range(64 * 20))),), "file x")
    assert len(sequences(text, job("rtn"), words).held_out) == 4
    assert least_sequences("rtn") == least_sequences("awq") == 20


def test_repeated_texts_count_once_and_a_large_archive_is_thinned_out_evenly() -> None:
    assert thinned(["a", "b", "a", " "], 100) == ["a", "b"]
    assert thinned([str(n) for n in range(1000, 2000)], 400) == [str(n) for n in range(1000, 2000, 10)]


def test_spread_keeps_first_and_reaches_the_end() -> None:
    items = [(n,) for n in range(10)]
    assert spread(items, 20) == items
    assert spread(items, 3) == [(0,), (3,), (6,)]
