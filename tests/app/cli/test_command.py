"""The `beleg` command as a person types it: a real process, a data folder of its own, no models."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def beleg(tmp_path):
    """Runs `beleg ...` on an empty data folder and returns the finished process."""

    def run(*words: str, **extra: str) -> subprocess.CompletedProcess:
        environment = os.environ | {"BELEG_DATA_DIR": str(tmp_path / "data"), "COLUMNS": "200", "NO_COLOR": "1"} | extra
        return subprocess.run(
            [sys.executable, "-m", "app.cli", *words],
            check=False,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_help_names_every_subcommand(beleg):
    shown = beleg("--help").stdout
    for name in ("up", "ask", "ingest", "watch", "inspect", "reindex", "doctor", "user", "bench"):
        assert name in shown


def test_inspect_prints_what_would_be_read(beleg, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("The key is under the mat.\n", encoding="utf-8")
    found = json.loads(beleg("inspect", str(note), "--json").stdout)
    assert found["outcome"] == "text"
    assert found["reason"] == ""
    assert found["pages"][0]["number"] == 1
    assert "under the mat" in found["pages"][0]["text"]


def test_inspect_says_why_a_file_would_be_refused(beleg, tmp_path):
    (tmp_path / "empty.txt").touch()
    done = beleg("inspect", str(tmp_path / "empty.txt"), "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["outcome"] == "refused"
    assert "empty" in found["reason"]
    assert found["pages"] == []


def test_a_missing_file_is_a_sentence_not_a_traceback(beleg):
    done = beleg("inspect", "nowhere.pdf")
    assert done.returncode == 1
    assert "There is no file nowhere.pdf." in done.stderr
    assert "Traceback" not in done.stderr


def test_people_are_added_with_a_link_and_removed(beleg):
    added = beleg("user", "add", "Erika Muster")
    assert "/welcome/" in added.stdout
    assert "Erika Muster" in beleg("user", "list").stdout
    assert "can no longer sign in" in beleg("user", "remove", "erika muster").stdout


def test_removing_nobody_says_who_there_is(beleg):
    done = beleg("user", "remove", "nobody")
    assert done.returncode == 1
    assert "nobody" in done.stderr


def test_doctor_finds_an_empty_set_up_sound_but_unstarted(beleg):
    done = beleg("doctor", "--json", BELEG_MODELS_DIR="/nonexistent-models")
    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert findings["machine"]["state"] in ("ok", "warn")
    assert findings["reading a file"]["state"] == "ok"
    assert findings["engine"]["mend"]
    assert "beleg up" in findings["pages"]["mend"]


def test_doctor_never_shows_the_engines_key(beleg):
    done = beleg("doctor", BELEG_ENGINE_KEY="very-secret", BELEG_ENGINE_URL="http://127.0.0.1:9/v1")
    assert "very-secret" not in done.stdout + done.stderr
    assert "(hidden)" in done.stdout


def test_bench_first_run_says_that_none_was_recorded(beleg):
    done = beleg("bench", "first-run")
    assert done.returncode == 1
    assert "make run" in done.stderr


@pytest.mark.parametrize("port", ["99999", "abc"])
def test_a_wrong_setting_is_named(beleg, port):
    done = beleg("up", BELEG_PORT=port)
    assert done.returncode == 1
    assert "BELEG_PORT" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_is_said(beleg, tmp_path):
    (tmp_path / "file").write_text("")
    done = beleg("user", "list", BELEG_DATA_DIR=str(tmp_path / "file" / "data"))
    assert done.returncode == 1
    assert "BELEG_DATA_DIR" in done.stderr


def test_files_of_a_folder_keep_the_folder_they_stand_in(tmp_path):
    from app.cli.ingest import find_files

    (tmp_path / "share" / "hr").mkdir(parents=True)
    (tmp_path / "share" / "hr" / "leave.txt").touch()
    for litter in (".hidden", "~$leave.docx", ".~lock.leave.odt#", "Thumbs.db", "report.pdf.part"):
        (tmp_path / "share" / litter).touch()
    (tmp_path / "outside.txt").touch()
    (tmp_path / "share" / "link.txt").symlink_to(tmp_path / "outside.txt")
    assert list(find_files([tmp_path / "share"])) == [(tmp_path / "share" / "hr" / "leave.txt", str(Path("share/hr")))]


def test_watching_what_is_no_folder_is_a_sentence(beleg, tmp_path):
    done = beleg("watch", str(tmp_path / "nowhere"), "--collection", "Share")
    assert done.returncode == 1
    assert "There is no folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_said_with_the_way_out():
    import socket

    from app.cli.up import check_port
    from app.errors import Conflict

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Conflict) as found:
            check_port("127.0.0.1", taken.getsockname()[1])
    assert "BELEG_PORT" in found.value.hint


def test_two_starts_on_one_data_folder_are_refused(tmp_path):
    from app.errors import Conflict
    from app.folders import only_one

    with only_one(tmp_path / "lock"), pytest.raises(Conflict), only_one(tmp_path / "lock"):
        pass
