from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.index.words import analyse, analyse_question


def indexed(text: str, language: str = "") -> set[str]:
    return {word for word in analyse(text, language).words.split() if word.startswith("@")}


def asked(text: str) -> set[str]:
    return {term.word for term in analyse_question(text, ["de"]) if term.word.startswith("@")}


@pytest.mark.parametrize(
    "text",
    [
        "3 April 2026", "3. April 2026", "3rd of April 2026", "April 3, 2026", "April 3rd 2026", "Apr. 3, 2026",
        "3-Apr-2026", "03.04.2026", "3.4.2026", "3. 4. 2026", "2026-04-03", "2026/4/3", "20260403", "03.04.26",
        "den 3. April, 2026", "le 3 avril 2026", "3 de abril de 2026", "il 3 aprile 2026", "3 april 2026",
        "Am 03.04.2026, 10.30 Uhr", "scan_20260403_1.pdf", "(3 April 2026)", "bis zum 03.04.2026.",
    ],
)  # fmt: skip
def test_a_date_has_one_notation(text: str) -> None:
    assert "@2026-04-03" in indexed(text)
    assert asked(text) == {"@2026-04-03"}


def test_a_date_is_found_by_its_month_and_by_its_day() -> None:
    assert asked("What was decided in April 2026?") == asked("04/2026") == asked("2026-04") == {"@2026-04"}
    assert asked("Was war am 3. April?") == {"@04-03"}
    assert {"@2026-04", "@04-03"} <= indexed("03.04.2026")


def test_the_order_of_day_and_month_is_guessed_only_where_it_must_be() -> None:
    assert asked("13/04/2026") == asked("04/13/2026") == {"@2026-04-13"}
    assert asked("04/03/2026") == {"@2026-04-03", "@2026-03-04"}
    assert {"@2026-04-03", "@2026-03-04"} <= indexed("04/03/2026", "en")
    assert "@2026-03-04" in indexed("04/03/2026", "de")
    assert "@2026-04-03" not in indexed("04/03/2026", "de")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May we?",
        "30 days",
        "12 people",
        "1-2-3",
        "10.11.12.13",
        "99.99.2026",
        "31 February 2026",
        "2346/12",
        "3.10",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert indexed(text) == asked(text) == set()


WRITTEN = [
    "{d}. {de} {y}", "{d}.{m}.{y}", "{d:02}.{m:02}.{y}", "{y}-{m:02}-{d:02}", "{d} {en} {y}", "{en} {d}, {y}",
    "{d} {fr} {y}", "{d} de {es} de {y}", "{d} {it} {y}", "{m}/{d}/{y}", "{d}/{m}/{y}",
]  # fmt: skip
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
}
NAMES = {tongue: months.split() for tongue, months in _MONTHS.items()}


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(WRITTEN), st.sampled_from(WRITTEN))
def test_a_date_meets_itself_however_it_is_written(day: date, one: str, other: str) -> None:
    assert day.strftime("@%Y-%m-%d") in asked(f"Was it {written(day, one)}?") & indexed(
        f"It was {written(day, other)}."
    )


def written(day: date, form: str) -> str:
    return form.format(
        y=day.year, m=day.month, d=day.day, **{tongue: names[day.month - 1] for tongue, names in NAMES.items()}
    )


@given(st.text(alphabet="0123456789./- ,AprilMaiof", max_size=40))
def test_any_mixture_is_safe(text: str) -> None:
    assert asked(text) <= indexed(text)
