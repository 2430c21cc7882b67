"""Which language is a text in? py3langid (Lui and Baldwin, 2012, "langid.py") with the languages of our users."""

from __future__ import annotations

from functools import cache
from typing import Any

# The official languages of the EU that the model knows, its neighbours', and the large ones of the world.
LANGUAGES = (  # noqa: SIM905
    "bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv "
    "ar ca cy gl eu he hi id is ja ko mk no ru sq sr tr uk vi zh"
).split()
SHORTEST = 40  # letters below which a guess is worth nothing
LONGEST = 20_000  # characters looked at
SURE = 0.9
LIKELY = 0.5  # of a question: a wrong guess costs little there, and 5 of 4,350 XQuAD questions are guessed wrong
QUESTION = 2_000  # characters of a question looked at


def detect(text: str) -> str:
    """ISO 639-1 code of the language most of `text` is in; "" when it is too short or unclear."""
    sample = _sample(text)
    if sum(map(str.isalpha, sample)) < SHORTEST:
        return ""
    language, confidence = _identifier().classify(sample)
    return str(language) if confidence >= SURE else ""


def guess(question: str) -> str:
    """ISO 639-1 code of the language a question is likely in; "" when a word or two do not tell."""
    if not any(map(str.isalpha, question)):
        return ""
    language, confidence = _identifier().classify(question[:QUESTION])
    return str(language) if confidence >= LIKELY else ""


def _sample(text: str) -> str:
    """The text, or pieces from start, middle and end of a long one."""
    if len(text) <= LONGEST:
        return text
    piece = LONGEST // 3
    middle = len(text) // 2
    return "\n".join((text[:piece], text[middle : middle + piece], text[-piece:]))


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LANGUAGES)
    return identifier
