"""Plots of the last hour as SVG paths, drawn here so that pages need neither scripts nor styles of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.engine_report import ReplicaReport
from app.engine_samples import HOUR, STEP, Point
from web.messages import Words

WIDTH, HEIGHT = 600.0, 100.0  # units of the drawing; the page stretches it
Value = Callable[[Point], float | None]
Wording = Callable[[float], str]


@dataclass(frozen=True)
class Line:
    """`name` stands in the legend, empty where there is one line only; `latest` is its newest value in words."""

    name: str
    path: str
    latest: str


@dataclass(frozen=True)
class Plot:
    """`top` is what the upper edge stands for, in words; `described` says the whole in a sentence or two."""

    id: str
    title: str
    lines: tuple[Line, ...]
    top: str
    described: str


def plots(told: ReplicaReport, at: float, words: Words) -> tuple[Plot, ...]:
    """Of one replica, for the hour before `at` (epoch seconds)."""

    def tokens(value: float) -> str:
        return words.number(round(value, 1 if value < 100 else 0))

    def seconds(value: float) -> str:
        return words.seconds(value * 1000)

    frame = _Frame(told.history, at, words)
    return (
        frame.plot("tokens", words.text("Tokens a second"), {"": lambda point: point.generated}, tokens),
        frame.plot("first", words.text("Time to the first token"), {"": lambda point: point.first_token}, seconds),
        frame.plot("kv", words.text("KV cache in use"), {"": lambda point: point.kv_used}, words.share, top=1.0),
        frame.plot(
            "requests",
            words.text("Requests"),
            {words.text("running"): lambda point: point.running, words.text("waiting"): lambda point: point.waiting},
            tokens,
        ),
    )


@dataclass(frozen=True)
class _Frame:
    history: Sequence[Point]
    at: float
    words: Words

    def plot(self, id: str, title: str, curves: dict[str, Value], wording: Wording, top: float | None = None) -> Plot:
        known = {name: self._known(value) for name, value in curves.items()}
        highest = max((value for pairs in known.values() for _, value in pairs), default=0.0)
        edge = top or _round_up(highest)
        lines = tuple(
            Line(name, path(pairs, self.at, edge), wording(pairs[-1][1]) if pairs else "–")
            for name, pairs in known.items()
        )
        described = " ".join(self._described(name, pairs, wording) for name, pairs in known.items())
        return Plot(id, title, lines, wording(edge), described)

    def _known(self, value: Value) -> list[tuple[float, float]]:
        return [(point.at, one) for point in self.history if (one := value(point)) is not None]

    def _described(self, name: str, pairs: Sequence[tuple[float, float]], wording: Wording) -> str:
        values = [value for _, value in pairs]
        if not values:
            said = self.words.text("Nothing was measured in the last hour.")
        else:
            low, high, now = (wording(value) for value in (min(values), max(values), values[-1]))
            said = self.words.text(
                "Last hour: lowest %(low)s, highest %(high)s, last %(last)s.", low=low, high=high, last=now
            )
        return f"{name}: {said}" if name else said


def path(pairs: Sequence[tuple[float, float]], at: float, top: float) -> str:
    """A line through (epoch seconds, value), broken where nothing was measured; a lone point is a dot."""
    steps: list[str] = []
    before = -math.inf
    for when, value in pairs:
        x = max(0.0, WIDTH * (1 - (at - when) / HOUR))
        y = HEIGHT * (1 - min(1.0, value / top))
        steps.append(f"L{x:.1f} {y:.1f}" if when - before <= 2 * STEP else f"M{x:.1f} {y:.1f}h0")
        before = when
    return "".join(steps)


def _round_up(highest: float) -> float:
    """The next of 1, 2, 5, 10, 20, ...; 1 where there is nothing."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= highest * 0.999)
