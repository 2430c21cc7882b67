"""`beleg plan`: what fits on which cards, how many may ask at once, how fast, and the command that starts it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from app.config import Settings
from app.errors import Invalid
from models.planner.advice import Plan, make_plan
from models.planner.cards import cards_here, parse_gpus, this_processor
from models.planner.command import serve_command
from models.planner.layouts import Layout, Wanted, Wishes
from models.planner.memory import GIB, Serving, on_a_processor
from models.planner.named import NAMED, find_shape
from models.planner.shapes import ModelShape, read_shape

PROMPT_AROUND = 160  # tokens of system text, header and chat template, as all questions share them
QUESTION = 60


def plan(  # noqa: PLR0917
    model: str = typer.Argument("", help="A name (see --models), a hub id, or a folder with a config.json."),
    named: str = typer.Option("", "--model", help="The same, as an option.", hidden=True),
    gpus: str = typer.Option("", help="Cards to plan for, like 2xrtx4090; without it, this machine's."),
    people: int = typer.Option(8, min=1, help="People who ask at the same moment."),
    context: int = typer.Option(0, min=0, help="Longest prompt and answer together, in tokens; 0: as set."),
    kv_dtype: str = typer.Option("auto", help="Keys and values in 16 bits (auto) or 8 (fp8)."),
    memory_share: float = typer.Option(0.92, min=0.3, max=1.0, help="Share of each card's memory for the engine."),
    models: bool = typer.Option(False, "--models", help="List the models that can be planned by name."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for programs."),
) -> None:
    """Do the sums before an engine is started: memory, KV cache, people at once, speed, for each layout."""
    console = Console(highlight=False)
    if models:
        _list_models(console)
        return
    settings = Settings()
    serving = Serving(
        context or settings.context_tokens, kv_entry_bytes=_entry_bytes(kv_dtype), utilization=memory_share
    )
    try:
        cards = parse_gpus(gpus) if gpus else cards_here()
        if not cards:
            cards, serving = (this_processor(),), on_a_processor(serving, settings.kv_cache_gib)
        shape = _shape(model or named or settings.model, settings)
        made = make_plan(Wanted(shape, cards, serving, _wishes(settings, people)))
    except ValueError as error:
        raise Invalid(str(error), "`beleg plan --help` shows examples; --models lists the models.") from error
    if as_json:
        print(json.dumps(as_dict(made), ensure_ascii=False, indent=1))
    else:
        _show(console, made)


def as_dict(plan: Plan) -> dict[str, Any]:
    """The plan for programs."""
    wanted = plan.wanted
    return {
        "model": wanted.model.name,
        "gpus": [card.name for card in wanted.cards],
        "context_tokens": wanted.serving.context,
        "people": wanted.wishes.people,
        "typical_question": asdict(wanted.wishes) | {"prompt": wanted.wishes.prompt},
        "layouts": [_layout(layout) for layout in plan.layouts],
        "recommended": plan.recommended,
        "reason": plan.reason,
        "command": serve_command(plan),
    }


def _layout(layout: Layout) -> dict[str, Any]:
    speed = layout.speed
    return {
        "name": layout.name,
        "fits": layout.fits,
        "problem": layout.problem,
        "weights_gib_per_gpu": round(layout.memory.weights_gib, 3),
        "activations_gib_per_gpu": round(layout.memory.activations_gib, 3),
        "cuda_gib_per_gpu": round(layout.memory.cuda_gib, 3),
        "kv_gib_per_gpu": round(max(layout.memory.kv_gib, 0), 3),
        "kv_bytes_per_token": round(layout.kv_bytes_per_token),
        "kv_tokens": layout.kv_tokens,
        "concurrent_requests": layout.requests,
        "concurrent_requests_shared": layout.requests_shared,
        "concurrent_questions": layout.questions,
        "concurrent_questions_shared": layout.questions_shared,
        "first_token_ms": round(speed.first_token_ms) if speed else None,
        "first_token_shared_ms": round(speed.first_token_shared_ms) if speed else None,
        "tokens_per_s": round(speed.tokens_per_s, 1) if speed else None,
        "tokens_per_s_alone": round(speed.one_tokens_per_s, 1) if speed else None,
        "tokens_per_s_ceiling": round(speed.ceiling, 1) if speed else None,
        "reading_bound_by": speed.reading if speed else None,
        "writing_bound_by": speed.writing if speed else None,
    }


def _entry_bytes(kv_dtype: str) -> float:
    if kv_dtype not in {"auto", "fp8"}:
        raise Invalid(f"Keys and values cannot be kept as {kv_dtype}.", "Use --kv-dtype auto or --kv-dtype fp8.")
    return 1 if kv_dtype == "fp8" else 2


def _wishes(settings: Settings, people: int) -> Wishes:
    own = settings.prompt_passages * settings.passage_tokens + QUESTION
    return Wishes(people, PROMPT_AROUND, own, settings.answer_tokens // 2)


def _shape(model: str, settings: Settings) -> ModelShape:
    """By name; a folder, also one that was fetched already."""
    folder = Path(model)
    if folder.is_dir():
        return read_shape(folder)
    named = find_shape(model)
    if named is not None:
        return named
    fetched = settings.models_dir / model
    if (fetched / "config.json").is_file():
        return read_shape(fetched)
    raise ValueError(f"The model “{model}” is not known and is no folder. `beleg plan --models` lists the known ones.")


def _list_models(console: Console) -> None:
    table = Table("model", "parameters", "weights, GiB", "KV, bytes a token", "from", box=None)
    for shape in NAMED.values():
        billions = f"{shape.parameters / 1e9:.2f} B"
        table.add_row(
            shape.name, billions, f"{shape.weight_bytes / GIB:.2f}", f"{shape.kv_bytes():,.0f}", shape.hub or "a bundle"
        )
    console.print(table)


def _show(console: Console, plan: Plan) -> None:
    wanted = plan.wanted
    cards = f"{len(wanted.cards)} x {wanted.cards[0].title} ({wanted.cards[0].memory_gib:.1f} GiB)"
    console.print(
        f"[bold]{wanted.model.name}[/] on {cards}, context {wanted.serving.context:,} tokens, {wanted.wishes.people} "
        f"people at once, a typical question of {wanted.wishes.prompt} tokens\n",
        soft_wrap=True,
    )
    for layout in plan.layouts:
        _show_layout(console, layout, chosen=layout.name == plan.recommended)
    console.print()
    console.print(f"[bold]{plan.recommended or 'Nothing fits'}[/]: {plan.reason}", soft_wrap=True)
    command = serve_command(plan)
    if command:
        console.print(f"\n    {command}\n", soft_wrap=True)
        console.print("Speeds are reckoned from the cards' data sheets; `beleg bench engine` measures them.")


def _show_layout(console: Console, layout: Layout, *, chosen: bool) -> None:
    memory, speed = layout.memory, layout.speed
    console.print(f"[bold]{'>' if chosen else ' '} {layout.name}[/]")
    console.print(
        f"    memory a card   weights {memory.weights_gib:.2f} + activations {memory.activations_gib:.2f} + "
        f"CUDA {memory.cuda_gib:.2f} + KV {max(memory.kv_gib, 0):.2f} GiB"
    )
    if not layout.fits:
        console.print(f"    does not fit    {layout.problem}", soft_wrap=True)
        return
    console.print(f"    KV cache        {layout.kv_tokens:,} tokens of {layout.kv_bytes_per_token:,.0f} bytes")
    console.print(
        f"    at once         {layout.questions_shared} typical questions ({layout.questions} if nothing is shared), "
        f"{layout.requests_shared} of full length ({layout.requests})"
    )
    if speed is None:
        console.print("    speed           not known for this card")
        return
    console.print(
        f"    speed           first token {speed.first_token_ms:,.0f} ms ({speed.first_token_shared_ms:,.0f} with the "
        f"shared beginning; bound by {speed.reading}), {speed.tokens_per_s:,.0f} tokens/s together, "
        f"{speed.one_tokens_per_s:,.0f} alone (bound by {speed.writing}; ceiling {speed.ceiling:,.0f})",
        soft_wrap=True,
    )
