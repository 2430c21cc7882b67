"""Logs: a JSON object a line, without secrets, whoever wrote them."""

import json
import logging

import pytest
import structlog

from app import logs
from app.accounts.sessions import new_secret


@pytest.fixture
def lines(settings):
    root = logging.getLogger()
    before = root.level
    logs.set_up(settings, console=False)

    def read():
        return [json.loads(line) for line in (settings.logs_dir / "beleg.log").read_text().splitlines()]

    yield read
    logs._replace_handlers([], before)
    structlog.reset_defaults()


def test_both_kinds_of_logging_are_one(lines):
    structlog.get_logger("app").info("read", content=7, seconds=0.5)
    logging.getLogger("ingestion.sandbox").warning("page %s took %.1f s", 3, 2)
    ours, theirs = lines()
    assert (ours["event"], ours["content"], ours["level"], ours["logger"]) == ("read", 7, "info", "app")
    assert (theirs["event"], theirs["level"]) == ("page 3 took 2.0 s", "warning")
    assert ours["timestamp"].endswith("Z")


def test_secrets_are_taken_out(settings, lines):
    secret, key = new_secret(), "beleg_" + new_secret()
    log = structlog.get_logger("app")
    log.info("signed in", password="hunter22", token=secret, api_key=key, headers={"Authorization": f"Bearer {key}"})
    log.info(f"GET /welcome/{secret} with {key} to https://me:pw@engine/v1", texts=[f"Bearer {secret}"])
    logging.getLogger("uvicorn").warning("cookie of %s", {"engine_key": secret})
    try:
        raise ValueError(f"bad key {key}")
    except ValueError:
        log.exception("failed")
    text = (settings.logs_dir / "beleg.log").read_text()
    for hidden in (secret, key, "hunter22", "me:pw"):
        assert hidden not in text
    assert "ValueError" in text
    assert len(lines()) == 4


def test_counts_of_tokens_are_no_secrets(lines):
    structlog.get_logger("app").info("answered", prompt_tokens=900, cached_tokens=880)
    assert lines()[0]["prompt_tokens"] == 900


def test_files_turn_over(settings, lines, monkeypatch):
    monkeypatch.setattr(logs, "FILE_BYTES", 1000)
    logs.set_up(settings, console=False)
    for number in range(100):
        structlog.get_logger("app").info("line", number=number)
    assert len(list(settings.logs_dir.glob("beleg.log*"))) == logs.FILES_KEPT + 1


def test_the_console_is_short(settings, capsys):
    before = logging.getLogger().level
    logs.set_up(settings, "worker")
    try:
        try:
            raise ValueError("of some kind")
        except ValueError:
            structlog.get_logger("app").exception("failed")
    finally:
        logs._replace_handlers([], before)
        structlog.reset_defaults()
    shown = capsys.readouterr().err
    assert "ValueError: of some kind" in shown
    assert "Traceback" not in shown
