"""What may be called proved. The property tests stand for the promise: copied is proved, a changed digit never."""

from __future__ import annotations

import string

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.questions.matching import find_quote
from app.questions.numbers import figures, missing
from app.questions.spans import Source
from app.questions.statements import Splitter
from app.questions.types import StatementView
from app.questions.verify import Verifier

HANDBOOK = Source(
    3,
    12,
    "Employees with a full-time contract receive 30 days of paid leave per calendar year. Unused leave\n"
    "can be carried over until 31 March 2027. It does not apply to interns.\n"
    "In 2021 the quota was 87 %.\nThe travel desk is led by Anna Schmidt.\n"
    "Expenses are claimed no later than 30 days after the trip.",
    ("Leave", "Annual leave"),
    "doc1",
    "employee_handbook.pdf",
    True,
    ((0, 98, 4), (99, 400, 5)),
)
HANDBUCH = Source(
    4,
    1,
    "Mitarbeitende erhalten 30 Tage Urlaub pro Kalenderjahr. Der Antrag ist spätestens am 3. April 2026 zu stellen. "
    "Praktikanten erhalten keinen Urlaub. Das Kilometergeld beträgt 0,30 Euro je Kilometer.",
    (),
    "doc2",
    "handbuch.docx",
    False,
    ((0, 400, 1),),
)
PRICES = Source(
    5,
    1,
    "Name | Price | Delivery\nPump A12 | 1.234,56 € | 3 weeks\nPump B7 | 99 € | 2 weeks\n"
    "Valve PPR-9087 | 12 € | 10 days",
    (),
    "doc3",
    "prices.xlsx",
    True,
    ((0, 400, 2),),
)


def check(text: str, sources: list[Source] | None = None, question: str = "") -> StatementView:
    splitter = Splitter()
    pieces = [*splitter.feed(text), *splitter.finish()]
    assert len(pieces) == 1, pieces
    return Verifier(sources or [HANDBOOK, HANDBUCH, PRICES], question).check(pieces[0])


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("Employees receive 30 days of paid leave per year [D3.12].", "Employees with a full-time contract receive"),
        ("Leave can be carried over until 2027-03-31.", "Unused leave\ncan be carried over until 31 March 2027."),
        ("Unused leave can be carried over until March 31, 2027.", "Unused leave"),
        ("The quota was 87% in 2021.", "In 2021 the quota was 87 %."),
        ("The quota was 87 percent in 2021.", "In 2021 the quota was 87 %."),
        ("The travel desk is led by Anna Schmidt.", "The travel desk is led by Anna Schmidt."),
        ("Expenses must be claimed within 30 days after the trip.", "Expenses are claimed no later than 30 days"),
        ("It does not apply to interns.", "It does not apply to interns."),
        ("Mitarbeitende erhalten 30 Tage Urlaub.", "Mitarbeitende erhalten 30 Tage"),
        ("Mitarbeitende erhalten dreißig Tage Urlaub.", "Mitarbeitende erhalten 30 Tage"),
        ("Praktikanten erhalten keinen Urlaub.", "Praktikanten erhalten keinen Urlaub."),
        ("Der Antrag muss bis zum 03.04.2026 gestellt werden.", "Der Antrag ist spätestens am 3. April 2026"),
        ("The request must be made by April 3, 2026.", "Der Antrag ist spätestens am 3. April 2026"),
        ("Pump A12 costs 1,234.56 EUR and is delivered in 3 weeks.", "Pump A12 | 1.234,56 € | 3 weeks"),
        ("Die Pumpe A12 kostet 1.234,56 Euro.", "Pump A12 | 1.234,56 € | 3 weeks"),
        ("The valve PPR 9087 has a delivery of 10 days.", "Valve PPR-9087 | 12 € | 10 days"),
        ('It says that "unused leave can be carried over".'.replace("unused", "Unused"), "Unused leave"),
    ],
)
def test_proved(statement: str, quote: str) -> None:
    view = check(statement)
    assert (view.verdict, view.reasons) == ("proved", ())
    (citation,) = view.citations
    assert citation.quote.startswith(quote)
    source = {"doc1": HANDBOOK, "doc2": HANDBUCH, "doc3": PRICES}[str(citation.document_id)]
    assert source.text[citation.start : citation.end] == citation.quote


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("The quota was 85 % in 2021.", "figure_missing"),
        ("The quota was 87 % in 2022.", "figure_missing"),
        ("The quota was 87 in 2021.", "figure_missing"),
        ("Employees receive 31 days of paid leave.", "figure_missing"),
        ("Employees receive 30 weeks of paid leave.", "figure_missing"),
        ("Employees receive thirty-one days of paid leave.", "figure_missing"),
        ("Leave can be carried over until 31 May 2027.", "figure_missing"),
        ("Leave can be carried over until 31 March 2026.", "figure_missing"),
        ("The travel desk is led by Bernd Schmidt.", "name_missing"),
        ("It applies to interns.", "negation"),
        ("Unused leave cannot be carried over until 31 March 2027.", "negation"),
        ("Praktikanten erhalten Urlaub.", "negation"),
        ("Mitarbeitende erhalten keine 30 Tage Urlaub.", "negation"),
        ("Expenses are claimed at least 30 days after the trip.", "limit"),
        ("Pump B7 costs 1,234.56 EUR.", "figure_missing"),
        ("The price of pump B7 is 1,234.56 €.", "figure_missing"),
        ("The valve PPR-9088 costs 12 EUR.", "figure_missing"),
        ('It says "unused leave may be carried over".', "quote_missing"),
        ("Managers receive company cars with fuel cards.", "not_covered"),
        ("Yes.", "not_covered"),
    ],
)
def test_unproved(statement: str, code: str) -> None:
    view = check(statement)
    assert view.verdict == "unproved"
    assert view.reasons[0].code == code, [str(reason) for reason in view.reasons]


