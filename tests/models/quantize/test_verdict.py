"""What may be used and what may not; and the report that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.quantize import report
from models.quantize.tools import SERVING, TOOLS, tool_for
from models.quantize.types import Comparison, Method, QuantizeError, Report
from models.quantize.verdict import LIMITS, objections

NEAR = Comparison(original_perplexity=10.0, perplexity=10.4, agreement=0.93, positions=2000)
RUINED = Comparison(original_perplexity=10.0, perplexity=9000.0, agreement=0.03, positions=2000)
NOT_A_NUMBER = Comparison(original_perplexity=10.0, perplexity=float("nan"), agreement=float("nan"), positions=2000)


@pytest.mark.parametrize("method", LIMITS)
def test_a_near_result_is_good_and_a_ruined_one_is_not(method: Method) -> None:
    assert objections(NEAR, method) == ()
    assert len(objections(RUINED, method)) == 2
    assert len(objections(NOT_A_NUMBER, method)) == 2, "no number is not near"


def test_an_objection_says_what_was_found_and_what_is_asked() -> None:
    far = Comparison(original_perplexity=10.0, perplexity=11.0, agreement=0.5, positions=2000)
    (said,) = objections(far, "awq")
    assert "50.0% of 2000 next tokens" in said
    assert f"{LIMITS['awq'].agreement:.0%}" in said


def test_every_method_has_a_tool_limits_and_a_word_on_serving() -> None:
    assert set(LIMITS) == set(TOOLS) == set(SERVING)
    assert tool_for("awq", "") == "llmcompressor"
    assert tool_for("awq", "autoawq") == "autoawq"
    with pytest.raises(QuantizeError, match="autoawq does not make gptq"):
        tool_for("gptq", "autoawq")


def test_the_report_stands_beside_the_weights_for_programs_and_people(tmp_path: Path) -> None:
    report.write(made(NEAR), tmp_path)
    figures = json.loads((tmp_path / "quantization.json").read_text())
    assert figures["usable"] is True
    assert figures["comparison"]["ratio"] == pytest.approx(1.04)
    assert (figures["bytes_before"], figures["bytes_after"]) == (4000, 1500)
    text = (tmp_path / "QUANTIZATION.md").read_text()
    for word in ("awq, by llmcompressor 0.14.0.1", "128 weights", "38%", "93.0% of 2,000", "65,536 tokens", "file x"):
        assert word in text


def test_a_rejected_result_says_so_first(tmp_path: Path) -> None:
    report.write(made(RUINED, objections(RUINED, "awq")), tmp_path)
    assert json.loads((tmp_path / "quantization.json").read_text())["usable"] is False
    assert "**Not to be used**" in (tmp_path / "QUANTIZATION.md").read_text().splitlines()[2]


def made(comparison: Comparison, against: tuple[str, ...] = ()) -> Report:
    return Report(
        model="llama",
        method="awq",
        tool="llmcompressor 0.14.0.1",
        group_size=128,
        bytes_before=4000,
        bytes_after=1500,
        comparison=comparison,
        calibration="file x",
        calibration_tokens=65536,
        held_out_tokens=2004,
        environment_seconds=1.0,
        quantize_seconds=2.0,
        compare_seconds=3.0,
        made="2026-12-01T00:00:00+00:00",
        serving=SERVING["awq"],
        objections=against,
    )
