from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from index_entries import DIM, entry, vector

from ingestion.index.store import Index, IndexWriter, OtherEmbedder, Query, WriterBusy

LEAVE = "Every employee has thirty days of paid leave a year."
TRAVEL = "Travel expenses are refunded within two weeks of the claim."
HOUSE = "Die Häuser in der Hauptstraße werden im Frühling gestrichen."


@pytest.fixture
def writer(tmp_path: Path) -> Any:
    with IndexWriter(tmp_path / "index", "model-a", DIM) as writer:
        yield writer


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "index", "model-a", DIM)


def found(index: Index, text: str, allowed: Any, **more: Any) -> list[tuple[int, int]]:
    hits = index.search(Query(text, vector(text), allowed, **more))
    return [(hit.content_id, hit.ordinal) for hit in hits]


def test_an_index_that_does_not_exist_is_empty_and_ready(index: Index) -> None:
    assert found(index, "leave", [1]) == []
    assert (index.ready, index.generation, index.problems) == (True, 0, ())


def test_what_is_committed_is_found_with_both_legs(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [LEAVE, TRAVEL]), entry(2, [HOUSE], "de")])
    assert writer.commit() == 1
    hit = index.search(Query(TRAVEL, vector(TRAVEL), {1, 2}, limit=1))[0]
    assert (hit.content_id, hit.ordinal, hit.dense_rank, hit.lexical_rank) == (1, 1, 1, 1)
    assert hit.similarity == pytest.approx(1.0, abs=1e-5)
    assert index.generation == 1
    assert writer.contents() == {1, 2}


def test_nothing_is_seen_before_commit(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [LEAVE])])
    assert found(index, LEAVE, [1]) == []
    assert writer.contents() == set()


def test_a_commit_without_changes_makes_no_generation(writer: IndexWriter) -> None:
    assert writer.commit() == 0
    writer.add([entry(1, [LEAVE])])
    assert [writer.commit(), writer.commit()] == [1, 1]
    writer.remove([99])
    assert writer.commit() == 1


def test_a_content_added_again_is_replaced(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [LEAVE, TRAVEL])])
    writer.commit()
    writer.add([entry(1, [HOUSE], "de")])
    writer.commit()
    assert found(index, f"{LEAVE} {TRAVEL} {HOUSE}", [1]) == [(1, 0)]


def test_a_content_without_passages_is_known(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, []), entry(2, [LEAVE])])
    writer.commit()
    assert writer.contents() == {1, 2}
    assert found(index, LEAVE, [1]) == []


def test_a_removed_content_is_gone_from_the_disk(writer: IndexWriter, index: Index, tmp_path: Path) -> None:
    for content in range(6):
        writer.add([entry(content, [f"{LEAVE} zebrafish{content}", TRAVEL])])
        writer.commit()
    writer.remove([3])
    writer.commit()
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"zebrafish3" not in everything
    assert vector(f"{LEAVE} zebrafish3").tobytes() not in everything
    assert vector(f"{LEAVE} zebrafish4").tobytes() in everything
    assert found(index, "zebrafish3", range(10), limit=50) != []
    assert all(content != 3 for content, _ in found(index, "zebrafish3", range(10), limit=50))
    assert found(index, "zebrafish4", range(10))[0] == (4, 0)


def test_all_contents_can_be_removed(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [LEAVE])])
    writer.commit()
    writer.remove([1])
    assert writer.commit() == 2
    assert found(index, LEAVE, [1]) == []
    assert index.ready
    writer.add([entry(2, [LEAVE])])
    writer.commit()
    assert found(index, LEAVE, [1, 2]) == [(2, 0)]


def test_unchanged_files_are_shared_between_generations(writer: IndexWriter, tmp_path: Path) -> None:
    writer.add([entry(n, [LEAVE, TRAVEL]) for n in range(20)])
    writer.commit()
    writer.add([entry(100, [HOUSE], "de")])
    writer.commit()
    first, second = sorted((tmp_path / "index").glob("generation-*"))
    shared = {f.stat().st_ino for f in first.rglob("*")} & {f.stat().st_ino for f in second.rglob("*")}
    assert len(shared) >= 7  # the segment's two vector files, tantivy's files