RATES = Source(
    6,
    0,
    "Country\tFull day (24 h)\tReduced rate (more than 8 h)\nAustria\t€50\t€33\nDenmark\t€75\t€50\nFrance\t€53\t€36",
    ("Per-diem rates",),
    "doc4",
    "travel.pdf",
    True,
    ((0, 400, 2),),
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The per diem for a full day in Denmark is €75.", "proved"),
        ("The per diem for a full day in Denmark is €50.", "unproved"),
        ("The reduced rate in Denmark is €50.", "proved"),
        ("The reduced rate in Denmark is €75.", "unproved"),
        ("The per diem for a full day in Denmark is €53.", "unproved"),
        ("Denmark: €75 and €50", "proved"),
    ],
)
def test_a_figure_of_another_row_or_column_proves_nothing(statement: str, verdict: str) -> None:
    assert check(statement, [RATES], "What is the per diem in Denmark?").verdict == verdict


def test_the_column_is_meant_that_the_question_names() -> None:
    view = check("€50", [RATES], "What is the per diem for a full day in Denmark?")
    assert view.verdict == "unproved" or view.citations[0].quote.startswith("Austria")


MAIL = Source(
    8,
    1,
    "We cannot deliver your order 4500-28817 in time. 450 pieces leave our works on 2 October 2026, the other 750 "
    "pieces on\n19 October 2026. The NW-T200 wrench is checked every 12 months.",
    (),
    "doc5",
    "delay.eml",
    False,
    ((0, 400, 1),),
)
TITLED = Source(
    9, 0, "Change the spindle oil every 2,000 hours: 3.2 litres of CLP 46.", (), "doc6", "maintenance-M4.txt", False, ()
)
PARTS = Source(
    10,
    0,
    "PPR-9087 costs 214 EUR. It is in stock. PPR-9088 costs 220 EUR. It is sold out.",
    (),
    "d7",
    "a.txt",
    False,
    (),
)


