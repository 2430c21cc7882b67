"""How long after the engine wrote a piece of text a listener could see it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.benchmarks.engine.stream import Heard

_IDS = re.compile(r"\s*\[D[^\]]*\]")  # never shown: a citation becomes a number beside the statement


@dataclass(frozen=True)
class Seen:
    """From the moment `at` so many letters of an answer could be seen. White space does not count: the app keeps it
    back until it knows what follows."""

    at: float
    letters: int


def written(pieces: Iterable[tuple[str, float]]) -> list[Seen]:
    """What the engine had written, from its pieces and their moments."""
    seen, letters = list[Seen](), 0
    for text, at in pieces:
        if more := _letters(text):
            letters += more
            seen.append(Seen(at, letters))
    return seen


def from_engine(heard: Sequence[Heard]) -> list[Seen]:
    """What a listener at the engine itself saw: chunks of a chat completion."""
    return written(_contents(heard))


def from_app(heard: Sequence[Heard]) -> list[Seen]:
    """What a listener at `POST /api/v1/ask` saw: the text to append, and checked statements that take its place."""
    seen, done, pending = list[Seen](), 0, ""
    for event in heard:
        if event.name not in ("token", "statement"):
            continue
        fields = json.loads(event.data)
        if event.name == "token":
            pending += fields["text"]
        else:
            done, pending = done + _letters(fields["statement"]["lead"] + fields["statement"]["text"]), ""
        seen.append(Seen(event.at, done + _letters(pending)))
    return seen


def delays(wrote: Sequence[Seen], saw: Sequence[Seen]) -> list[float]:
    """Seconds from writing to seeing, for each piece that was seen."""
    found: list[float] = []
    place = 0
    for piece in wrote:
        while place < len(saw) and saw[place].letters < piece.letters:
            place += 1
        if place == len(saw):
            break
        found.append(saw[place].at - piece.at)
    return found


def _contents(heard: Sequence[Heard]) -> Iterator[tuple[str, float]]:
    for event in heard:
        if event.data and event.data != "[DONE]":
            for choice in json.loads(event.data)["choices"]:
                yield choice["delta"].get("content") or "", event.at


def _letters(text: str) -> int:
    return len("".join(_IDS.sub("", text).split()))
