"""Figures are compared by value, in English and German notation."""

from __future__ import annotations

import pytest

from app.questions.numbers import figures, missing


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.234,56", "1,234.56"),
        ("1.234,56 Euro", "EUR 1234.56".replace("EUR ", "€")),
        ("3 April 2026", "03.04.2026"),
        ("3. April 2026", "2026-04-03"),
        ("April 3rd, 2026", "3.4.2026"),
        ("04/03/2026", "3 April 2026"),
        ("87 %", "87%"),
        ("87 %", "87 percent"),
        ("87 %", "87 Prozent"),
        ("twelve months", "12 Monate"),
        ("drei Tage", "3 days"),
        ("1.5 million", "1,5 Mio."),
        ("1500000", "1.5 million"),
        ("10.000", "10,000"),
        ("10'000", "10000"),
        ("2:30 pm", "14.30 Uhr"),
        ("§ 12a", "§12a"),
        ("PPR-9087", "ppr9087"),
        ("ten", "zehn"),
        ("30-day", "30 days"),
    ],
)
def test_the_same_value(one: str, other: str) -> None:
    assert missing(figures(one), figures(other)) == []
    assert missing(figures(other), figures(one)) == []


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("85 %", "87 %"),
        ("87", "87 %"),
        ("87 %", "87"),
        ("2022", "2021"),
        ("3 April 2026", "4 March 2026"),
        ("3 April 2026", "April 2026"),
        ("1.234,56", "1.234,57"),
        ("10 Euro", "10.000 Euro"),
        ("10²", "102"),
        ("102", "10²"),
        ("5 EUR", "5 USD"),
        ("3 months", "3 weeks"),
        ("PPR-9087", "PPR-9078"),
        ("4", "Plan A4"),
        ("12a", "12b"),
        ("1.2.3", "1.2.4"),
        ("9 am", "9 pm"),
        ("-5", "5"),
        ("thirteen", "12"),
        ("info@a.example", "info@b.example"),
    ],
)
def test_not_the_same(statement: str, source: str) -> None:
    assert missing(figures(statement), figures(source)) != []


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("April 2026", "3 April 2026"),
        ("2026", "03.04.2026"),
        ("30 days", "30 calendar days"),
        ("5 %", "5-10 %"),
        ("2 weeks", "2 to 3 weeks"),
        ("9087", "PPR-9087"),
        ("12", "10 | 11 12 | 13"),
        ("one of them may sit", "them may sit"),
        ("500", "500 €"),
    ],
)
def test_the_source_may_say_more(statement: str, source: str) -> None:
    assert missing(figures(statement), figures(source)) == []