def test_only_allowed_contents_are_found(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(n, [LEAVE, TRAVEL]) for n in range(50)])
    writer.commit()
    for allowed in ([], [7], [7, 9], range(49), range(50), [1000], {-1}):
        hits = index.search(Query(LEAVE, vector(LEAVE), allowed, limit=200))
        assert {hit.content_id for hit in hits} == set(allowed) & set(range(50))


def test_access_costs_no_recall(writer: IndexWriter, index: Index) -> None:
    """A thousand better passages of others do not push the allowed one out."""
    writer.add([entry(n, [LEAVE] * 100) for n in range(1, 11)])
    writer.add([entry(99, [f"{TRAVEL} {TRAVEL} leave"])])
    writer.commit()
    (hit,) = index.search(Query("paid leave", vector(LEAVE), [99], limit=5))
    assert (hit.content_id, hit.dense_rank, hit.lexical_rank) == (99, 1, 1)


def test_words_alone_and_meaning_alone(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [LEAVE, TRAVEL])])
    writer.commit()
    (words_only,) = index.search(Query("refunded", None, [1]))
    assert (words_only.ordinal, words_only.dense_rank, words_only.similarity) == (1, None, None)
    dense_only = index.search(Query("", vector(LEAVE), [1]))
    assert [hit.lexical_rank for hit in dense_only] == [None, None]
    assert dense_only[0].ordinal == 0


def test_a_document_is_found_by_other_forms_of_its_words(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [LEAVE], "en"), entry(2, [HOUSE], "de")])
    writer.commit()
    for text, language, content in [
        ("Haus", "de", 2),
        ("haeuser", "de", 2),
        ("HAUPTSTRASSE", "de", 2),
        ("Haus", "", 2),
        ("fruehling", "fr", 2),
        ("employees", "en", 1),
    ]:
        hits = index.search(Query(text, None, [1, 2], language=language))
        assert [hit.content_id for hit in hits] == [content], text


@pytest.mark.parametrize(
    "asked", ["PPR-9087", "9087", "ppr 9087", "ppr9087", "Was kostet PPR-9087?", "price of ppr 9087"]
)
def test_the_exact_part_number_comes_first(writer: IndexWriter, index: Index, asked: str) -> None:
    texts = [f"Article PPR-{number} costs {number % 97} euros" for number in range(9040, 9140)]
    writer.add([entry(1, texts)])
    writer.commit()
    misled = vector(texts[3])  # the embedder takes one number for another
    assert index.search(Query(asked, misled, [1], limit=5))[0].ordinal == 47


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "\ud800",
        "😀",
        "a" * 20_000,
        "word " * 4000,
        'AND OR NOT "',
        "+(-[{*?~^:/\\",
        "content:1",
        "words:leave",
    ],
)
def test_any_question_is_safe(writer: IndexWriter, index: Index, text: str) -> None:
    writer.add([entry(1, [LEAVE])])
    writer.commit()
    assert index.search(Query(text, vector("x"), [1])) != []
    assert index.search(Query(text, vector("x"), [2])) == []


def test_a_question_may_hold_more_words_than_the_index_takes(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [" ".join(f"word{n}" for n in range(3000)), LEAVE])])
    writer.commit()
    text = " ".join(f"word{n}" for n in range(3000))
    assert index.search(Query(text, None, [1]))[0].ordinal == 0