@pytest.mark.parametrize(
    ("statement", "source", "code"),
    [
        ("The other 750 pieces leave on 19 October 2026.", MAIL, ""),
        ("The other 750 pieces leave on 2 October 2026.", MAIL, "paired"),
        ("The other 750 pieces of order 4500-28817 leave on 19 October 2026.", MAIL, ""),
        ("The 450 pieces of order 4500-28818 leave on 2 October 2026.", MAIL, "figure_missing"),
        ("The spindle oil of machine M4 is changed every 2,000 hours.", TITLED, ""),
        ("The spindle oil of machine M5 is changed every 2,000 hours.", TITLED, "figure_missing"),
        ("PPR-9087 costs 214 EUR.", PARTS, ""),
        ("PPR-9088 costs 214 EUR.", PARTS, "paired"),
    ],
)
def test_figures_go_together_as_in_the_source(statement: str, source: Source, code: str) -> None:
    view = check(statement, [source])
    assert [reason.code for reason in view.reasons][:1] == ([code] if code else []), view


def test_a_row_is_one_piece_whatever_stands_in_it() -> None:
    table = "No. | Name | Town | Days\nL-1 | Ferretti S.r.l. Molle | Brescia | 60\nL-2 | Other Ltd. Co | Rome | 30"
    view = check("Ferretti Molle has 60 days.", [Source(1, 0, table, (), "d", "s.csv", False, ())])
    assert view.citations[0].quote == "L-1 | Ferretti S.r.l. Molle | Brescia | 60"


def test_clauses_are_proved_each_by_its_own_line() -> None:
    view = check("Employees receive 30 days of paid leave, and the travel desk is led by Anna Schmidt.")
    assert view.verdict == "proved"
    assert [c.quote.split()[0] for c in view.citations] == ["Employees", "The"]


def test_one_clause_without_a_line_spoils_the_statement() -> None:
    view = check("Employees receive 30 days of paid leave, so they may buy a company car.")
    assert view.verdict == "unproved"
    assert [reason.code for reason in view.reasons] == ["not_covered"]


def test_what_the_source_denies_is_not_proved_by_the_sentences_around_it() -> None:
    text = (
        "If you need care that no provider here offers, the costs of care for out-of-network providers matter. "
        "The plan does not cover the full cost of care for out-of-network providers. The full plan is in the booklet."
    )
    source = Source(1, 0, text, (), "d", "plan.pdf", True, ((0, 300, 9),))
    view = check("The plan covers the full cost of care for out-of-network providers.", [source])
    assert [reason.code for reason in view.reasons] == ["negation"]
    assert view.citations[0].quote.startswith("The plan does not cover")


def test_the_missing_figure_is_named() -> None:
    assert str(check("The quota was 85 % in 2021.").reasons[0]) == "“85 %” does not stand in the source."


def test_ids_that_stand_in_no_prompt_are_noted_and_do_not_count() -> None:
    view = check("Praktikanten erhalten keinen Urlaub [D9.9].")
    assert view.verdict == "proved"
    assert [c.source for c in view.citations] == ["D4.1"]
    assert view.reasons[0].code == "unknown_source"


def test_page_of_the_quote_and_none_where_there_are_no_pages() -> None:
    assert check("The quota was 87 % in 2021.").citations[0].page == 5
    assert check("Employees receive 30 days of paid leave per year.").citations[0].page == 4
    assert check("Praktikanten erhalten keinen Urlaub.").citations[0].page is None


def test_the_questions_words_do_not_prove_an_answer() -> None:
    view = check("Robots get a bonus.", question="Do robots get a bonus?")
    assert view.verdict == "unproved"


def test_nothing_to_prove_it_with() -> None:
    assert Verifier([], "").check(Splitter().feed("It is so. And")[0]).verdict == "unproved"


