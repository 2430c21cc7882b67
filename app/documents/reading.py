"""The reading half of the worker: a queued file becomes pages and passages in the database.

    claim -> parse (own limited process) -> cut into passages -> files in it become documents -> store: "indexing"

A file that cannot be read is refused with its reason; trouble that is not the file's (a full disk, a locked
database) puts it back into the queue and waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import structlog
from sqlalchemy.exc import OperationalError

from app.config import Settings
from app.db import tables
from app.db.session import Database
from app.documents import attachments, jobs
from app.documents.blobs import blob_path, forget_recognised, recognised_of, spooling
from app.documents.limits import parse_limits
from app.documents.signals import Signals
from app.errors import OutOfSpace
from ingestion.chunk import cut
from ingestion.health import examine
from ingestion.kinds import SETS
from ingestion.language import detect
from ingestion.sandbox import KeptPages, parse
from ingestion.types import Attachment, Parsed, Refused
from models.types import Tokenizer

log = structlog.get_logger()

PROGRESS_SECONDS = 0.3
MISSING = "The stored file is missing on this server. Upload it again."
NO_TEXT = "No text was found in this file. If it is a scan, run text recognition (OCR) on it and upload the result."
NONE_READABLE = "None of the files in it can be read. %(first)s"


class Unwanted(Exception):
    """The document was deleted while it was being read, or the worker is to stop."""


class Reader:
    """Reads one file at a time; several may work side by side. One that takes nothing above `largest` bytes keeps a
    way open for small files while large ones are read."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        tokenizer: Callable[[], Tokenizer],
        signals: Signals,
        *,
        largest: int | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._tokenizer = tokenizer
        self._signals = signals
        self._largest = largest

    def run(self) -> None:
        """Until told to stop. Nothing is begun while nobody can count tokens (an engine elsewhere that does not
        answer)."""
        while not self._signals.stopping:
            try:
                self._tokenizer().count("ready?")
                worked = self.step()
            except OSError as error:
                log.warning("reading waits", error=str(error))
                self._signals.pause()
            except Exception:
                log.exception("reading failed")
                self._signals.pause()
            else:
                if not worked:
                    self._signals.wait_for_work()

    def step(self) -> bool:
        """Read the next file. False when there is none."""
        with self._database.session() as db:
            job = jobs.claim(db, self._largest)
        if job is not None:
            self._read(job)
            self._signals.wake()
            return True
        with suppress(Unwanted):
            return self._unpack_again()
        return False

    def _read(self, job: jobs.ReadJob) -> None:
        started = time.monotonic()
        try:
            with spooling(self._settings) as spool:
                self._store(job, self._parse(job, spool))
        except Unwanted:
            self._release(job, counted=False)
            if not self._signals.stopping:
                forget_recognised(self._settings, job.sha256)
        except Refused as refused:
            self._refuse(job, refused)
        except (OutOfSpace, OSError, OperationalError) as error:
            log.warning("reading is held up", content=job.content_id, error=str(error))
            self._release(job, counted=False)
            self._signals.pause()
        except Exception:
            log.exception("reading a file failed", content=job.content_id)
            self._release(job, counted=True)
        else:
            forget_recognised(self._settings, job.sha256)
            log.info("read", content=job.content_id, seconds=round(time.monotonic() - started, 2))

    def _parse(self, job: jobs.ReadJob, spool: Path) -> Parsed:
        path = blob_path(self._settings, job.sha256)
        if not path.is_file():
            raise Refused("missing", MISSING)
        kept = KeptPages(recognised_of(self._settings, job.sha256), self._on_kept(job.content_id))
        return parse(path, job.name, parse_limits(self._settings), self._on_page(job.content_id), spool, kept=kept)

    def _on_kept(self, content_id: int) -> Callable[[], None]:
        told = threading.Event()

        def on_kept() -> None:
            if not told.is_set():
                told.set()
                with self._database.session() as db:
                    jobs.gets_on(db, content_id)

        return on_kept

    def _on_page(self, content_id: int) -> Callable[[int, int], None]:
        last = 0.0

        def on_page(done: int, total: int) -> None:
            nonlocal last
            if self._signals.stopping:
                raise Unwanted
            if time.monotonic() - last < PROGRESS_SECONDS:
                return
            last = time.monotonic()
            with self._database.session() as db:
                if not jobs.progress(db, content_id, done, total):
                    raise Unwanted

        return on_page

    def _store(self, job: jobs.ReadJob, parsed: Parsed) -> None:
        unpacked = attachments.look_at(self._settings, parsed.attachments)
        # The list of files in an archive is no text to answer from: it would stand in the way of the files.
        lists = parsed.format in SETS
        passages = [] if lists else cut(parsed, self._settings.passage_tokens, self._tokenizer().count)
        if not passages and not unpacked.taken:
            raise _nothing(unpacked)
        taking = attachments.Taking(self._settings, self._database, job.content_id)
        taking.take(unpacked.taken, self._on_page(job.content_id))
        language = parsed.language or detect("\n".join(one.text for one in passages))
        warnings = (*parsed.warnings, *unpacked.warnings, *taking.warnings)
        if lists and warnings:
            parsed = replace(parsed, outcome="partial")
        health = examine(parsed, warnings, language, passages)
        read = jobs.ReadContent(parsed, passages, language, warnings, len(unpacked.taken), health)
        with self._database.session() as db:
            if jobs.store(db, job.content_id, read):
                taking.finish(db)

    def _refuse(self, job: jobs.ReadJob, refused: Refused) -> None:
        if self._signals.stopping:  # the child was ended by us
            self._release(job, counted=False)
            return
        with self._database.session() as db:
            jobs.refuse(db, job.content_id, refused.code, refused.reason, dict(refused.values))
        forget_recognised(self._settings, job.sha256)
        log.info("refused", content=job.content_id, code=refused.code)

    def _release(self, job: jobs.ReadJob, *, counted: bool) -> None:
        with self._database.session() as db:
            jobs.release(db, job.content_id, counted=counted)

    def _unpack_again(self) -> bool:
        """A mail or archive read earlier came into another collection: what is in it has to follow. False when there
        is none."""
        with self._database.session() as db:
            content_id = attachments.next_to_unpack(db)
            content = db.get(tables.Content, content_id) if content_id is not None else None
        if content is None:
            return False
        with spooling(self._settings) as spool:
            found = self._found_in(content, spool)
            taking = attachments.Taking(self._settings, self._database, content.id)
            taking.take(attachments.look_at(self._settings, found).taken, self._unless_stopping)
            with self._database.session() as db:
                taking.finish(db)
        return True

    def _found_in(self, content: tables.Content, spool: Path) -> Sequence[Attachment]:
        path, name = blob_path(self._settings, content.sha256), f"file.{content.format}"
        try:
            return parse(path, name, parse_limits(self._settings), self._unless_stopping, spool).attachments
        except Refused:
            return ()

    def _unless_stopping(self, _done: int, _total: int) -> None:
        if self._signals.stopping:
            raise Unwanted


def _nothing(unpacked: attachments.Unpacking) -> Refused:
    """There is neither text nor any file in it that can be read."""
    if not unpacked.warnings:
        return Refused("no_text", NO_TEXT)
    return Refused("no_text", NONE_READABLE, first=unpacked.warnings[0].text)
