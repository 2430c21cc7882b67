"""Answers one question: find the passages, build the prompt, stream, verify, store.

Runs as a task of its own, whoever listens. However it ends (done, stopped, paused, failed) what has arrived is in the
database, and all but a pause end with an event that carries the whole answer.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import Literal

import structlog

from app.errors import BelegError, NotFound
from app.questions import record
from app.questions.draft import Draft
from app.questions.events import Done, Failed, Snapshot, Statement, Stopped, Token
from app.questions.find import find, turn_before_pause, whole
from app.questions.keeper import Keeper
from app.questions.prompt import Prompt, Turn, build
from app.questions.record import Asked, Progress
from app.questions.spans import Source
from app.questions.trace import Notes
from app.questions.types import AnswerState, AnswerView, CitationView, StatementView
from app.questions.verify import best_match, cite, read_claim
from app.questions.work import Work
from models.engine.client import EngineBroke, EngineBusy, EngineError, EngineUnreachable
from models.types import Message

ANSWER_SECONDS = 900.0
UNREACHABLE_SECONDS = 120.0
NEAREST = 3
_RETRY_SECONDS = 0.5
_ENGINE_STOPPED = ("The engine stopped while it was answering.", "What had arrived is kept. Ask again in a moment.")
_TOO_LONG = ("The answer took too long and was ended.", "What had arrived is kept. Ask again, or ask for less.")
_BROKEN = ("Something went wrong while answering.", "Ask again. If it happens again, the server's log says more.")

log = structlog.get_logger(__name__)


class Answering:
    """One answer on its way."""

    def __init__(self, work: Work, answer_id: str, interrupted: Literal["", "stop", "pause"] = "") -> None:
        self._work, self._answer_id = work, answer_id
        self._reason: Literal["", "stop", "pause"] = interrupted
        self._state: AnswerState = "waiting"
        self._asked: Asked | None = None
        self._turn: Turn | None = None
        self._draft: Draft | None = None
        self._notes = Notes()
        self._standalone = ""
        self._kept = 0  # statements whose citations are stored
        self._keeper = Keeper(self._checkpoint)
        self.task = asyncio.create_task(self._run(), name=f"answer {answer_id}")

    def interrupt(self, reason: Literal["stop", "pause"]) -> None:
        """End it at the next moment: stopped for good, or paused until somebody listens again."""
        if not self._reason and not self.task.done():
            self._reason = reason
            if self._asked is not None:
                self.task.cancel()

    async def _run(self) -> None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._answer()
            await self._end("done")
        except asyncio.CancelledError:
            await self._end("stopped" if self._reason == "stop" else "paused")
        except TimeoutError:
            await self._end("failed", *_TOO_LONG)
        except NotFound:
            log.info("answer was deleted while it was written", answer=self._answer_id)
        except BelegError as error:
            await self._end("failed", str(error), error.hint)
        except EngineError as error:
            log.warning("engine failed while answering", answer=self._answer_id, error=str(error))
            await self._end("failed", *_ENGINE_STOPPED)
        except Exception:
            log.exception("answering failed", answer=self._answer_id)
            await self._end("failed", *_BROKEN)
        finally:
            self._work.log.close()

    async def _answer(self) -> None:
        self._asked = asked = await self._work.in_thread(self._read)
        self._notes, self._standalone = asked.notes, asked.standalone
        self._turn = turn_before_pause(asked) if asked.passages else None
        await self._go_on_from(asked)
        if self._turn is None:
            found = await find(self._work, asked)
            self._turn, self._standalone, self._notes = found.turn, found.standalone, found.notes
        if self._turn is not None:
            await self._write_out([*asked.history, self._turn])

    def _read(self) -> Asked:
        with self._work.services.database.session() as db:
            return record.read_asked(db, self._work.viewer, self._answer_id)

    async def _go_on_from(self, asked: Asked) -> None:
        """Takes in what was written before a pause; an answer stopped meanwhile ends here."""
        self._work.watch.go_on(asked.trace)
        if asked.text:
            sources = [*(p for turn in asked.history for p in turn.passages), *asked.passages]
            self._draft = self._begin(sources, asked)
        if self._work.log.next_seq > 1:
            view = await self._work.in_thread(self._view)
            going = replace(view, state="streaming" if asked.text else "waiting")
            self._work.log.add(lambda seq: Snapshot(seq, going))
        if self._reason:
            raise asyncio.CancelledError

    def _begin(self, sources: list[Source], asked: Asked) -> Draft:
        draft = Draft(sources, f"{asked.question} {self._standalone}")
        draft.take(asked.text.rstrip())
        draft.listen(self._on_text, self._on_statement)
        return draft

    async def _write_out(self, turns: list[Turn]) -> None:
        """Streams until the engine is done. As long as it has written nothing, one that is away or busy is waited for,
        and one that broke is asked once more."""
        patience = asyncio.get_running_loop().time() + UNREACHABLE_SECONDS
        broke = False
        while True:
            async with self._work.place():
                prompt, most = await self._build(turns)
                try:
                    return await self._stream(prompt, most)
                except (EngineUnreachable, EngineBusy, EngineBroke) as error:
                    late = asyncio.get_running_loop().time() > patience
                    if self._state == "streaming" or late or (broke and isinstance(error, EngineBroke)):
                        raise
                    broke = broke or isinstance(error, EngineBroke)
            await asyncio.sleep(_RETRY_SECONDS)

    async def _build(self, turns: list[Turn]) -> tuple[Prompt, int]:
        """The prompt, and the most tokens the answer may still have."""
        assert self._asked is not None
        work = self._work
        work.watch.start("prepare_ms")
        window = await work.turnstile.window()
        most = min(work.services.settings.answer_tokens, window // 2)
        prompt = await work.in_thread(
            lambda: build(self._asked.collection, turns, work.services.models.tokenizer, window - most)  # type: ignore[union-attr]
        )
        self._draft = self._begin(list(prompt.sources), self._asked)
        if self._draft.text:
            most -= await work.in_thread(lambda: work.services.models.tokenizer.count(self._draft.text))  # type: ignore[union-attr]
        work.watch.stop("prepare_ms")
        work.watch.prompt_tokens(prompt.tokens)
        return prompt, most

    async def _stream(self, prompt: Prompt, most: int) -> None:
        draft = self._draft
        if draft is None or most <= 0:
            return
        messages = [*prompt.messages, *([Message("assistant", draft.text)] if draft.text else [])]
        self._keeper.start()
        self._keeper.soon()
        self._work.watch.start("engine")
        stream = self._work.services.engine.stream(messages, max_tokens=most, continue_last=bool(draft.text))
        async with aclosing(stream) as chunks:
            warm = asyncio.get_running_loop().run_in_executor(self._work.pool, _warm, prompt.sources)
            async for chunk in chunks:
                if chunk.text:
                    self._take(draft, chunk.text)
                if chunk.usage:
                    self._work.watch.usage(chunk.usage)
                if chunk.finish == "length":
                    self._notes = replace(self._notes, cut=True)
                if draft.repeats:
                    break
        await warm

    def _take(self, draft: Draft, text: str) -> None:
        if self._state != "streaming":
            self._state = "streaming"
            self._work.watch.first_token()
        draft.take(text)
        self._keeper.touch()

    def _on_text(self, text: str) -> None:
        self._work.log.add(lambda seq: Token(seq, text))

    def _on_statement(self, index: int, view: StatementView) -> None:
        self._work.log.add(lambda seq: Statement(seq, index, view))
        self._keeper.soon()

    async def _end(self, state: AnswerState, message: str = "", hint: str = "") -> None:
        """Stores the answer as it stands and tells the listeners."""
        self._state = state
        try:
            await self._keeper.stop()
            self._work.watch.finish()
            if self._draft and state != "paused":
                self._draft.finish(whole=state == "done" and not self._notes.cut)
            await self._save(self._progress(f"{message}\n{hint}".strip()))
            if state != "paused":
                self._tell(await self._work.in_thread(self._view), message, hint)
        except NotFound:
            log.info("answer was deleted while it was written", answer=self._answer_id)

    def _tell(self, view: AnswerView, message: str, hint: str) -> None:
        if view.state == "failed":
            self._work.log.add(lambda seq: Failed(seq, message, hint, view))
        elif view.state == "stopped":
            self._work.log.add(lambda seq: Stopped(seq, view))
        else:
            self._work.log.add(lambda seq: Done(seq, view))

    # storing

    async def _checkpoint(self) -> None:
        await self._save(self._progress())

    async def _save(self, progress: Progress) -> None:
        await self._work.in_thread(self._save_now, progress)
        self._kept = len(progress.statements)

    def _save_now(self, progress: Progress) -> None:
        keep = record.write if self._asked else record.write_state  # before it was read nothing but the state is known
        with self._work.services.database.session() as db:
            if not keep(db, self._answer_id, progress):
                raise NotFound("There is no such answer.", "The conversation may have been deleted.")

    def _view(self) -> AnswerView:
        with self._work.services.database.session() as db:
            return record.view_answer(db, self._work.viewer, self._answer_id)

    def _progress(self, error: str = "") -> Progress:
        draft, turn = self._draft, self._turn
        verdict = draft.verdict() if draft and (draft.statements or self._state == "done") else ""
        if self._state == "done" and draft is None:
            verdict = "declined"
        ended = self._state in ("done", "stopped", "failed")
        if verdict == "declined" and ended and not self._notes.declined:
            self._notes = replace(self._notes, declined="not_found")
        return Progress(
            state=self._state,
            text=draft.text if draft else "",
            statements=tuple(draft.statements) if draft else (),
            first_new=self._kept,
            trace=self._work.watch.trace,
            notes=self._notes,
            standalone=self._standalone,
            passages=turn.passages if turn else (),
            verdict=verdict if ended else "",
            nearest=self._nearest() if verdict == "declined" and ended else (),
            error=error,
        )

    def _nearest(self) -> tuple[tuple[CitationView, Source], ...]:
        """The passages that came closest, each with its line that has most of the question's words."""
        if self._turn is None or self._asked is None:
            return ()
        known = {p.id: p for turn in (*self._asked.history, self._turn) for p in turn.passages}
        claim = read_claim(f"{self._asked.question} {self._standalone}")
        close = [known[id] for id in self._turn.hint if id in known][:NEAREST]
        matches = [(best_match(claim, [passage]), passage) for passage in close]
        return tuple((cite(match.span if match else whole(passage)), passage) for match, passage in matches)


def _warm(sources: tuple[Source, ...]) -> None:
    """Reads the passages' words and figures while the engine reads the prompt, so that checking costs no time later."""
    for source in sources:
        _ = source.context, source.stems
        for span in source.spans:
            _ = span.stems, span.figures, span.negated, span.limits
