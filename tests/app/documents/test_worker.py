"""The reading process itself, killed at any moment: every document ends ready or refused, none twice, none lost.

Real processes, parsers, SQLite and index; only the learned models are stand-ins.
"""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import psutil
import pytest
from sqlalchemy import func, select, update

from app.collections.access import contents_allowed
from app.db import tables
from app.documents import process, worker
from app.documents.delete import delete_document
from app.documents.process import ReadingProcess, environment
from app.documents.read import list_documents
from ingestion.index.store import Index, IndexWriter, Query
from tests.app.documents.stand_ins import DIM, WordEmbedder

SECONDS = 300  # a bound, not an expectation: the machine may be busy


def start(settings, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.app.documents.stand_ins"],
        env={**environment(settings), "BELEG_TEST_SLOW": "0.02", **more},
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def running(settings, **more):
    process = start(settings, **more)
    try:
        yield process
    finally:
        kill(process)


def kill(process):
    """As the kernel would: our own children get no word; they notice by themselves."""
    process.kill()
    process.wait(10)


def wait_until(condition, seconds=SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "took too long"
        time.sleep(0.05)


def started(settings):
    log = settings.logs_dir / "worker.log"
    return log.exists() and "reading process started" in log.read_text()


@pytest.fixture
def states(database, anna, plans):
    def get():
        with database.session() as db:
            return {view.name: view.state for view in list_documents(db, anna, plans.id)}

    return get


@pytest.fixture
def search(settings, database, anna, plans):
    def find(text, embedder="stand-in"):
        with database.session() as db:
            allowed = contents_allowed(db, anna, plans.id)
        index = Index(settings.index_dir, embedder, DIM)
        return index.search(Query(text, WordEmbedder().question(text), allowed, limit=100))

    return find


def ended(states):
    return all(state in ("ready", "refused") for state in states().values())


def text(number):
    return "\n\n".join(f"File {number} paragraph {part}. " + "Some words more. " * 40 for part in range(4)).encode()


def check_consistent(settings, database, embedder="stand-in"):
    """Index and database hold the same contents, every passage once, and the checksums are right."""
    with IndexWriter(settings.index_dir, embedder, DIM) as writer:
        assert writer.problems == ()
        assert writer.verify() == []
        indexed = writer.contents()
    with database.session() as db:
        ready = select(tables.Content.id).where(tables.Content.state == "ready", tables.Content.passage_count > 0)
        assert indexed == set(db.scalars(ready))
        counted = select(tables.Content.passage_count, func.count(tables.Passage.ordinal))
        for said, there in db.execute(counted.outerjoin(tables.Passage).group_by(tables.Content.id)):
            assert said == there


def test_an_upload_is_noticed_read_and_found(settings, database, upload, states, search):
    with running(settings):
        upload("a.txt", text(1))
        wait_until(lambda: ended(states))
        assert states() == {"a.txt": "ready"}
        assert search("paragraph")
        upload("b.txt", text(2))
        wait_until(lambda: ended(states))
    check_consistent(settings, database)


def test_killed_at_any_moment_nothing_is_lost_and_nothing_twice(settings, database, stores, anna, upload, states):
    chance = random.Random(2026)
    uploaded = 0
    for _ in range(8):
        for _ in range(4):
            uploaded += 1
            view = upload(f"{uploaded}.txt", text(uploaded))
        with running(settings):
            time.sleep(chance.uniform(0.5, 3.0))
            if chance.random() < 0.5:
                delete_document(stores, anna, view.id)
    with database.session() as db:
        db.execute(update(tables.Content).values(attempts=0))  # kills were ours, not the files' fault
        db.execute(update(tables.Content).where(tables.Content.refusal_code == "crashed").values(state="queued"))
    with running(settings):
        wait_until(lambda: ended(states) and not removals(database))
    assert set(states().values()) == {"ready"}
    check_consistent(settings, database)


def removals(database):
    with database.session() as db:
        return db.scalar(select(func.count()).select_from(tables.Removal))


def test_a_document_that_takes_the_process_down_is_refused_and_no_other(settings, database, upload, states):
    for number in range(4):
        upload(f"{number}.txt", text(number))
    upload("poison.txt", b"POISON " + text(9))
    for _ in range(6):
        process = start(settings)
        try:
            wait_until(lambda p=process: p.poll() is not None or ended(states))
            if process.poll() is None:
                break
            assert process.returncode == 139
        finally:
            kill(process)
    assert states() == {"poison.txt": "refused", **{f"{number}.txt": "ready" for number in range(4)}}
    check_consistent(settings, database)


def test_one_process_a_data_folder(settings):
    with running(settings) as first:
        wait_until(lambda: started(settings))
        second = start(settings)
        assert second.wait(SECONDS) == worker.ANOTHER_RUNS
        assert first.poll() is None


def test_told_to_stop_it_puts_back_what_it_was_reading(settings, database, upload, states):
    upload("a.txt", text(1) * 60)
    with running(settings, BELEG_TEST_SLOW="0.5") as process:
        wait_until(lambda: states() == {"a.txt": "reading"})
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == worker.DONE
    with database.session() as db:
        assert db.scalar(select(tables.Content.attempts)) == 0
    with running(settings):
        wait_until(lambda: ended(states))
    assert states() == {"a.txt": "ready"}


def test_it_ends_with_its_parent(settings):
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-m', 'tests.app.documents.stand_ins'], stderr=subprocess.DEVNULL)\n"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    env = {name: value for name, value in environment(settings).items() if name != worker.PARENT}
    parent = subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE)
    child = psutil.Process(int(parent.stdout.readline()))
    wait_until(lambda: started(settings))
    parent.kill()
    parent.wait(10)
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, 15)


def test_it_is_started_again_when_it_dies(settings, upload, states, monkeypatch):
    monkeypatch.setattr(process, "MODULE", "tests.app.documents.stand_ins")
    reading = ReadingProcess(settings)
    reading.start()
    try:
        wait_until(lambda: started(settings))
        first = reading._process.pid
        os.kill(first, signal.SIGKILL)
        upload("a.txt", text(1))
        wait_until(lambda: ended(states))
        assert reading._process.pid != first
    finally:
        reading.stop()
    assert not reading.running


def test_an_index_of_another_embedder_is_rebuilt(settings, database, upload, states, search):
    with running(settings):
        upload("a.txt", text(1))
        wait_until(lambda: ended(states))
    upload("b.txt", text(2))
    with running(settings, BELEG_TEST_EMBEDDER="another"):
        wait_until(lambda: ended(states))
    assert {hit.content_id for hit in search("paragraph", "another")} == {1, 2}
    check_consistent(settings, database, "another")


@pytest.mark.parametrize("damage", ["truncate", "remove"])
def test_a_damaged_index_is_made_good_from_the_database(settings, database, upload, states, search, damage):
    with running(settings):
        upload("a.txt", text(1))
        wait_until(lambda: ended(states))
    for path in settings.index_dir.rglob("*"):
        if path.is_file():
            path.unlink() if damage == "remove" else os.truncate(path, path.stat().st_size // 2)
    with running(settings):
        upload("b.txt", text(2))
        wait_until(lambda: ended(states) and not todo(database))
    assert {hit.content_id for hit in search("paragraph")} == {1, 2}
    check_consistent(settings, database)


def todo(database):
    with database.session() as db:
        lost = tables.Content.generation == 0
        return db.scalar(select(func.count()).select_from(tables.Content).where(lost))
