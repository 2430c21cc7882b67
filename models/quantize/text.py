"""Text becomes sequences of tokens of one length: most to calibrate with, every fifth kept back to compare on.

Packed here and not by the tools: AutoAWQ drops texts that are longer than its sequences, and stops when none is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from models.quantize.types import Job, Method, QuantizeError, Text

Tokens = tuple[int, ...]

EVERY_HELD_OUT = 5  # one sequence of five is never calibrated with
MOST_HELD_OUT = 32  # sequences; more tells nothing new and costs time
LEAST_HELD_OUT = 4  # with 512 tokens each: agreement to within two points
LEAST_CALIBRATION: dict[Method, int] = {"awq": 16, "gptq": 16, "rtn": 0, "bitsandbytes": 0}
"""Sequences. 16 is what AWQ's authors found to be enough (Lin et al. 2023, arXiv:2306.00978, figure 8)."""
CHARACTERS_A_TOKEN = 8  # more than any language we read has on average
BETWEEN = "\n\n"


@dataclass(frozen=True)
class Sequences:
    """Tokens, all sequences of the same length. No sequence is in both parts."""

    calibration: tuple[Tokens, ...]
    held_out: tuple[Tokens, ...]

    @property
    def calibration_tokens(self) -> int:
        return sum(map(len, self.calibration))

    @property
    def held_out_tokens(self) -> int:
        return sum(map(len, self.held_out))


def sequences(text: Text, job: Job, encode: Callable[[str], Sequence[int]]) -> Sequences:
    """The sequences of a job, spread evenly over the text. Raises QuantizeError where there is too little of it."""
    wanted = (job.samples + MOST_HELD_OUT) * job.length * CHARACTERS_A_TOKEN
    packed = pack((encode(one + BETWEEN) for one in thinned(text.texts, wanted)), job.length)
    parts = Sequences(
        tuple(spread([s for i, s in enumerate(packed, 1) if i % EVERY_HELD_OUT], job.samples)),
        tuple(spread(packed[EVERY_HELD_OUT - 1 :: EVERY_HELD_OUT], MOST_HELD_OUT)),
    )
    _check(parts, len(packed), text, job)
    return parts


def pack(encoded: Iterable[Sequence[int]], length: int) -> list[Tokens]:
    """All tokens one after another, cut every `length`; fewer than `length` are left over at the end and dropped."""
    packed: list[Tokens] = []
    rest: list[int] = []
    for tokens in encoded:
        rest.extend(tokens)
        while len(rest) >= length:
            packed.append(tuple(rest[:length]))
            del rest[:length]
    return packed


def thinned(texts: Sequence[str], characters: int) -> list[str]:
    """Texts without repetitions, evenly thinned out to about so many characters: the whole of a large archive need not
    be cut into tokens."""
    once = [one for one in dict.fromkeys(texts) if one.strip()]
    step = max(1, sum(map(len, once)) // max(1, characters))
    return once[::step]


def spread(items: Sequence[Tokens], most: int) -> list[Tokens]:
    """At most so many, at even distances."""
    if len(items) <= most:
        return list(items)
    return [items[i * len(items) // most] for i in range(most)]


def least_sequences(method: Method) -> int:
    """How many sequences a text must give, those held out included."""
    held_out = LEAST_HELD_OUT * EVERY_HELD_OUT
    return max(held_out, -(-LEAST_CALIBRATION[method] * EVERY_HELD_OUT // (EVERY_HELD_OUT - 1)))


def _check(parts: Sequences, found: int, text: Text, job: Job) -> None:
    if len(parts.held_out) >= LEAST_HELD_OUT and len(parts.calibration) >= LEAST_CALIBRATION[job.method]:
        return
    least = least_sequences(job.method)
    raise QuantizeError(
        f"{text.origin} has too little text: it gives {found} sequences of {job.length} tokens, {job.method} wants "
        f"{least} ({least * job.length:,} tokens, about {least * job.length // 500} pages; a fifth is kept back to "
        "compare the result with the original).",
        "Name a larger collection or file, or ask for shorter sequences (--length 128).",
    )
