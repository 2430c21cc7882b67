"""When the documents do not hold the answer: how a refusal is recognised, and what people are told instead.

The fixed messages stand here in the languages questions are answered in; they are part of the answer, not of the
interface.
"""

from __future__ import annotations

import re

from app.questions.normal import plain

REFUSAL = "NOT IN THE DOCUMENTS"  # some models write it like this, whatever they are asked to write

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
    r"(?:the |these |provided |given |available )*"
    r"(?:documents?|passages?|texts?|sources?|context|collection|excerpts?)|"
    r"(?:die |den |diesen |dem |bereitgestellten |vorliegenden |angegebenen |gegebenen )*"
    r"(?:dokumente?n?|passagen?|texte?n?|quellen?|unterlagen|auszügen?|abschnitte?n?)"
)
_DO_NOT = r"(?:do(?:es)? not|don't|doesn't|did not|didn't|cannot|is not|isn't|are not|no)"
_HOLD = (
    r"(?:contain|mention|provide|specify|specified|include|state|answer|say|hold|have|information|available|given|"
    r"address|describe|discuss|cover|list|explicit)\w*"
)
_HELD = (
    r"(?:mentioned|provided|specified|stated|given|available|found|contained|included|described|covered|addressed|"
    r"answered|present)"
)
_GERMAN_HOLD = (
    r"(?:enthalten|enthält|nennen|nennt|geben|gibt|beantworten|beantwortet|machen|sagen|sagt|erwähnen|liefern|steht)"
)
_GERMAN_HELD = (
    r"(?:enthalten|genannt|angegeben|erwähnt|beschrieben|zu finden|aufgeführt|beantwortet|ersichtlich|hervor)"
)
_REFUSALS = re.compile(
    "|".join(
        (
            r"not in the documents|nicht in den dokumenten",
            rf"\b(?:{_SUBJECT})\b[^.]{{0,60}}\b{_DO_NOT}\b[^.]{{0,60}}\b{_HOLD}",
            rf"\bnot (?:\w+ ){{0,2}}{_HELD}\b[^.]{{0,30}}\b(?:in|by|from|within)\b[^.]{{0,30}}\b(?:{_SUBJECT})\b",
            rf"\bno (?:\w+ ){{0,3}}(?:information|mention|answer|details?)\b[^.]{{0,80}}\b(?:{_SUBJECT})\b",
            r"\b(?:there is|i have|i found) no (?:\w+ ){0,2}information "
            r"(?:about|regarding|concerning|available|provided|given|in|that|on (?:this|the|how|what))\b",
            r"\bi (?:do not|don't|cannot|can't|am unable to|could not|couldn't) (?:have|know|find|answer|provide)\b",
            r"\bi'm sorry\b|\bi am sorry\b|\bas an ai\b|\bes tut mir leid\b",
            r"\b(?:es (?:gibt|finden sich|liegen)|ich habe) (?:\w+ ){0,2}keine (?:\w+ ){0,2}"
            r"(?:informationen|angaben)\b",
            rf"\b(?:{_SUBJECT})\b[^.]{{0,60}}\b{_GERMAN_HOLD}\b[^.]{{0,60}}\b(?:nichts?|keine?n?)\b",
            rf"\b(?:nichts?|keine?n?)\b[^.]{{0,60}}\b(?:in|aus) (?:{_SUBJECT})\b[^.]{{0,30}}\b{_GERMAN_HELD}",
            r"\bquestion\b[^.]{0,30}\b(?:cannot|can't|can not|could not|is not|isn't) (?:be )?answered\b",
            r"\bfrage\b[^.]{0,60}\bnicht\b[^.]{0,30}\bbeantwort\w+\b",
            r"\bich (?:kann|konnte|weiß|habe)\b[^.]{0,40}\b(?:nicht|keine)\b[^.]{0,40}\b"
            r"(?:beantworten|finden|information\w*|antwort)\b",
        )
    ),
    re.IGNORECASE,
)
_REMARK = re.compile(
    rf"(?:yes, |ja, )?(?:{_SUBJECT})\s+(?:answers? (?:the|this) question|beantworte[nt] (?:die|diese) frage)[.!]?$",
    re.IGNORECASE,
)
_OPENINGS = (
    "the documents", "the passages", "the provided", "the given", "there is no information", "i'm sorry", "i cannot",
    "die dokumente", "die passagen", "die bereitgestellten", "es gibt keine", "in den dokumenten", "in den passagen",
)  # fmt: skip


def is_refusal(text: str) -> bool:
    """Whether a statement, or what was written of it, says that the documents do not hold the answer."""
    begun = _opening(text)
    return _REFUSALS.search(plain(text)) is not None or (" " in begun and REFUSAL.casefold().startswith(begun))


def is_remark(text: str) -> bool:
    """Whether a statement only says that the documents answer the question."""
    return _REMARK.match(plain(text)) is not None


def may_become_refusal(text: str) -> bool:
    """Whether an unfinished first sentence may still turn out to be a refusal: it is not shown before that is known."""
    begun = _opening(text)
    return any(known.startswith(begun) or begun.startswith(known) for known in (REFUSAL.casefold(), *_OPENINGS))


def _opening(text: str) -> str:
    return plain(text).strip("\"'*[(. ").casefold()


def not_found(language: str, close: bool) -> str:
    """What an answer says whose question the documents do not answer. `close`: passages are shown below it."""
    return _said(_NOT_FOUND if close else _NOTHING_CLOSE, language)


def nothing_to_search(language: str, unread: int) -> str:
    """What an answer says in a collection where nothing has been read yet."""
    return _said(_STILL_READING if unread else _NOTHING_READ, language)


def _said(message: dict[str, str], language: str) -> str:
    return message.get(language, message["en"])
