"""What is computed in follows what the processor can."""

from __future__ import annotations

from pathlib import Path

import pytest

from models import processor
from models.engine import profiles
from models.engine.profiles import choose_profile


@pytest.mark.parametrize(
    ("text", "can"),
    [
        ("processor\t: 0\nflags\t\t: fpu sse2 avx2 avx512f avx512_bf16\n", True),
        ("processor\t: 0\nflags\t\t: fpu sse2 avx2\n", False),
        ("processor\t: 0\nFeatures\t: fp asimd bf16\n", True),
        ("", False),
    ],
)
def test_bfloat16(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, can: bool) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    assert processor.multiplies_bfloat16() is can
    monkeypatch.setattr(profiles, "has_gpu", lambda: False)
    assert f"--dtype={'bfloat16' if can else 'float32'}" in choose_profile(4096).arguments()


def test_a_system_that_does_not_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "there is none")
    assert not processor.multiplies_bfloat16()
