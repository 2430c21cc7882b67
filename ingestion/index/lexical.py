"""The lexical leg: BM25 over analysed words (`words.py`) in a tantivy index.

Texts go in as terms that are already analysed; questions become term queries directly, so no query syntax exists that a
text could trip. tantivy only marks deleted documents; here a removed content leaves the disk: every segment that holds
it is emptied and its other documents are written anew, which makes tantivy drop the old segment's files.
"""

from __future__ import annotations

import json
import math
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from .compounds import Compounds, Kin
from .dates import MARK, MONTHS
from .generation import share
from .words import LONG_NUMBER, WHOLE, Term, is_year

HEAP_BYTES = 64_000_000
MOST_TERMS = 96  # of a question; the rarest are kept
TIE = 0.3  # of the lesser of a term's two forms: a word that stands there as asked counts a little more
RELATED = 0.5  # of its own weight: what a word's compounds or parts count
FEW = 64  # passages; words that stand in no more of them are counted among the visible ones
MOST_NAMES = 8  # identifiers of a question that are looked for
RARE = 5  # passages; a number in no more than these names them
_LISTS = ("meta.json", ".managed.json")


@dataclass(frozen=True)
class Row:
    """A passage as it is indexed: key and terms separated by spaces."""

    content_id: int
    ordinal: int
    words: str
    stems: str
    ends: str = ""


@dataclass(frozen=True)
class Found:
    """Best first. `keys` are (content id, ordinal), `scores` their BM25 scores; `named` are the passages that hold an
    identifier of the question; `coverage` in [0, 1] is how much of the question's weight (inverse document frequency)
    occurs in the index at all."""

    keys: list[tuple[int, int]]
    scores: list[float]
    named: list[tuple[int, int]]
    coverage: float


