"""When the documents do not hold the answer: how a refusal is recognised, and what people are told instead.

The fixed messages stand here in the languages questions are answered in; they are part of the answer, not of the
interface.
"""

from __future__ import annotations

import re

from app.questions.normal import plain

REFUSAL = "NOT IN THE DOCUMENTS"

_NOT_FOUND = {
    "en": "The documents do not answer this. These passages come closest.",
    "de": "Die Dokumente beantworten das nicht. Diese Stellen kommen dem am nächsten.",
}
_NOTHING_CLOSE = {
    "en": "The documents do not answer this, and no passage comes close.",
    "de": "Die Dokumente beantworten das nicht, und keine Stelle kommt dem nahe.",
}
_NOTHING_READ = {
    "en": "This collection has no documents to answer from yet. Upload some, then ask again.",
    "de": "In dieser Sammlung ist noch kein Dokument, aus dem geantwortet werden könnte. Laden Sie welche hoch und "
    "fragen Sie dann noch einmal.",
}
_STILL_READING = {
    "en": "The documents of this collection are still being read. Ask again in a moment.",
    "de": "Die Dokumente dieser Sammlung werden noch gelesen. Fragen Sie in einem Augenblick noch einmal.",
}
_SUBJECT = (
    r"(?:the |these |provided |given |available )*(?:documents?|passages?|texts?|sources?|context|collection|excerpts?|"
    r"(?:bereitgestellten |vorliegenden |angegebenen |gegebenen )?(?:dokumente?n?|passagen?|texte?n?|quellen?|unterlagen|"
    r"auszügen?|abschnitte?n?))"
)
_REFUSALS = re.compile(
    rf"not in the documents|nicht in den dokumenten|"
    rf"\b{_SUBJECT}\b[^.]{{0,60}}\b(?:do(?:es)? not|don't|doesn't|did not|didn't|cannot|is not|isn't|are not|no)\b[^.]{{0,60}}"
    rf"\b(?:contain|mention|provide|specify|include|state|answer|say|hold|have|information|available|given|provided|"
    rf"mentioned|specified|address|describe|discuss|cover|list|explicit)\w*|"
    rf"\bnot (?:\w+ ){{0,2}}(?:mentioned|provided|specified|stated|given|available|found|contained|included|described|covered|"
    rf"addressed|answered|present)\b[^.]{{0,30}}\b(?:in|by|from|within)\b[^.]{{0,30}}{_SUBJECT}|"
    rf"\bno (?:\w+ ){{0,3}}(?:information|mention|answer|details?)\b[^.]{{0,80}}\b{_SUBJECT}|"
    rf"\b(?:there is|i have|i found) no (?:\w+ ){{0,2}}information\b|"
    rf"\bi (?:do not|don't|cannot|can't|am unable to|could not|couldn't) (?:have|know|find|answer|provide)\b|"
    rf"\bi'm sorry\b|\bi am sorry\b|\bas an ai\b|"
    rf"\b(?:es (?:gibt|finden sich|liegen)|ich habe) (?:\w+ ){{0,2}}keine (?:\w+ ){{0,2}}(?:informationen|angaben)\b|"
    rf"\b{_SUBJECT}\b[^.]{{0,60}}\b(?:enthalten|enthält|nennen|nennt|geben|gibt|beantworten|beantwortet|machen|sagen|erwähnen|liefern)\b"
    rf"[^.]{{0,60}}\b(?:nicht|keine?n?)\b|"
    rf"\b(?:nicht|keine?n?)\b[^.]{{0,60}}\b(?:in|aus) (?:den |diesen |dem )?{_SUBJECT}\b[^.]{{0,30}}"
    rf"\b(?:enthalten|genannt|angegeben|erwähnt|beschrieben|zu finden|aufgeführt|beantwortet|ersichtlich|hervor)|"
    rf"\bich (?:kann|konnte|weiß|habe)\b[^.]{{0,40}}\b(?:nicht|keine)\b[^.]{{0,40}}\b(?:beantworten|finden|information\w*|antwort)\b|"
    rf"\bes tut mir leid\b",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether a statement says that the documents do not hold the answer."""
    return _REFUSALS.search(plain(text)) is not None


def may_become_refusal(text: str) -> bool:
    """Whether a beginning may still turn out to be the fixed refusal: it is not shown before that is known."""
    begun = plain(text).strip("\"'*[(. ").casefold()
    return REFUSAL.casefold().startswith(begun) or begun.startswith(REFUSAL.casefold())


def not_found(language: str, close: bool) -> str:
    """What an answer says whose question the documents do not answer. `close`: passages are shown below it."""
    return _said(_NOT_FOUND if close else _NOTHING_CLOSE, language)


def nothing_to_search(language: str, unread: int) -> str:
    """What an answer says in a collection where nothing has been read yet."""
    return _said(_STILL_READING if unread else _NOTHING_READ, language)


def _said(message: dict[str, str], language: str) -> str:
    return message.get(language, message["en"])
