"""What is asked: made-up text, the same in every run. Nothing is read from a disk."""

from __future__ import annotations

import random
from dataclasses import dataclass

SEED = 20261201
_WORDS = (
    *(
        "hall",
        "crate",
        "valve",
        "shift",
        "leader",
        "pump",
        "order",
        "number",
        "carrier",
        "invoice",
        "contract",
        "clause",
    ),
    *(
        "paragraph",
        "supplier",
        "delivery",
        "date",
        "week",
        "machine",
        "maintenance",
        "interval",
        "oil",
        "filter",
        "screw",
    ),
    *("torque", "value", "report", "page", "inspection", "customer", "region", "price", "list", "discount", "rate"),
    *("month", "quarter", "budget", "team", "office", "travel", "expense", "receipt", "approval", "manager", "policy"),
)
_PLACES = ("Nordhof", "Lindau", "Hafen Ost", "Werk Zwei", "Altmark")
_GOODS = ("crates", "pallets", "drums", "spools", "castings", "gaskets", "batteries", "panels", "bearings", "filters")


@dataclass(frozen=True)
class Job:
    """A prompt, and how many tokens are written to it, neither more nor less. `priority`: lower goes first; None says
    nothing of it."""

    text: str
    tokens: int
    priority: int | None = None


def mixed(count: int, words: int, answers: tuple[int, int]) -> list[Job]:
    """Prompts of `words` words whose answers have mixed lengths, evenly drawn."""
    chance = random.Random(SEED)  # noqa: S311  nothing secret: the same every time
    return [Job(_text(chance, words), chance.randint(*answers)) for _ in range(count)]


def alike(count: int, words: int, tokens: int, priority: int) -> list[Job]:
    """Different prompts of one length, answers of one length."""
    chance = random.Random(SEED + words)  # noqa: S311
    return [Job(_text(chance, words), tokens, priority) for _ in range(count)]


def _text(chance: random.Random, words: int) -> str:
    return "Go on with this text: " + " ".join(chance.choice(_WORDS) for _ in range(words))


def documents() -> dict[str, str]:
    """Small documents for the app to answer from: name and text."""
    return {f"rules {place.lower()}.txt": _rules(place) for place in _PLACES}


def _rules(place: str) -> str:
    chance = random.Random(place)  # noqa: S311
    return "\n\n".join(
        f"{goods.capitalize()} may stay in the hall of {place} for {chance.randint(2, 90)} days. After that the leader "
        f"of the shift moves the {goods} from {place} to the yard. Whoever needs {goods} from {place} at night "
        f"calls the gate under {chance.randint(200, 999)}. More than {chance.randint(3, 60)} {goods} need a second "
        f"signature, which the office in {place} gives within {chance.randint(2, 9)} hours."
        for goods in _GOODS
    )


def question(person: int, number: int) -> str:
    """A question that those documents answer, ending in a mark that tells it from all others."""
    place, goods = _PLACES[(person + number) % len(_PLACES)], _GOODS[(3 * person + number) % len(_GOODS)]
    return f"How many days may {goods} stay in the hall of {place}? ({mark(person, number)})"


def mark(person: int, number: int) -> str:
    return f"ref {person}x{number}"
