"""The layouts a set of cards allows, each with its sums: one card, tensor parallel, pipeline, replicas.

cards, model, wishes -> [split, replicas] -> memory and KV tokens -> requests at once -> speed
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from models.planner.cards import Card
from models.planner.memory import Memory, Serving, memory_of
from models.planner.shapes import ModelShape
from models.planner.speed import Load, Speed, speed_of
from models.planner.splits import Split, split_problem


@dataclass(frozen=True)
class Wishes:
    """People asking at the same moment, and the tokens of a typical question: what all share (system text and header),
    its own passages and words, and the answer."""

    people: int = 8
    shared: int = 210
    own: int = 740
    answer: int = 200

    @property
    def prompt(self) -> int:
        return self.shared + self.own


@dataclass(frozen=True)
class Wanted:
    """What is planned: a model on cards of one kind, how it is to be served, and for whom."""

    model: ModelShape
    cards: tuple[Card, ...]
    serving: Serving = field(default_factory=Serving)
    wishes: Wishes = field(default_factory=Wishes)


@dataclass(frozen=True)
class Layout:
    """One way to use the cards. `kv_tokens` are of all replicas together; `requests` are of the full context length,
    `questions` typical ones; `_shared`: when what all share is kept once per replica (Kwon et al., SOSP 2023,
    section 4.4)."""

    name: str
    split: Split
    replicas: int
    problem: str
    memory: Memory
    kv_bytes_per_token: float
    kv_tokens: int
    requests: int
    requests_shared: int
    questions: int
    questions_shared: int
    speed: Speed | None

    @property
    def fits(self) -> bool:
        return not self.problem


def layouts_of(wanted: Wanted) -> tuple[Layout, ...]:
    """Every layout of the cards, the simplest first."""
    return tuple(_layout(name, split, replicas, wanted) for name, split, replicas in _ways(len(wanted.cards)))


def _ways(cards: int) -> Iterator[tuple[str, Split, int]]:
    yield "single", Split(), 1
    for count in (n for n in range(2, cards + 1) if cards % n == 0):
        yield f"tp{count}" + _copies(cards // count), Split(tensor=count), cards // count
        yield f"pp{count}" + _copies(cards // count), Split(pipeline=count), cards // count
    if cards > 1:
        yield f"replicas{cards}", Split(), cards
    if cards >= 4 and cards % 2 == 0:
        yield f"tp{cards // 2}pp2", Split(cards // 2, 2), 1


def _copies(replicas: int) -> str:
    return f"x{replicas}" if replicas > 1 else ""


def _layout(name: str, split: Split, replicas: int, wanted: Wanted) -> Layout:
    model, serving, wishes = wanted.model, wanted.serving, wanted.wishes
    memory = memory_of(model, wanted.cards[0].memory_gib, split, serving)
    problem = split_problem(model, split) or _too_small(model, memory, serving)
    shared = _whole_blocks(wishes.shared, serving.block)

    def fit(each: int, shared: int) -> int:
        return 0 if problem else _fit(memory.kv_tokens, each, shared, serving.block) * replicas

    asked = wishes.prompt + wishes.answer
    return Layout(
        name,
        split,
        replicas,
        problem,
        memory,
        kv_bytes_per_token=model.kv_bytes(serving.kv_entry_bytes),
        kv_tokens=0 if problem else memory.kv_tokens * replicas,
        requests=fit(serving.context, 0),
        requests_shared=fit(serving.context, shared),
        questions=fit(asked, 0),
        questions_shared=fit(asked, shared),
        speed=None if problem else _speed(wanted, split, replicas, fit(asked, shared) // replicas),
    )


def _too_small(model: ModelShape, memory: Memory, serving: Serving) -> str:
    needed = memory.weights_gib + memory.activations_gib + memory.cuda_gib
    if memory.kv_gib <= 0:
        return f"needs {needed:.1f} GiB a card before any KV cache, {-memory.kv_gib:.1f} GiB more than there is"
    if memory.kv_tokens < serving.context:
        return (
            f"has room for {memory.kv_tokens:,} KV tokens, less than one request of {serving.context:,} "
            f"(a context of {memory.kv_tokens // 1024 * 1024:,} would fit)"
        )
    if serving.context > model.context:
        return f"cannot be: the model reads at most {model.context:,} tokens"
    return ""


def _fit(tokens: int, each: int, shared: int, block: int) -> int:
    """Requests of `each` tokens that `tokens` hold when their first `shared` are there once."""
    return max(0, tokens - shared) // _up_to_blocks(each - shared, block)


def _speed(wanted: Wanted, split: Split, replicas: int, room: int) -> Speed | None:
    """Of all replicas together, each with its share of the people as far as it has room for them."""
    serving, wishes = wanted.serving, wanted.wishes
    at_once = max(1, min(-(-wishes.people // replicas), room, serving.sequences))
    shared = _whole_blocks(wishes.shared, serving.block)
    load = Load(wishes.prompt, shared, wishes.prompt + wishes.answer // 2, at_once, serving.kv_entry_bytes)
    speed = speed_of(wanted.model, wanted.cards[0], split, load)
    return replace(speed, tokens_per_s=speed.tokens_per_s * min(replicas, wishes.people)) if speed else None


def _whole_blocks(tokens: int, block: int) -> int:
    """Only full blocks are shared."""
    return tokens // block * block


def _up_to_blocks(tokens: int, block: int) -> int:
    return -(-tokens // block) * block
