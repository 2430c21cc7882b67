"""The picture of `beleg bench engine`: four charts in one SVG, made from the figures it prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.benchmarks.engine.svg import INK, SOFT, Drawing, Panel, Scale, by_powers, short, straight

CONTINUOUS, STATIC, SEQUENTIAL = "#0f6b5c", "#d08a1d", "#8a93a0"
WIDTH, HEIGHT, FIELD_WIDTH, FIELD_HEIGHT = 1120, 900, 420, 250
_WAYS = (("continuous", CONTINUOUS), ("static", STATIC), ("sequential", SEQUENTIAL))
_KEY = [(CONTINUOUS, "continuous batching"), (STATIC, "whole batches"), (SEQUENTIAL, "one at a time")]


def draw(figures: dict[str, Any]) -> str:
    """An SVG file's text. A part that was not measured says so in its place."""
    drawing = Drawing(WIDTH, HEIGHT)
    drawing.text(28, 40, "Beleg on its engine", size=22, bold=True)
    drawing.text(28, 62, _subtitle(figures), colour=SOFT)
    charts: Sequence[tuple[str, str, Callable[[Panel, dict[str, Any]], None]]] = (
        ("batching", "Tokens a second", _tokens),
        ("batching", "Time to first token", _first_token),
        ("overhead", "What Beleg adds to each token", _relay),
        ("policies", "Short questions amid long prompts", _policies),
    )
    for place, (part, title, chart) in enumerate(charts):
        panel = Panel(drawing, 84 + 560 * (place % 2), 146 + 396 * (place // 2), FIELD_WIDTH, FIELD_HEIGHT)
        _fill(panel, figures.get(part), title, chart)
    drawing.text(
        28, HEIGHT - 16, "Compare within this picture only: absolute times are this machine's.", size=12, colour=SOFT
    )
    return drawing.done("beleg bench engine", _words(figures))


def _fill(
    panel: Panel, part: dict[str, Any] | None, title: str, chart: Callable[[Panel, dict[str, Any]], None]
) -> None:
    if part and "left_out" not in part:
        chart(panel, part)
        return
    panel.title(title)
    panel.drawing.text(
        panel.left + panel.width / 2, panel.top + panel.height / 2, "not measured", anchor="middle", colour=SOFT
    )


def _subtitle(figures: dict[str, Any]) -> str:
    engine, machine = figures["engine"], figures["machine"]
    where = engine.get("profile") or engine.get("address", "")
    return f"{engine['model']} · {where} · {machine['cores']} cores · load {machine['load_before'][0]} when it began"


def _tokens(panel: Panel, part: dict[str, Any]) -> None:
    gain = part["people"][-1]["gain_percent_over_sequential"]
    low, high = part["gain_percent_over_sequential"]["claimed"]
    people = part["people"][-1]["people"]
    panel.title("Tokens a second", f"{people} at once: {gain:+} % over one at a time (claimed: +{low} to +{high} %)")
    scale = straight(panel, [row[way]["tokens_per_s"] for row in part["people"] for way, _ in _WAYS])
    scale.rules()
    panel.axes("people asking at once", "tokens/s, all together")
    _ways(panel, part, scale, lambda way: float(way["tokens_per_s"]), 1.0)


def _first_token(panel: Panel, part: dict[str, Any]) -> None:
    panel.title("Time to first token", "median (line) and 99th percentile (dashes), waiting for one's turn included")
    both = [
        row[way]["first_token_ms"][name] / 1000
        for row in part["people"]
        for way, _ in _WAYS
        for name in ("median", "p99")
    ]
    scale = by_powers(panel, both)
    scale.rules()
    panel.axes("people asking at once", "seconds (powers of ten)")
    _ways(panel, part, scale, lambda way: float(way["first_token_ms"]["median"]), 0.001)
    places = _places(panel, part)
    for way, colour in _WAYS:
        tails = [scale.y(row[way]["first_token_ms"]["p99"] / 1000) for row in part["people"]]
        panel.drawing.line(list(zip(places, tails, strict=True)), colour, width=1.5, dashes="4 4")


def _ways(
    panel: Panel, part: dict[str, Any], scale: Scale, value: Callable[[dict[str, Any]], float], unit: float
) -> None:
    """A line for each way of asking."""
    panel.key(_KEY)
    places = _places(panel, part)
    for place, row in zip(places, part["people"], strict=True):
        panel.drawing.text(place, panel.top + panel.height + 18, str(row["people"]), anchor="middle")
    for way, colour in reversed(_WAYS):
        points = [(x, scale.y(value(row[way]) * unit)) for x, row in zip(places, part["people"], strict=True)]
        panel.drawing.line(points, colour, width=2.5)
        for point in points:
            panel.drawing.dot(*point, colour)
        last = value(part["people"][-1][way]) * unit
        panel.drawing.text(points[-1][0] + 9, points[-1][1] + 4, short(last), size=12, colour=colour, bold=True)


def _places(panel: Panel, part: dict[str, Any]) -> list[float]:
    """Where the numbers of people stand: they double from place to place."""
    step = panel.width / len(part["people"])
    return [panel.left + step * (place + 0.5) for place in range(len(part["people"]))]


def _relay(panel: Panel, part: dict[str, Any]) -> None:
    relay, most = part["relay_ms"], part["to_reach_p99_ms"]
    panel.title(
        "What Beleg adds to each token",
        f"{part['streams']} streams: {relay['added']['p99']:+.1f} ms at the 99th percentile"
        f" (to reach: under {most:.0f} ms)",
    )
    alone, through = relay["engine_alone"], relay["through_beleg"]
    pairs = {"median": (alone["median"], through["median"]), "99th percentile": (alone["p99"], through["p99"])}
    limit = alone["p99"] + most
    scale = straight(panel, [*(value for pair in pairs.values() for value in pair), limit])
    scale.rules()
    panel.axes("from the engine's writing until it is seen", "milliseconds")
    panel.key([(SEQUENTIAL, "engine alone"), (CONTINUOUS, "through Beleg")])
    _pairs(panel, scale, pairs, (SEQUENTIAL, CONTINUOUS), "ms")
    right, high = panel.left + panel.width, scale.y(limit)
    panel.drawing.line([(panel.left + panel.width / 2, high), (right, high)], INK, dashes="3 3")
    panel.drawing.text(right, high - 5, f"engine alone + {most:.0f} ms", size=11, anchor="end")


def _policies(panel: Panel, part: dict[str, Any]) -> None:
    times = part["short_first_token_fcfs_over_priority"]
    panel.title(
        "Short questions amid long prompts",
        f"{part['long_prompts']} long prompts at once: with priority {times:g} times as soon;"
        f" unanswered: {part['starved']}",
    )
    pairs = {
        name: (part[name]["short_first_token_ms"]["median"] / 1000, part[name]["long_longest_s"])
        for name in ("fcfs", "priority")
    }
    scale = straight(panel, [value for pair in pairs.values() for value in pair])
    scale.rules()
    panel.axes("scheduling policy", "seconds")
    panel.key([(CONTINUOUS, "short: first token (median)"), (STATIC, "long: longest wait to the end")])
    _pairs(panel, scale, pairs, (CONTINUOUS, STATIC), "s")


def _pairs(
    panel: Panel, scale: Scale, pairs: Mapping[str, tuple[float, float]], colours: tuple[str, str], unit: str
) -> None:
    """Two bars side by side for each name, with their values."""
    wide, base = 64.0, panel.top + panel.height
    for middle, pair in zip(panel.places(list(pairs)), pairs.values(), strict=True):
        for left, value, colour in zip((middle - wide - 3, middle + 3), pair, colours, strict=True):
            top = scale.y(value)
            panel.drawing.bar(left, top, wide, base - top, colour)
            panel.drawing.text(left + wide / 2, top - 5, f"{short(value)} {unit}", size=12, anchor="middle", bold=True)
    panel.drawing.line([(panel.left, base), (panel.left + panel.width, base)], SOFT)


def _words(figures: dict[str, Any]) -> str:
    """The picture's message for those who cannot see it."""
    said = []
    figures = {name: part for name, part in figures.items() if "left_out" not in part}
    if batching := figures.get("batching"):
        last = batching["people"][-1]
        said.append(
            f"With {last['people']} people at once continuous batching gives "
            f"{last['continuous']['times_sequential']} times the tokens a second of one request at a time, "
            f"whole batches {last['static']['times_sequential']} times."
        )
    if overhead := figures.get("overhead"):
        said.append(f"Beleg adds {overhead['relay_ms']['added']['p99']} ms to a token at the 99th percentile.")
    if policies := figures.get("policies"):
        times = policies["short_first_token_fcfs_over_priority"]
        said.append(f"With priorities a short question amid long ones begins to be answered {times} times as soon.")
    return " ".join(said) or "Nothing was measured."
