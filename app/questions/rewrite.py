"""Makes a follow-up question standalone, so that a search understands it, with one short engine call.

Only questions that lean on the conversation are rewritten: rewriting a good question with a small model ruins it. The
call reuses the conversation's prompt as its prefix, so the engine computes little more than the few new words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import aclosing

from app.questions.decline import is_refusal
from app.questions.prompt import Turn, messages_of, without_specials
from app.questions.types import EngineClient
from app.questions.vocabulary import LEANING
from app.questions.words import content_stems, tokens
from models.types import Message

MOST_TOKENS = 60
_LONGEST = 300
_BEGINS = re.compile(
    r"^\W*(?:and|but|or|so|what about|how about|why|since when|until when|same for|then|else|more|otherwise|"
    r"und|aber|oder|also|warum|wieso|weshalb|seit wann|bis wann|wie ist es|wie sieht es|was ist mit|was gilt für|"
    r"gilt das|sonst)\b",
    re.I,
)
_ASK = {
    "de": "Schreibe die folgende Anschlussfrage als eine vollständige Frage, die ohne das Gespräch verständlich ist. "
    "Schreibe nur die Frage, auf Deutsch.",
    "en": "Rewrite the following follow-up as one complete question that is understood without the conversation. "
    "Write only the question, in English.",
    "": "Rewrite the following follow-up as one complete question that is understood without the conversation. "
    "Write only the question, in its own language.",
}


def is_standalone(question: str) -> bool:
    """Whether a question can be understood without what was said before, by simple rules for English and German:
    no opening like "and for ...?", no pronoun that points back, and at least two words of content."""
    words = [token.casefold() for token in tokens(question)]
    if _BEGINS.match(question) or len(words) < 4:
        return False
    return len(content_stems(question)) >= 2 and not any(word in LEANING for word in words)


async def make_standalone(
    engine: EngineClient, collection: str, turns: Sequence[Turn], question: str, language: str
) -> str:
    """The question on its own feet; "" when the engine's answer is no use (then the search takes it as asked)."""
    ask = f"{_ASK.get(language, _ASK[''])}\n\n<question>\n{without_specials(question)}\n</question>"
    messages = [*messages_of(collection, turns), Message("user", ask)]
    written = ""
    async with aclosing(engine.stream(messages, max_tokens=MOST_TOKENS, temperature=0.0, stop=("\n",))) as chunks:
        async for chunk in chunks:
            written += chunk.text
    return _usable(written, question)


def _usable(written: str, question: str) -> str:
    line = next((line for line in written.strip().splitlines() if line.strip()), "")
    line = re.sub(r"</?question>|\[D\d+\.\d+\]", "", line).strip(" \t\"'„“”*")
    line = re.sub(r"^(?:standalone |complete |vollständige )?(?:question|frage)\s*:\s*", "", line, flags=re.I)
    if not 8 <= len(line) <= _LONGEST or is_refusal(line) or line.casefold() == question.strip().casefold():
        return ""
    return line if line.endswith("?") or not question.strip().endswith("?") else ""
