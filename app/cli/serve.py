"""`beleg serve`: the engine alone, started from a profile; `beleg up` on the same data folder uses it."""

from __future__ import annotations

import shlex
import signal
import threading
import time
import tomllib
from dataclasses import asdict

import typer
from rich.console import Console

from app.cli.bundles import prepare_models
from app.config import Settings
from app.engine import OwnEngine, engine_profile
from app.engine_wish import ask_for_model, read_wish
from app.errors import BelegError, Invalid
from app.folders import make_folders, only_one
from models.engine.checks import check_profile
from models.engine.flags import check_flags
from models.engine.profiles import EngineProfile, ProfileError, load_profile, read_profile, shipped
from models.planner.cards import cards_here
from models.planner.named import find_shape, known_shape
from models.types import Replica

console = Console(highlight=False)
LOOK_SECONDS = 0.5
SWITCH_SECONDS = 3600


def serve(  # noqa: PLR0917
    profile: str = typer.Option("", help="A shipped profile's name or a TOML file; empty: this machine's."),
    model: str = typer.Option("", help="A bundle, a hub id or a folder; empty: the profile's, else BELEG_MODEL."),
    values: list[str] = typer.Option([], "--set", help="A value of the profile, like context_tokens=4096. Repeatable."),
    check: bool = typer.Option(False, "--check", help="Check everything, print the command, start nothing."),
    profiles: bool = typer.Option(False, "--profiles", help="List the shipped profiles."),
    switch: str = typer.Option("", help="Have the running engines serve this model, one after the other."),
) -> None:
    """Start the engine alone and watch over it. Stop with Ctrl-C."""
    if profiles:
        _list_profiles()
        return
    settings = Settings()
    if switch:
        _switch(settings, switch)
        return
    chosen = _changed(
        engine_profile(settings.model_copy(update={"engine_profile": profile}) if profile else settings), values
    )
    settings = settings.model_copy(
        update={
            "model": model or chosen.model or settings.model,
            "context_tokens": chosen.context_tokens,
            "engine_url": "",
        }
    )
    if check:
        _check(settings, chosen)
        return
    _serve(settings, chosen)


def _list_profiles() -> None:
    for name in shipped():
        console.print(f"[bold]{name}[/]  {load_profile(name).title}")


def _changed(profile: EngineProfile, values: list[str]) -> EngineProfile:
    """With `--set name=value`, the values as in the TOML file; words need no quotes."""
    try:
        given = dict(_value(one) for one in values)
        known = {name: value for name, value in asdict(profile).items() if name != "name" and value is not None}
        return read_profile(profile.name, {**known, **given})
    except ProfileError as error:
        raise Invalid(str(error), "`beleg serve --profiles` lists the profiles; each explains its keys.") from error


def _value(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ProfileError(f"“{text}” is no setting. Write name=value.")
    try:
        return name.strip(), tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def _check(settings: Settings, profile: EngineProfile) -> None:
    """Fetches nothing: a model that is not here yet is known by its name, or not at all."""
    shape = known_shape(settings.models_dir / settings.model) or find_shape(settings.model)
    try:
        check_profile(profile, shape, cards_here() or None)
        check_flags(profile.arguments())
    except ProfileError as error:
        raise Invalid(str(error), "Change the profile, or let `beleg plan` choose one.") from error
    environment = [f"{name}={value}" for name, value in profile.environment().items()]
    vllm = ["python", "-m", "vllm.entrypoints.openai.api_server", f"--model={settings.model}", *profile.arguments()]
    console.print("These arguments can work, and the installed vLLM takes them:")
    print(shlex.join([*environment, *vllm]))


def _serve(settings: Settings, profile: EngineProfile) -> None:
    stopped = threading.Event()
    make_folders(settings)
    with only_one(settings.run_dir / "serve.lock"):
        folders = prepare_models(settings, console)
        engine = OwnEngine(settings, folders.model, profile)
        before = [signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGTERM, signal.SIGINT)]
        try:
            console.print(f"Serving {settings.model} with the profile {profile.name}. Stop with Ctrl-C.")
            _watch(engine, stopped)
        finally:
            engine.stop()
            for number, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
                signal.signal(number, handler)


def _watch(engine: OwnEngine, stopped: threading.Event) -> None:
    """Tells each change of each engine; ends when told to, or when none can work."""
    told: dict[str, tuple[str, str]] = {}
    begun = time.monotonic()
    while not stopped.wait(LOOK_SECONDS):
        for replica in engine.replicas():
            news = (replica.status.state, replica.status.model)
            if told.get(replica.name) != news:
                told[replica.name] = news
                _tell(replica, time.monotonic() - begun)
        if engine.status().state == "failed":
            raise Invalid(
                f"The engine failed: {engine.status().detail}", "Its log says more; `beleg doctor` looks at it."
            )


def _tell(replica: Replica, seconds: float) -> None:
    status = replica.status
    console.print(f"{replica.name}: {status.state} after {seconds:.0f} s. {status.detail}".rstrip(), markup=False)
    if status.state == "ready":
        console.print(f"{replica.name}: {status.model} at {replica.base_url}", markup=False)


def _switch(settings: Settings, model: str) -> None:
    """Asks whoever runs the engines, and waits until it is done."""
    asked = ask_for_model(settings, model)
    end = time.monotonic() + SWITCH_SECONDS
    with console.status(f"The engines are changed to {model}, one after the other ..."):
        while time.monotonic() < end:
            wish = read_wish(settings)
            if wish is None or wish.asked_at != asked.asked_at:
                raise BelegError("Somebody else wished for another model meanwhile.", "Ask again if it still matters.")
            if wish.state == "failed":
                raise Invalid(f"The model was not changed: {wish.detail}", "The engines serve what they served before.")
            if wish.state == "done":
                console.print(f"All engines serve {model}. {wish.detail}")
                return
            time.sleep(LOOK_SECONDS)
    raise BelegError("The model was not changed within an hour.", "Is `beleg up` or `beleg serve` running here?")