class LexicalIndex:
    """A folder's index, opened for searching. Immutable, safe to search from several threads."""

    def __init__(self, folder: Path, contents: Collection[int]) -> None:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")
        self._schema = index.schema
        self._searcher = index.searcher()
        self._contents = frozenset(contents)
        self._compounds = Compounds(self._searcher)
        self.passages: int = self._searcher.num_docs

    def search(self, terms: Sequence[Term], allowed: Collection[int], limit: int) -> Found:
        """The best of the passages whose content is in `allowed`; the filter is part of the query. What is hidden makes
        no word known, names nothing and only shades how rare a word is (docs/decisions/0034)."""
        visible = self._contents & frozenset(allowed)
        frequencies = {term.word: self._heard(term, visible) for term in terms}
        known = sorted((t for t in terms if frequencies[t.word]), key=lambda t: frequencies[t.word])[:MOST_TERMS]
        if not known or not visible or limit < 1:
            return Found([], [], [], 0.0)
        question, only = self._any(known), self._only(visible)
        best = self._best([question, *only], limit)
        named = [key for term in _naming(known, frequencies) for key in self._named(term, [question, *only], limit)]
        coverage = self._coverage(terms, frequencies)
        return Found([key for _, key in best], [score for score, _ in best], list(dict.fromkeys(named)), coverage)

    def _heard(self, term: Term, visible: frozenset[int]) -> int:
        """How many passages hold the term; of a rare one only those that may be seen count, so that nobody learns from
        an answer's order whether others' documents mention a name."""
        frequency = self._frequency(term)
        if not frequency or frequency > FEW or visible == self._contents:
            return frequency
        holding = self._searcher.search(self._one(term), limit=FEW, count=False).hits
        contents = self._searcher.fast_field_values("content", [address for _, address in holding])
        return sum(content in visible for content in contents)

    def _named(self, term: Term, clauses: list[tuple[Any, Any]], limit: int) -> list[tuple[int, int]]:
        """Passages where the identifier stands by itself, or else within a longer one: PPR-9087 before PPR-9087-A."""
        for form in (Term(WHOLE + term.word), term):
            if hits := self._best([self._any([form]), *clauses], limit):
                return [key for _, key in hits]
        return []

    def _frequency(self, term: Term) -> int:
        """Passages of the whole index that hold the term in some form; else its compounds or the rarer of its parts."""
        in_words = self._searcher.doc_freq("words", term.word)
        as_it_is = max([in_words, *(self._searcher.doc_freq("stems", stem) for stem in term.stems)])
        return int(as_it_is or self._akin(self._compounds.kin(term)))

    def _akin(self, kin: Kin) -> int:
        parts = [self._searcher.doc_freq("stems", part) for part in (kin.modifier, kin.head) if part]
        return int(kin.passages or min(parts, default=0))

    def _any(self, terms: Sequence[Term]) -> tuple[Any, Any]:
        return tantivy.Occur.Must, tantivy.Query.boolean_query([(tantivy.Occur.Should, self._one(t)) for t in terms])

    def _one(self, term: Term) -> Any:
        forms = [("words", term.word), *(("stems", stem) for stem in term.stems)]
        queries = [self._term(field, text) for field, text in forms] + self._related(term)
        return queries[0] if len(queries) == 1 else tantivy.Query.disjunction_max_query(queries, TIE)

    def _related(self, term: Term) -> list[Any]:
        """Compounds that hold the word, as one: how rare each of them is says nothing. And its own two parts, if both
        are there."""
        kin, found = self._compounds.kin(term), []
        if kin.within:
            rarity = math.log(1 + (self.passages + 0.5) / (min(kin.passages, self.passages) + 0.5))
            within = tantivy.Query.term_set_query(self._schema, "stems", list(kin.within))
            found.append(tantivy.Query.const_score_query(within, RELATED * rarity))
        if kin.head:
            both = [(tantivy.Occur.Must, self._term("stems", part)) for part in (kin.modifier, kin.head)]
            found.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(both), RELATED))
        return found

    def _term(self, field: str, text: str) -> Any:
        return tantivy.Query.term_query(self._schema, field, text, "freq")

    def _only(self, visible: frozenset[int]) -> list[tuple[Any, Any]]:
        """The access filter, as a clause that does not score; the shorter of what is allowed and what is not."""
        hidden = self._contents - visible
        if not hidden:
            return []
        ids, occur = (hidden, tantivy.Occur.MustNot) if len(hidden) < len(visible) else (visible, tantivy.Occur.Must)
        members = tantivy.Query.term_set_query(self._schema, "content", sorted(ids))
        return [(occur, tantivy.Query.const_score_query(members, 0.0))]

    def _best(self, clauses: list[tuple[Any, Any]], limit: int) -> list[tuple[float, tuple[int, int]]]:
        hits = self._searcher.search(tantivy.Query.boolean_query(clauses), limit=limit, count=False).hits
        addresses = [address for _, address in hits]
        contents = self._searcher.fast_field_values("content", addresses)
        ordinals = self._searcher.fast_field_values("ordinal", addresses)
        found = [(float(hit[0]), (int(c), int(o))) for hit, c, o in zip(hits, contents, ordinals, strict=True)]
        return sorted(found, key=lambda one: (-one[0], one[1]))  # ties do not depend on how segments lie

    def _coverage(self, terms: Sequence[Term], frequencies: dict[str, int]) -> float:
        dated = any(frequencies[t.word] for t in terms if t.word.startswith(MARK))
        heard = [t for t in terms if frequencies[t.word] or not _said_elsewhere(t.word, dated)]
        weights = {t.word: math.log(1 + (self.passages + 0.5) / (frequencies[t.word] + 0.5)) for t in heard}
        return sum(w for word, w in weights.items() if frequencies[word]) / sum(weights.values())


def create(folder: Path) -> None:
    """An empty index in an empty folder."""
    schema = tantivy.SchemaBuilder()
    schema.add_unsigned_field("content", indexed=True, fast=True, stored=True)
    schema.add_unsigned_field("ordinal", fast=True, stored=True)
    schema.add_text_field("words", stored=True, tokenizer_name="whitespace", index_option="freq")
    schema.add_text_field("stems", stored=True, tokenizer_name="whitespace", index_option="freq")
    schema.add_text_field("ends", stored=True, tokenizer_name="whitespace", index_option="basic")
    tantivy.Index(schema.build(), str(folder))


