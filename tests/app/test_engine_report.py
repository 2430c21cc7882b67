"""What an administrator is told of each replica: fresh figures or none, and never a secret."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import httpx

from app.engine_report import report
from app.engine_watch import EngineWatch
from models.types import EngineStatus, Replica
from tests.engine_stand_in import KEY, stand_in


def test_figures_are_shown_while_they_are_fresh() -> None:
    with stand_in() as engine, httpx.Client(trust_env=False) as http:
        replica = engine.replica(since=time.time() - 90)
        watch = EngineWatch(lambda: (replica,))
        watch.look(http, time.time() - 60)
        (old,) = report((replica,), watch).replicas
        assert old.now is None
        assert len(old.history) == 1
        watch.look(http, time.time())
        (fresh,) = report((replica,), watch).replicas
        assert fresh.now is not None
        assert fresh.context_tokens == 8192
        assert fresh.uptime is not None
        assert 90 <= fresh.uptime < 200
        stopped = replace(replica, status=EngineStatus("restarting", time.time(), "small", "It ended.", 1))
        (gone,) = report((stopped,), watch).replicas
        assert (gone.now, gone.uptime, gone.status.restarts) == (None, None, 1)


def test_one_two_or_no_replicas() -> None:
    watch = EngineWatch(tuple)
    assert report((), watch).replicas == ()
    two = tuple(Replica(name, "http://127.0.0.1:9/v1", "", EngineStatus("starting", 0, "m")) for name in "ab")
    assert [one.name for one in report(two, watch).replicas] == ["a", "b"]


def test_nothing_secret_is_told(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    log.write_text(
        f"ERROR 12-01 10:00:00 [a.py:1] refused {KEY}\nERROR 12-01 10:00:01 [a.py:1] token=abcdefghij wrong\n"
    )
    status = EngineStatus("failed", 0, "m", f"no answer from http://user:pass@host/v1 with {KEY}")
    arguments = ("--max-model-len=8192", "--api-key", "sesame-1", "--hf-token=sesame-2", "--max-num-batched-tokens=64")
    replica = Replica("engine", "http://host/v1", KEY, status, log, arguments=arguments)
    told = report((replica,), EngineWatch(lambda: (replica,)))
    (one,) = told.replicas
    assert one.arguments == (
        "--max-model-len=8192", "--api-key", "[removed]", "--hf-token=[removed]", "--max-num-batched-tokens=64",
    )  # fmt: skip
    assert len(one.errors) == 2
    for secret in (KEY, "sesame", "abcdefghij", "user:pass"):
        assert secret not in repr(told)


def test_errors_of_the_life_before_a_restart_are_told_too(tmp_path: Path) -> None:
    (tmp_path / "engine.log").write_text("INFO all is well\n")
    (tmp_path / "engine.1.log").write_text("ERROR 12-01 10:00:00 [a.py:1] died\n")
    status = EngineStatus("ready", 0, "m")
    replica = Replica("engine", "http://host/v1", "", status, tmp_path / "engine.log")
    watch = EngineWatch(lambda: (replica,))
    assert report((replica,), watch).replicas[0].errors == ()
    restarted = replace(replica, status=replace(status, restarts=1))
    assert report((restarted,), watch).replicas[0].errors == ("ERROR 12-01 10:00:00 [a.py:1] died",)
