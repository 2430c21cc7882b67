"""The few marks a chart needs, as SVG: text, lines, bars, axes. Drawn by hand; nothing is read or installed for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

INK, SOFT, GRID, PAPER = "#1d2733", "#5b6b7b", "#dfe5eb", "#ffffff"
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif"
Anchor = Literal["start", "middle", "end"]


@dataclass
class Drawing:
    """Collects marks. Coordinates are pixels from the top left."""

    width: int
    height: int
    marks: list[str] = field(default_factory=list)

    def text(
        self, x: float, y: float, words: str, *, size: int = 13, anchor: Anchor = "start", colour: str = INK,
        bold: bool = False, turned: bool = False,
    ) -> None:  # fmt: skip
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
        weight = ' font-weight="600"' if bold else ""
        self.marks.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}{turn}>'
            f"{escape(words)}</text>"
        )

    def line(
        self, points: Sequence[tuple[float, float]], colour: str = INK, *, width: float = 1.0, dashes: str = ""
    ) -> None:
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.marks.append(
            f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-linejoin="round" stroke-linecap="round"{dashed}/>'
        )

    def dot(self, x: float, y: float, colour: str, radius: float = 4.0) -> None:
        self.marks.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}" stroke="{PAPER}" stroke-width="1.5"/>'
        )

    def bar(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        tall = max(height, 1.0)
        self.marks.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{tall:.1f}" rx="2" fill="{colour}"/>'
        )

    def done(self, title: str, description: str) -> str:
        """The whole file. Title and description are for those who cannot see it."""
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" role="img" font-family={quoteattr(FONT)}>',
                f"<title>{escape(title)}</title>",
                f"<desc>{escape(description)}</desc>",
                f'<rect width="{self.width}" height="{self.height}" fill="{PAPER}"/>',
                *self.marks,
                "</svg>\n",
            )
        )


@dataclass(frozen=True)
class Panel:
    """A chart's place in a drawing: left, top, width and height of the field the marks stand in."""

    drawing: Drawing
    left: float
    top: float
    width: float
    height: float

    def title(self, words: str, below: str = "") -> None:
        self.drawing.text(self.left - 52, self.top - 44, words, size=16, bold=True)
        self.drawing.text(self.left - 52, self.top - 24, below, size=12, colour=SOFT)

    def axes(self, across: str, up: str) -> None:
        bottom = self.top + self.height
        self.drawing.line([(self.left, bottom), (self.left + self.width, bottom)], SOFT)
        self.drawing.text(self.left + self.width / 2, bottom + 40, across, size=12, anchor="middle", colour=SOFT)
        self.drawing.text(
            self.left - 44, self.top + self.height / 2, up, size=12, anchor="middle", colour=SOFT, turned=True
        )

    def places(self, names: Sequence[str]) -> list[float]:
        """Places for groups from left to right, their names below the axis."""
        step = self.width / len(names)
        found = [self.left + step * (place + 0.5) for place in range(len(names))]
        for x, name in zip(found, names, strict=True):
            self.drawing.text(x, self.top + self.height + 18, name, anchor="middle")
        return found

    def rule(self, y: float, label: str) -> None:
        """A line across, with its value at the axis."""
        self.drawing.line([(self.left, y), (self.left + self.width, y)], GRID)
        self.drawing.text(self.left - 8, y + 4, label, size=11, anchor="end", colour=SOFT)

    def key(self, entries: Sequence[tuple[str, str]], at: float = 0.0) -> None:
        """Which colour is what, in a row above the field."""
        x = self.left + at
        for colour, name in entries:
            self.drawing.bar(x, self.top - 15, 12, 8, colour)
            self.drawing.text(x + 17, self.top - 7, name, size=12)
            x += 17 + 6.6 * len(name) + 18


@dataclass(frozen=True)
class Scale:
    """From values to pixels in a panel: straight from 0, or by powers of ten."""

    panel: Panel
    low: float
    high: float
    powers: bool = False

    def y(self, value: float) -> float:
        if self.powers:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.panel.top + self.panel.height * (1 - min(share, 1.0))

    def rules(self, unit: float = 1.0) -> None:
        """Lines across at round values; `unit` is what a value of 1 is shown as."""
        for value in self._ticks():
            self.panel.rule(self.y(value), short(value * unit))

    def _ticks(self) -> list[float]:
        if not self.powers:
            step = self.high / 5
            return [step * place for place in range(6)]
        first, last = round(math.log10(self.low)), round(math.log10(self.high))
        return [10.0**power for power in range(first, last + 1)]


def straight(panel: Panel, values: Sequence[float]) -> Scale:
    """From 0 to a round number that no value exceeds, in five steps."""
    most = max([*values, 1e-9])
    step = 10.0 ** math.floor(math.log10(most / 5))
    step = next(step * times for times in (1, 2, 2.5, 5, 10) if step * times * 5 >= most)
    return Scale(panel, 0.0, step * 5)


def by_powers(panel: Panel, values: Sequence[float]) -> Scale:
    """Whole powers of ten around all values (which are more than 0)."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return Scale(panel, 10.0**low, 10.0 ** max(high, low + 1), powers=True)


def short(value: float) -> str:
    """A number with three digits that count, at most."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}"
