"""Whether a result may be used: how far it may be from the original, for each method, and why so far."""

from __future__ import annotations

from dataclasses import dataclass

from models.quantize.types import Comparison, Method


@dataclass(frozen=True)
class Limits:
    """`agreement`: least share of equal likeliest tokens. `ratio`: most that perplexity may grow, as a factor."""

    agreement: float
    ratio: float


LIMITS: dict[Method, Limits] = {
    "awq": Limits(agreement=0.70, ratio=1.35),
    "gptq": Limits(agreement=0.70, ratio=1.35),
    "rtn": Limits(agreement=0.60, ratio=1.70),
    "bitsandbytes": Limits(agreement=0.70, ratio=1.35),
}


def objections(comparison: Comparison, method: Method) -> tuple[str, ...]:
    """Why a result must not be used; empty where nothing speaks against it."""
    limits, found = LIMITS[method], []
    if not comparison.agreement >= limits.agreement:  # also when it is no number
        found.append(
            f"it agrees with the original on {comparison.agreement:.1%} of {comparison.positions} next tokens, "
            f"at least {limits.agreement:.0%} are asked of {method}"
        )
    if not comparison.ratio <= limits.ratio:
        found.append(
            f"its perplexity is {comparison.perplexity:.2f} where the original's is "
            f"{comparison.original_perplexity:.2f}, at most {limits.ratio:.2f} times that is allowed for {method}"
        )
    return tuple(found)
