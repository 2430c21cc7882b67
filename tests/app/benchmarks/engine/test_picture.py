"""The picture is a well-formed SVG with everything in it that a reader needs."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from app.benchmarks.engine.picture import HEIGHT, WIDTH, draw
from app.benchmarks.engine.svg import Drawing, Panel, by_powers, short, straight
from tests.app.benchmarks.engine.figures_made_up import figures

SVG = "{http://www.w3.org/2000/svg}"


def words(picture: str) -> str:
    return "\n".join(node.text or "" for node in ET.fromstring(picture).iter(f"{SVG}text"))


def test_it_names_axes_units_claims_and_the_machine() -> None:
    shown = words(draw(figures()))
    for said in ("tokens/s, all together", "people asking at once", "milliseconds", "scheduling policy", "2 cores"):
        assert said in shown
    assert "16 at once: +428 % over one at a time (claimed: +40 to +60 %)" in shown
    assert "16 streams: +3.6 ms at the 99th percentile (to reach: under 5 ms)" in shown
    assert "a & b <c>" in shown, "a model's name may hold any sign"


def test_every_mark_lies_inside() -> None:
    for node in ET.fromstring(draw(figures())).iter():
        for name, most in (("x", WIDTH), ("cx", WIDTH), ("y", HEIGHT), ("cy", HEIGHT)):
            assert 0 <= float(node.get(name, 0)) <= most
        for x, y in re.findall(r"([\d.-]+),([\d.-]+)", node.get("points", "")):
            assert 0 <= float(x) <= WIDTH
            assert 0 <= float(y) <= HEIGHT


@pytest.mark.parametrize("part", ["batching", "overhead", "policies"])
def test_a_part_that_was_not_measured_says_so(part: str) -> None:
    some = figures()
    del some[part]
    assert "not measured" in words(draw(some))
    assert "not measured" in words(draw(some | {part: {"left_out": "why"}}))


def test_scales_hold_all_values_and_end_at_round_ones() -> None:
    panel = Panel(Drawing(100, 100), 0, 0, 100, 100)
    assert straight(panel, [3, 47]).high == 50
    assert straight(panel, [0.0]).high > 0
    assert (by_powers(panel, [0.3, 70]).low, by_powers(panel, [0.3, 70]).high) == (0.1, 100)
    assert by_powers(panel, [1.0]).y(1.0) == 100
    assert [short(value) for value in (0.25, 5.0, 12.34, 1234.5)] == ["0.25", "5", "12.3", "1,234"]
