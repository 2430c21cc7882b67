"""`beleg plan` and `beleg serve` as an administrator meets them."""

from __future__ import annotations

import itertools
import json
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.main import app
from app.config import Settings
from app.engine import engine_profile, with_profile
from app.engine_wish import WishKeeper, ask_for_model, read_wish
from app.errors import Conflict, Invalid

RUN = CliRunner()


def plan(*words: str) -> dict:
    said = RUN.invoke(app, ["plan", *words, "--json"])
    assert said.exit_code == 0, said.exception
    return json.loads(said.stdout)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(_env_file=None, data_dir=tmp_path)


def test_two_4090s_and_forty_people() -> None:
    found = plan("llama-3.1-8b-awq", "--gpus", "2xrtx4090", "--people", "40")
    layout = next(layout for layout in found["layouts"] if layout["name"] == found["recommended"])
    assert found["recommended"] == "replicas2"
    assert layout["concurrent_questions_shared"] >= 40
    assert layout["kv_bytes_per_token"] == 131_072
    assert found["command"].startswith("beleg serve --profile nvidia --model hugging-quants/")
    keys = {"name", "fits", "weights_gib_per_gpu", "kv_bytes_per_token", "kv_tokens", "concurrent_requests"}
    assert keys | {"first_token_ms", "tokens_per_s"} <= set(layout)


def test_the_command_it_gives_is_one_that_serve_takes() -> None:
    command = plan("llama-3.1-70b-awq", "--gpus", "2xrtx4090")["command"].split()
    assert RUN.invoke(app, [*command[1:], "--help"]).exit_code == 0
    values = [value for option, value in itertools.pairwise(command) if option == "--set"]
    assert "tensor_parallel=2" in values
    assert "p2p=false" in values


def test_for_people_it_says_the_reason_and_the_command() -> None:
    said = RUN.invoke(app, ["plan", "llama-3.1-70b-awq", "--gpus", "2xrtx4090"]).stdout
    assert "does not fit" in said
    assert "tensor parallel" in said
    assert "beleg serve" in said


def test_without_a_card_it_plans_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    found = plan("smollm2-135m")
    assert [layout["name"] for layout in found["layouts"]] == ["single"]
    assert found["layouts"][0]["kv_tokens"] == 93_184
    assert found["command"].startswith("beleg serve --profile cpu-trial")


def test_what_cannot_be_planned_says_what_can() -> None:
    for words, said in ((["gpt-5"], "not known"), (["llama-3.1-8b", "--gpus", "2xgtx970"], "rtx4090")):
        failed = RUN.invoke(app, ["plan", *words])
        assert isinstance(failed.exception, Invalid)
        assert said in str(failed.exception)


def test_an_impossible_profile_is_refused_before_anything_starts() -> None:
    failed = RUN.invoke(
        app, ["serve", "--profile", "cpu-trial", "--model", "smollm2-135m", "--set", "tensor_parallel=2", "--check"]
    )
    assert isinstance(failed.exception, Invalid)
    assert "9 attention heads" in str(failed.exception)
    unknown = RUN.invoke(app, ["serve", "--set", "contxt_tokens=1", "--check"])
    assert "“context_tokens” meant" in str(unknown.exception)


def test_what_is_set_wins_over_the_profile(tmp_path: Path) -> None:
    profile = engine_profile(Settings(_env_file=None, data_dir=tmp_path, engine_profile="one-24gb-8b-awq"))
    assert profile.context_tokens == 16384
    chosen = Settings(_env_file=None, data_dir=tmp_path, engine_profile="one-24gb-8b-awq", context_tokens=4096)
    assert engine_profile(chosen).context_tokens == 4096
    named = Settings(_env_file=None, data_dir=tmp_path, engine_profile="one-24gb-8b-awq")
    assert with_profile(named).context_tokens == 16384, "prompts fill what the engine takes"


def test_a_wish_for_another_model_is_carried_out_or_says_why_not(settings: Settings) -> None:
    asked: list[str] = []

    def change(model: str) -> None:
        asked.append(model)
        if model == "broken":
            raise ValueError("it does not load")

    keeper = WishKeeper(settings, change)
    try:
        assert until_closed(settings, "smollm2-135m").state == "done"
        failed = until_closed(settings, "broken")
        assert (failed.state, failed.detail) == ("failed", "it does not load")
        assert asked == ["smollm2-135m", "broken"]
    finally:
        keeper.stop()


def until_closed(settings: Settings, model: str):
    ask_for_model(settings, model)
    end = time.monotonic() + 30
    while (wish := read_wish(settings)) is None or wish.open:
        assert time.monotonic() < end
        threading.Event().wait(0.05)
    return wish


def test_one_change_at_a_time_and_none_elsewhere(settings: Settings) -> None:
    ask_for_model(settings, "a")
    with pytest.raises(Conflict, match="already"):
        ask_for_model(settings, "b")
    with pytest.raises(Conflict, match="somebody else's"):
        ask_for_model(settings.model_copy(update={"engine_url": "http://10.0.0.1/v1"}), "b")
    with pytest.raises(Invalid):
        ask_for_model(settings, " ")


def test_a_change_that_was_interrupted_is_not_taken_up_again(settings: Settings) -> None:
    ask_for_model(settings, "a")
    WishKeeper(settings, lambda _: None).stop()
    wish = read_wish(settings)
    assert wish is not None
    assert wish.state == "failed"