def link(before: Path, after: Path) -> None:
    """Give `after` the index of `before`: immutable segment files as hard links, the two lists of files as copies."""
    for file in before.iterdir():
        if file.name in _LISTS:
            shutil.copyfile(file, after / file.name)
        elif file.suffix != ".lock":
            share(file, after / file.name)


def change(folder: Path, rows: Iterable[Row], gone: Collection[int]) -> int:
    """Remove the contents `gone` for good and add `rows`; returns how many passages there are now. Raises OSError when
    the disk does not take it."""
    try:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")
        writer = index.writer(HEAP_BYTES, 1)
        if gone:
            _purge(index, writer, gone)
        for row in rows:
            _add(index.schema, writer, row)
        writer.commit()
        writer.wait_merging_threads()
        _tidy(folder)
        index.reload()
        return int(index.searcher().num_docs)
    except ValueError as error:  # what tantivy-py makes of all errors
        raise OSError(f"The lexical index could not be written: {error}") from error


def _said_elsewhere(word: str, dated: bool) -> bool:
    """Whether a word that does not occur is no loss: a date whose words are there, or words whose date is."""
    return word.startswith(MARK) or (dated and (word.isdecimal() or word in MONTHS))


def _naming(terms: Sequence[Term], frequencies: Mapping[str, int]) -> list[Term]:
    """Terms whose passages are surely meant: identifiers; where there are none, long numbers that are rare."""
    identifiers = [term for term in terms if term.identifier]
    rare = [term for term in terms if _is_long(term.word) and frequencies[term.word] <= RARE]
    return (identifiers or rare)[:MOST_NAMES]


def _is_long(word: str) -> bool:
    return word.isdecimal() and len(word) >= LONG_NUMBER and not is_year(word)


def _add(schema: Any, writer: Any, row: Row) -> None:
    terms = {"words": row.words, "stems": row.stems, "ends": row.ends}
    writer.add_document(
        tantivy.Document.from_dict({"content": row.content_id, "ordinal": row.ordinal, **terms}, schema)
    )


def _purge(index: Any, writer: Any, gone: Collection[int]) -> None:
    """Empty every segment that holds a removed content, and write anew what else was in it."""
    searcher = index.searcher()
    hits = searcher.search(tantivy.Query.all_query(), limit=max(searcher.num_docs, 1), count=False).hits
    addresses = [address for _, address in hits]
    contents = searcher.fast_field_values("content", addresses)
    rewritten = _sharing_segments(set(gone), [(c, a.segment_ord) for c, a in zip(contents, addresses, strict=True)])
    # By query: `delete_documents_by_term` finds nothing in an unsigned field (tantivy-py 0.27).
    writer.delete_documents_by_query(tantivy.Query.term_set_query(index.schema, "content", sorted(rewritten)))
    for content, address in zip(contents, addresses, strict=True):
        if content in rewritten and content not in gone:
            writer.add_document(searcher.doc(address))  # all fields are stored


def _sharing_segments(gone: set[int], places: Sequence[tuple[int, int]]) -> set[int]:
    """All contents that lie in a segment with a removed one, and those that share a segment with these, and so on:
    no segment may keep a single deleted document."""
    contents_of, segments_of = defaultdict(set), defaultdict(set)
    for content, segment in places:
        contents_of[segment].add(content)
        segments_of[content].add(segment)
    found: set[int] = set()
    waiting = [content for content in gone if content in segments_of]
    while waiting:
        content = waiting.pop()
        if content not in found:
            found.add(content)
            waiting.extend(c for segment in segments_of[content] for c in contents_of[segment])
    return found


def _tidy(folder: Path) -> None:
    """Leave only the files of live segments; check that nothing deleted is left in them. Lock files stay: a reader
    would have to make them, which fails on a full disk."""
    segments = json.loads((folder / "meta.json").read_text())["segments"]
    if any(segment["deletes"] for segment in segments):
        raise RuntimeError("tantivy kept deleted documents")
    live = {segment["segment_id"].replace("-", "") for segment in segments}
    for file in folder.iterdir():
        if file.name not in _LISTS and file.suffix != ".lock" and file.name.split(".")[0] not in live:
            file.unlink()
