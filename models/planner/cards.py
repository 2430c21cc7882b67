"""Graphics cards: memory, bandwidth, arithmetic and the link between two of them, from the makers' data sheets.

RTX 4090: NVIDIA Ada GPU Architecture whitepaper, appendix A; the others: the cards' own data sheets. Arithmetic is
dense bfloat16 with 32-bit accumulation (what vLLM's matrix products use). Links are per direction; where stock drivers
keep two cards from each other's memory (4090, 3090, 5090), a copy through the host is counted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

import psutil

LOOK_SECONDS = 10
CPU = "cpu"


@dataclass(frozen=True)
class Card:
    """One graphics card. `memory_gib` is what its driver offers; `bandwidth` and `link` in GB/s, `tflops` in 1e12/s,
    `link_us` microseconds for the smallest message to another such card. Speeds are None for a card not known."""

    name: str
    title: str
    memory_gib: float
    bandwidth: float | None
    tflops: float | None
    link: float
    link_us: float
    p2p: bool
    fp8: bool  # compute capability 8.9 and later multiply it


HOST, PCIE, NVLINK3, NVLINK4 = (12.0, 30.0), (25.0, 15.0), (250.0, 8.0), (370.0, 8.0)  # GB/s, microseconds
FP8 = ("rtx40", "rtx50", "l4", "l40s", "rtx6000ada", "h100", "h200")


def _card(name: str, title: str, mib: int, speeds: tuple[float, float], link: tuple[float, float] = HOST) -> Card:
    return Card(name, title, mib / 1024, *speeds, *link, p2p=link is not HOST, fp8=name.startswith(FP8))


CARDS = {
    card.name: card
    for card in (
        _card("rtx3090", "NVIDIA GeForce RTX 3090", 24576, (936, 71)),
        _card("rtx4080", "NVIDIA GeForce RTX 4080", 16376, (717, 97.5)),
        _card("rtx4090", "NVIDIA GeForce RTX 4090", 24564, (1008, 165.2)),
        _card("rtx5090", "NVIDIA GeForce RTX 5090", 32607, (1792, 209.5)),
        _card("a10", "NVIDIA A10", 23028, (600, 125), PCIE),
        _card("l4", "NVIDIA L4", 23034, (300, 121), PCIE),
        _card("l40s", "NVIDIA L40S", 46068, (864, 362), PCIE),
        _card("rtxa6000", "NVIDIA RTX A6000", 49140, (768, 154.8), PCIE),
        _card("rtx6000ada", "NVIDIA RTX 6000 Ada Generation", 49140, (960, 364), PCIE),
        _card("a100-40gb", "NVIDIA A100 40GB", 40536, (1555, 312), NVLINK3),
        _card("a100-80gb", "NVIDIA A100 80GB", 81153, (2039, 312), NVLINK3),
        _card("h100", "NVIDIA H100 80GB HBM3", 81559, (3350, 989), NVLINK4),
        _card("h200", "NVIDIA H200", 143771, (4800, 989), NVLINK4),
    )
}


def parse_gpus(text: str) -> tuple[Card, ...]:
    """`2xrtx4090`, `rtx4090`, `1xl40s`: all of one kind. Raises ValueError in words for people."""
    found = re.fullmatch(r"(?:(\d{1,2})\s*[x*×]\s*)?([\w .-]+)", text.strip(), re.IGNORECASE)
    if not found or found[1] in {"0", "00"}:
        raise ValueError(f"“{text}” is no set of cards. Write it like 2xrtx4090.")
    card = find_card(found[2])
    if card is None:
        raise ValueError(f"The card “{found[2]}” is not known. Known are: {', '.join(CARDS)}.")
    return (card,) * int(found[1] or 1)


def find_card(name: str) -> Card | None:
    """By our name or by the driver's ("NVIDIA GeForce RTX 4090")."""
    wanted = _plain(name)
    for card in CARDS.values():
        if wanted in {_plain(card.name), _plain(card.title)}:
            return card
    inside = [card for card in CARDS.values() if _plain(card.title) in wanted]
    return max(inside, key=lambda card: len(card.title), default=None)


def cards_here() -> tuple[Card, ...]:
    """The machine's NVIDIA cards as its driver tells them; empty without one. An unknown card has no speeds."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ()
    asked = [tool, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=LOOK_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(_told(line) for line in said.splitlines() if line.count(",") >= 1)


def this_processor() -> Card:
    """The machine's own processor and memory as one card, for a trial without an NVIDIA one; speeds unknown."""
    return Card(
        CPU, "this machine's processor", psutil.virtual_memory().total / (1 << 30), None, None, 12.0, 30.0, True, False
    )


def _told(line: str) -> Card:
    name, _, mib = line.rpartition(",")
    known = find_card(name)
    if known is not None:
        return known
    return Card(_plain(name), name.strip(), int(float(mib)) / 1024, None, None, 12.0, 30.0, False, False)


def _plain(name: str) -> str:
    return re.sub(r"nvidia|geforce|generation|[^a-z0-9]", "", name.lower())
