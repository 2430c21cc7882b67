"""Which layout to take, said in plain words with its reason, and what to change when nothing fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.planner.cards import CARDS
from models.planner.layouts import Layout, Wanted, Wishes, layouts_of
from models.planner.named import NAMED
from models.planner.shapes import four_bits

CLOSE = 0.9  # a simpler layout within a tenth of the fastest one is taken instead
FEW = 2  # people at once, up to whom a short wait matters more than many answers
ANSWER_TOKENS = 200


@dataclass(frozen=True)
class Plan:
    """The sums for what was wanted. `recommended` is a layout's name, empty where none fits."""

    wanted: Wanted
    layouts: tuple[Layout, ...]
    recommended: str
    reason: str

    @property
    def chosen(self) -> Layout | None:
        return next((layout for layout in self.layouts if layout.name == self.recommended), None)


def make_plan(wanted: Wanted) -> Plan:
    """Raises ValueError where there are no cards, or of different kinds."""
    if not wanted.cards:
        raise ValueError("No NVIDIA card was found here. Name the ones to plan for: --gpus 2xrtx4090")
    if len({(card.name, card.memory_gib) for card in wanted.cards}) > 1:
        kinds = ", ".join(sorted({card.title for card in wanted.cards}))
        raise ValueError(f"These cards differ ({kinds}). Plan for those of one kind: --gpus 2xrtx4090")
    layouts = layouts_of(wanted)
    fitting = [layout for layout in layouts if layout.fits]
    if not fitting:
        return Plan(wanted, layouts, "", _what_would(wanted, layouts))
    best = _best(fitting, wanted.wishes)
    return Plan(wanted, layouts, best.name, _reason(best, layouts, wanted))


def _best(fitting: list[Layout], wishes: Wishes) -> Layout:
    """With few askers the shortest answer, else the most tokens a second among those with room for all."""
    roomy = [one for one in fitting if one.questions_shared >= wishes.people]
    candidates = roomy or [max(fitting, key=lambda one: one.questions_shared)]
    if any(one.speed is None for one in candidates):
        return max(candidates, key=lambda one: one.kv_tokens)
    most = max(_worth(one, wishes) for one in candidates)
    simplest_first = sorted(candidates, key=lambda one: (one.split.cards, one.replicas))
    return next(one for one in simplest_first if _worth(one, wishes) >= most * CLOSE)


def _worth(layout: Layout, wishes: Wishes) -> float:
    speed = layout.speed
    assert speed is not None
    if wishes.people <= FEW:
        return 1e6 / answer_ms(layout)
    return speed.tokens_per_s


def answer_ms(layout: Layout) -> float:
    """Until one asker alone has a whole answer."""
    assert layout.speed is not None
    return layout.speed.first_token_ms + ANSWER_TOKENS / layout.speed.one_tokens_per_s * 1e3


def _reason(best: Layout, layouts: Sequence[Layout], wanted: Wanted) -> str:
    card, wishes = wanted.cards[0], wanted.wishes
    others = [one for one in layouts if one.fits and one is not best]
    parts = [_what_it_is(best), _room(best, wishes)]
    if not others:
        parts.append("No other layout fits.")
    elif best.speed is not None:
        parts.append(_against(best, others, wishes))
    if best.split.tensor > 1 and not card.p2p:
        parts.append(
            f"These cards cannot reach each other's memory with stock drivers: both halves of each layer meet through "
            f"the host ({card.link:.0f} GB/s counted), hence P2P and vLLM's own all-reduce are switched off."
        )
    return " ".join(parts)


def _what_it_is(layout: Layout) -> str:
    if layout.replicas > 1 and layout.split.cards == 1:
        return f"The model fits one card, so {layout.replicas} engines work side by side and none waits for the other."
    if layout.split.tensor > 1 and layout.split.pipeline == 1:
        return (
            f"Each layer is shared by {layout.split.tensor} cards (tensor parallel), which read the weights together."
        )
    if layout.split.pipeline > 1:
        return f"The layers are divided among {layout.split.pipeline} stages (pipeline), which exchange little."
    return "One card holds the model and its KV cache."


def _room(layout: Layout, wishes: Wishes) -> str:
    bought = layout.questions_shared - layout.questions
    text = (
        f"Its KV cache holds {layout.kv_tokens:,} tokens: {layout.questions_shared} typical questions at once "
        f"({bought} of them because the shared beginning is kept once)"
    )
    if layout.questions_shared >= wishes.people:
        return f"{text}, enough for {wishes.people}."
    return f"{text}; of {wishes.people} people who ask at the same moment the others wait their turn."


def _against(best: Layout, others: Sequence[Layout], wishes: Wishes) -> str:
    assert best.speed is not None
    said = []
    for other in others:
        if other.speed is None:
            continue
        if wishes.people <= FEW:
            said.append(f"{other.name} {answer_ms(other) / 1e3:.1f} s")
        else:
            said.append(f"{other.name} {other.speed.tokens_per_s:,.0f}")
    if wishes.people <= FEW:
        return f"An answer takes about {answer_ms(best) / 1e3:.1f} s (others: {', '.join(said)})."
    return f"All together get about {best.speed.tokens_per_s:,.0f} tokens/s (others: {', '.join(said)})."


def _what_would(wanted: Wanted, layouts: Sequence[Layout]) -> str:
    """The smallest change that makes it fit: a shorter context or 8-bit KV, else fewer bits, else more cards."""
    nearest = min(layouts, key=lambda one: (one.memory.short_gib, -one.memory.kv_tokens))
    said = f"{wanted.model.name} does not fit: {nearest.name} {nearest.problem}."
    ways = [way for way in (_shorter(wanted), _smaller_kv(wanted)) if way]
    ways = ways or [way for way in (_fewer_bits(wanted), _more_cards(wanted)) if way]
    return f"{said} What would fit: {'; or '.join(ways)}." if ways else f"{said} A smaller model is needed."


def _fits(wanted: Wanted) -> bool:
    return any(layout.fits for layout in layouts_of(wanted))


def _shorter(wanted: Wanted) -> str:
    for context in (n for n in (32768, 16384, 8192, 4096, 2048) if n < wanted.serving.context):
        if _fits(replace(wanted, serving=replace(wanted.serving, context=context))):
            return f"a context of {context:,} tokens (--context {context})"
    return ""


def _smaller_kv(wanted: Wanted) -> str:
    if wanted.serving.kv_entry_bytes <= 1 or not wanted.cards[0].fp8:
        return ""
    smaller = replace(wanted, serving=replace(wanted.serving, kv_entry_bytes=1))
    return "a KV cache in 8 bits (--kv-dtype fp8)" if _fits(smaller) else ""


def _fewer_bits(wanted: Wanted) -> str:
    model = wanted.model
    if model.weights.four_bit:
        return ""
    stem = model.name.removesuffix("-fp8")
    smaller = NAMED.get(f"{stem}-awq") or model.stored_as(four_bits("awq", 128), f"{stem} in 4 bits")
    return f"{smaller.name} (AWQ, 4 bits a weight)" if _fits(replace(wanted, model=smaller)) else ""


def _more_cards(wanted: Wanted) -> str:
    card, many = wanted.cards[0], len(wanted.cards)
    for count in (2, 4, 8):
        if count > many and _fits(replace(wanted, cards=(card,) * count)):
            return f"{count} such cards"
    larger = sorted(CARDS.values(), key=lambda card: card.memory_gib)
    found = next((card for card in larger if _fits(replace(wanted, cards=(card,) * many))), None)
    return f"{many} x {found.title}" if found else ""