def test_bad_vectors_are_refused(writer: IndexWriter, index: Index) -> None:
    good = entry(1, [LEAVE])
    with pytest.raises(ValueError, match="vectors are"):
        writer.add([entry(1, [LEAVE], dim=DIM + 1)])
    bad = good.vectors.copy()
    bad[0, 0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        writer.add([type(good)(1, "en", good.passages, bad)])
    writer.add([good])
    writer.commit()
    with pytest.raises(ValueError, match="vector has"):
        index.search(Query("leave", np.zeros(DIM + 1, np.float32), [1]))


def test_one_writer_at_a_time(writer: IndexWriter, tmp_path: Path) -> None:
    with pytest.raises(WriterBusy, match="writing to the search index"):
        IndexWriter(tmp_path / "index", "model-a", DIM)
    writer.close()
    IndexWriter(tmp_path / "index", "model-a", DIM).close()


def test_a_writer_goes_on_where_another_ended(writer: IndexWriter, index: Index, tmp_path: Path) -> None:
    writer.add([entry(1, [LEAVE])])
    writer.commit()
    writer.close()
    with IndexWriter(tmp_path / "index", "model-a", DIM) as again:
        assert again.contents() == {1}
        again.add([entry(2, [TRAVEL])])
        assert again.commit() == 2
        assert again.verify() == []
    assert {content for content, _ in found(index, f"{LEAVE} {TRAVEL}", [1, 2])} == {1, 2}


def test_another_embedder_is_refused(writer: IndexWriter, tmp_path: Path) -> None:
    writer.add([entry(1, [LEAVE])])
    writer.commit()
    writer.close()
    for embedder, dim in [("model-b", DIM), ("model-a", 2 * DIM)]:
        with pytest.raises(OtherEmbedder, match="model-a"):
            IndexWriter(tmp_path / "index", embedder, dim)
    IndexWriter(tmp_path / "index", "model-a", DIM).close()  # the lock was given back


def test_a_rebuild_is_switched_to_in_one_step(writer: IndexWriter, index: Index, tmp_path: Path) -> None:
    """Case 22: from 16 to 32 numbers; the old index answers until the switch, then the new one does."""
    writer.add([entry(1, [LEAVE]), entry(2, [TRAVEL]), entry(3, [HOUSE])])
    writer.commit()
    writer.close()
    old, new = index, Index(tmp_path / "index", "model-b", 32)
    with IndexWriter(tmp_path / "index", "model-b", 32, fresh=True) as rebuild:
        assert rebuild.contents() == set()
        rebuild.add([entry(1, [LEAVE], dim=32)])
        rebuild.commit()
        assert rebuild.contents() == {1}
        assert found(old, LEAVE, [1, 2, 3])[0] == (1, 0)
        assert new.search(Query("refunded", vector("x", 32), [1, 2, 3]))[0].dense_rank is None
        assert [problem.code for problem in new.problems] == ["other_embedder"]
        rebuild.remove([3])  # deleted meanwhile
        rebuild.commit()
        assert (3, 0) not in found(old, HOUSE, [1, 2, 3])
    with IndexWriter(tmp_path / "index", "model-b", 32, fresh=True) as rebuild:  # after a crash it goes on
        assert rebuild.contents() == {1}
        rebuild.add([entry(2, [TRAVEL], dim=32)])
        number = rebuild.switch()
        assert rebuild.contents() == {1, 2}
        assert new.refresh(number) == number
        hits = new.search(Query(TRAVEL, vector(TRAVEL, 32), [1, 2, 3]))
        assert (hits[0].content_id, hits[0].dense_rank) == (2, 1)
        assert new.problems == ()
        assert old.search(Query(TRAVEL, vector(TRAVEL), [2]))[0].lexical_rank == 1  # words go on, meaning pauses
        rebuild.add([entry(4, [HOUSE], dim=32)])
        assert rebuild.commit() == number + 1
    assert not (tmp_path / "index" / "rebuild").exists()


def test_a_rebuild_of_nothing_empties_the_index(writer: IndexWriter, index: Index, tmp_path: Path) -> None:
    writer.add([entry(1, [LEAVE])])
    writer.commit()
    writer.close()
    with IndexWriter(tmp_path / "index", "model-a", DIM, fresh=True) as rebuild:
        rebuild.switch()
    assert found(index, LEAVE, [1]) == []
    assert index.problems == ()


def test_another_version_of_the_analyser_is_rebuilt(
    writer: IndexWriter, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ingestion.index.store import OtherAnalyser

    writer.add([entry(1, [LEAVE])])
    writer.commit()
    writer.close()
    monkeypatch.setattr("ingestion.index.words.VERSION", "next")
    with pytest.raises(OtherAnalyser):
        IndexWriter(tmp_path / "index", "model-a", DIM)
    later = Index(tmp_path / "index", "model-a", DIM)
    assert found(later, LEAVE, [1]) == [(1, 0)]
    assert [problem.code for problem in later.problems] == ["other_analyser"]


def test_languages_of_what_is_allowed(writer: IndexWriter, index: Index) -> None:
    writer.add([entry(1, [LEAVE, TRAVEL], "en"), entry(2, [HOUSE], "de"), entry(3, ["42"], "")])
    writer.commit()
    assert index.languages([1, 2, 3, 4]) == {"en": 2, "de": 1, "": 1}
    assert index.languages([2]) == {"de": 1}


def test_an_embedder_that_does_not_speak_the_language_is_not_heard(writer: IndexWriter, tmp_path: Path) -> None:
    writer.add([entry(1, [HOUSE, "Urlaub gibt es dreißig Tage."], "de")])
    writer.commit()
    english = Index(tmp_path / "index", "model-a", DIM, frozenset({"en"}))
    misled = vector(HOUSE)
    hits = english.search(Query("Wie viel Urlaub gibt es?", misled, [1], language="de"))
    assert [(hit.ordinal, hit.dense_rank) for hit in hits] == [(1, None)]
    asked_for = english.search(Query("Wie viel Urlaub gibt es?", misled, [1], language="de", dense_weight=1.0))
    assert {hit.dense_rank for hit in asked_for} == {1, 2}


def part_numbers() -> list[str]:
    """A hundred passages about parts of one family; the eighty-eighth is about PPR-9087."""
    numbers = [f"PPR-{9000 + n}" for n in range(100)]
    return [
        f"The pressure reducer {number} is delivered within three days; PPR spares on request." for number in numbers
    ]


@pytest.mark.parametrize(
    "asked",
    ["PPR-9087", "9087", "ppr 9087", "PPR9087", "ppr/9087", "PPR_9087", "PPR\u20119087", "Lieferzeit PPR Nr. 9087?",
     "When is the pressure reducer ppr 9087 delivered?"],
)  # fmt: skip
def test_a_longer_part_number_comes_after_the_exact_one(writer: IndexWriter, index: Index, asked: str) -> None:
    others = ["PPR-9087-A is another part: PPR-9087-A, PPR-9087-A.", "Order 19087 and 90871 of the PPR series."]
    writer.add([entry(1, part_numbers()), entry(2, others)])
    writer.commit()
    assert found(index, asked, {1, 2})[0] == (1, 87)


def test_numbers_and_dates_are_found_in_any_notation(writer: IndexWriter, index: Index) -> None:
    texts = ["Das Entgelt beträgt 1.234,56 € ab dem 03.04.2026.", "Das Entgelt beträgt 1.234,65 € ab dem 04.03.2025."]
    writer.add([entry(1, texts, "de"), entry(2, [LEAVE])])
    writer.commit()
    for asked in ("Who pays 1,234.56?", "1 234,56", "What happened on April 3rd, 2026?", "2026-04-03", "3 avril 2026"):
        (best, *_) = index.search(Query(asked, None, {1, 2}))
        assert (best.content_id, best.ordinal) == (1, 0), asked


def test_hidden_documents_change_neither_order_nor_naming(writer: IndexWriter, index: Index) -> None:
    """A word that only others' documents hold is to the asker as if it were in none."""
    mine = [entry(1, [LEAVE, TRAVEL, "The PPR-9087-A is a valve."])]
    writer.add([*mine, entry(2, [TRAVEL])])
    writer.commit()
    asked = [Query("Falke paid leave claim", vector(LEAVE), {1}), Query("ppr 9087", vector(TRAVEL), {1})]
    before = [[(hit.content_id, hit.ordinal) for hit in index.search(query)] for query in asked]
    writer.add([entry(3, ["Projekt Falke costs PPR-9087 a lot", "Falke"])])
    writer.commit()
    after = [index.search(query) for query in asked]
    assert [[(hit.content_id, hit.ordinal) for hit in hits] for hits in after] == before
    assert before[1][0] == (1, 2)
    assert after[1][0].score > 2