_words = st.lists(
    st.text(string.ascii_lowercase, min_size=3, max_size=9).filter(lambda w: not w.startswith("d")),
    min_size=3,
    max_size=9,
)
_numbers = st.one_of(
    st.integers(13, 99_999).map(str),
    st.tuples(st.integers(1, 999), st.integers(0, 99)).map(lambda n: f"{n[0]}.{n[1]:02}"),
    st.integers(1, 100).map(lambda n: f"{n} %"),
    st.tuples(st.integers(1, 28), st.integers(1, 12), st.integers(1990, 2040)).map(
        lambda d: f"{d[0]:02}.{d[1]:02}.{d[2]}"
    ),
    st.tuples(st.sampled_from(["PPR", "AB", "XK"]), st.integers(100, 9999)).map(lambda p: f"{p[0]}-{p[1]}"),
)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = draw(_words)
    words.insert(draw(st.integers(1, len(words))), draw(_numbers))
    return " ".join(words).capitalize() + "."


def _source(text: str) -> Source:
    return Source(7, 3, text, (), "doc", "paper.pdf", True, ((0, len(text), 1),))


@settings(max_examples=150, deadline=None)
@given(st.lists(sentences(), min_size=1, max_size=5, unique=True), st.data())
def test_a_copied_sentence_is_proved_by_itself(texts: list[str], data: st.DataObject) -> None:
    sentence = data.draw(st.sampled_from(texts))
    source = _source(" ".join(texts))
    pieces = (splitter := Splitter()).feed(sentence) + splitter.finish()
    assume(len(pieces) == 1)
    view = Verifier([source], "").check(pieces[0])
    assert view.verdict == "proved", view
    (citation,) = view.citations
    assert source.text[citation.start : citation.end] == citation.quote
    assert not missing(figures(sentence), figures(citation.quote))


@settings(max_examples=200, deadline=None)
@given(sentences(), st.data())
def test_a_changed_digit_is_never_proved(sentence: str, data: st.DataObject) -> None:
    places = [i for i, c in enumerate(sentence) if c.isdigit()]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([d for d in string.digits if d != sentence[place]]))
    changed = sentence[:place] + digit + sentence[place + 1 :]
    assume(figures(changed) != figures(sentence))
    pieces = (splitter := Splitter()).feed(changed) + splitter.finish()
    views = [Verifier([_source(sentence)], "").check(piece) for piece in pieces]
    assert any(view.verdict == "unproved" for view in views), views


_pieces = st.text(st.sampled_from('ab cÄß½²ﬁ①\u00ad\u200b–—-\u00a0\n\t"“’é\u0301éx0１'), max_size=40)


@settings(max_examples=200, deadline=None)
@given(_pieces, _pieces, _pieces)
def test_a_quotation_is_found_where_it_stands(before: str, quote: str, after: str) -> None:
    wanted = quote.strip().strip(".,;:!?")
    found = find_quote(wanted, f"{before} {wanted} {after}")
    assume(any(c.isalnum() for c in wanted))
    assert found is not None
    source = f"{before} {wanted} {after}"
    assert find_quote(source[found[0] : found[1]], source) is not None


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The plan covers dental care, vision care and prescription drugs.", "proved"),
        ("The plan covers dental care, vision care, hearing aids and prescription drugs.", "unproved"),
        ("The plan covers dental care, acupuncture, vision care and prescription drugs.", "unproved"),
        ("The plan covers dental care, vision care, prescription drugs and massages.", "unproved"),
    ],
)
def test_each_item_of_a_list_must_stand_in_the_source(statement: str, verdict: str) -> None:
    text = "The plan covers dental care, vision care, and prescription drugs for all employees."
    view = check(statement, [_source(text)])
    assert view.verdict == verdict
    assert (view.reasons != ()) == (verdict == "unproved")


def test_items_on_lines_of_their_own_are_cited_with_their_lines() -> None:
    text = "The plan covers the following:\n- dental care\n- vision care\n- prescription drugs\n- physical therapy"
    said = "The plan covers dental care, vision care, prescription drugs and physical therapy."
    view = check(said, [_source(text)], "What does the plan cover?")
    assert view.verdict == "proved"
    quoted = " ".join(citation.quote for citation in view.citations)
    assert all(item in quoted for item in ("dental", "vision", "prescription", "physical therapy"))
