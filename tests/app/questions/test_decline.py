"""Refusals in their variations, and sentences that only look like one."""

from __future__ import annotations

import pytest

from app.questions.decline import REFUSAL, is_refusal, is_remark, may_become_refusal
from app.questions.draft import Draft


@pytest.mark.parametrize(
    "text",
    [
        REFUSAL,
        "not in the documents.",
        "**NOT IN THE DOCUMENTS**",
        "The passages do not contain information about parental leave.",
        "The provided documents don't mention the price.",
        "This is not specified in the provided passages.",
        "There is no information about this in the documents.",
        "I'm sorry, but I cannot answer that.",
        "Die Dokumente enthalten keine Angaben zur Elternzeit.",
        "Dazu steht nichts in den Dokumenten: die Dokumente beantworten das nicht.",
        "Das ist in den Passagen nicht angegeben und nicht in den Dokumenten enthalten.",
        "Es gibt keine Informationen über die Elternzeit.",
        "The documents do not answer it.",
        "Die Dokumente do not answer the question.",
        "Die Frage wird in den Dokumenten nicht beantwortet.",
        "The question cannot be answered from the passages.",
    ],
)
def test_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Personal information is not provided to third parties.",
        "Employees do not receive overtime pay.",
        "Das Rauchen ist nicht erlaubt.",
        "Der Vertrag enthält keine Probezeit.",
        "No receipts are needed.",
        "Die Dokumente beantworten die Frage.",
        "The documents must be kept for ten years.",
        "There is no information desk on Sundays.",
        "Unterlagen sind zehn Jahre aufzubewahren.",
    ],
)
def test_statements_are_no_refusals(text: str) -> None:
    assert not is_refusal(text)


def test_a_remark_about_the_documents_claims_nothing() -> None:
    assert is_remark("Die Dokumente beantworten die Frage.")
    assert is_remark("The passages answer the question.")
    assert not is_remark("The documents are kept for ten years.")


def test_a_statement_that_begins_like_a_refusal_is_a_statement() -> None:
    draft = Draft((), "How long must the documents be kept?")
    draft.take("The documents must be kept for ten years. ")
    draft.finish()
    assert [view.kind for view in draft.statements] == ["statement"]


def test_a_beginning_that_may_become_one_is_held_back() -> None:
    assert all(may_become_refusal(REFUSAL[:n]) for n in range(1, len(REFUSAL)))
    assert may_become_refusal("NOT IN THE DOCUMENTS.")
    assert not may_become_refusal("No receipts")


def test_a_refusal_with_a_figure_of_its_own_is_a_claim() -> None:
    draft = Draft((), "What is the price in 2026?")
    draft.take("The documents do not mention the price in 2026. ")
    draft.take("The documents do not mention it, but it is 99 EUR. ")
    draft.finish()
    assert [view.kind for view in draft.statements] == ["connective", "statement"]
    assert draft.verdict() == "unproved"
