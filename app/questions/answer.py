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
from app.questions.find import find, turn_before_pause
from app.questions.keeper import Keeper
from app.questions.nearest import nearest
from app.questions.progress import Asked, Outcome, Progress
from app.questions.prompt import Prompt, Turn, build
from app.questions.spans import Source, warm
from app.questions.trace import Notes
from app.questions.types import ENDED, AnswerState, AnswerVerdict, CitationView, StatementView
from app.questions.views import live_view
from app.questions.work import Work
from models.engine.client import EngineBroke, EngineBusy, EngineError, EngineUnreachable
from models.types import Message

ANSWER_SECONDS = 900.0
UNREACHABLE_SECONDS = 120.0
_RETRY_SECONDS = 0.5
_ENGINE_STOPPED = ("The engine stopped while it was answering.", "What had arrived is kept. Ask again in a moment.")
_TOO_LONG = ("The answer took too long and was ended.", "What had arrived is kept. Ask again, or ask for less.")
_NOT_STORED = (
    "The answer could not be stored.",
    "The server's disk may be full. What is shown is lost when you leave.",
)
_BROKEN = ("Something went wrong while answering.", "Ask again. If it happens again, the server's log says more.")

log = structlog.get_logger(__name__)


class Answering:
    """One answer on its way."""

    def __init__(
        self, work: Work, answer_id: str, *, asked: Asked | None = None, interrupted: Literal["", "stop"] = ""
    ) -> None:
        """`asked`: the question when it is known already; else it is read from the database."""
        self._work, self._answer_id = work, answer_id
        self._known = asked
        self._ending = False
        self._reason: Literal["", "stop", "pause"] = interrupted
        self._state: AnswerState = "waiting"
        self._asked: Asked | None = None
        self._turn: Turn | None = None
        self._draft: Draft | None = None
        self._notes = Notes()
        self._standalone = ""
        self._kept = 0  # statements whose citations are stored
        self._keeper = Keeper(self._checkpoint, lambda: self.interrupt("stop"))
        self.task = asyncio.create_task(self._run(), name=f"answer {answer_id}")

    def interrupt(self, reason: Literal["stop", "pause"]) -> None:
        """End it at the next moment: stopped for good, or paused until somebody listens again."""
        if not self._reason and not self._ending and not self.task.done():
            self._reason = reason
            if self._asked is not None:
                self.task.cancel()

    @property
    def outcome(self) -> Outcome:
        """How far it has come; once the task is done, how it ended."""
        return Outcome(self._state, self._verdict(), self._work.watch.trace)

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
        asked = self._known if self._known else await self._work.threads.short(self._read)
        self._asked = asked
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
            view = live_view(asked, replace(self._progress(), state="streaming" if asked.text else "waiting"))
            self._work.log.add(lambda seq: Snapshot(seq, view))
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
        prompt = await work.threads.long(
            lambda: build(self._asked.collection, turns, work.services.models.tokenizer, window - most)  # type: ignore[union-attr]
        )
        self._draft = self._begin(list(prompt.sources), self._asked)
        if self._draft.text:
            most -= await work.threads.long(lambda: work.services.models.tokenizer.count(self._draft.text))  # type: ignore[union-attr]
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
        stream = self._work.services.engine.stream(
            messages,
            max_tokens=most,
            continue_last=bool(draft.text),
            near=self._asked.conversation_id if self._asked else "",
        )
        async with aclosing(stream) as chunks:
            self._work.threads.begin(lambda: warm(prompt.sources))
            async for chunk in chunks:
                if chunk.text:
                    self._take(draft, chunk.text)
                if chunk.usage:
                    self._work.watch.usage(chunk.usage)
                if chunk.finish == "length":
                    self._notes = replace(self._notes, cut=True)
                if draft.repeats:
                    break

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
        """Stores the answer as it stands and tells the listeners, also when it could not be stored."""
        self._ending, self._state = True, state
        self._work.watch.finish()
        if self._draft and state != "paused":
            self._draft.finish(whole=state == "done" and not self._notes.cut)
        try:
            await self._keeper.stop()
            progress = self._progress(f"{message}\n{hint}".strip())
            await self._save(progress)
        except NotFound:
            log.info("answer was deleted while it was written", answer=self._answer_id)
        except Exception:
            log.exception("storing an answer failed", answer=self._answer_id)
            self._state = "failed"
            self._tell(self._progress("\n".join(_NOT_STORED)))
        else:
            self._tell(progress)

    def _tell(self, progress: Progress) -> None:
        """The last event; none after a pause."""
        if self._asked is None:
            return
        view = live_view(self._asked, progress)
        if view.state == "failed":
            self._work.log.add(lambda seq: Failed(seq, view.error, view.hint, view))
        elif view.state == "stopped":
            self._work.log.add(lambda seq: Stopped(seq, view))
        elif view.state == "done":
            self._work.log.add(lambda seq: Done(seq, view))

    # storing

    async def _checkpoint(self) -> None:
        await self._save(self._progress())

    async def _save(self, progress: Progress) -> None:
        await self._work.threads.short(self._save_now, progress)
        self._kept = len(progress.statements)

    def _save_now(self, progress: Progress) -> None:
        keep = record.write if self._asked else record.write_state  # before it was read nothing but the state is known
        with self._work.services.database.session() as db:
            if not keep(db, self._answer_id, progress):
                raise NotFound("There is no such answer.", "The conversation may have been deleted.")

    def _progress(self, error: str = "") -> Progress:
        draft, turn = self._draft, self._turn
        verdict = self._verdict() if self._state in ENDED else ""
        if verdict == "declined" and not self._notes.declined:
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
            verdict=verdict,
            nearest=self._closest() if verdict == "declined" else (),
            error=error,
        )

    def _verdict(self) -> AnswerVerdict:
        """An answer that was ended before it said anything has none; one that is done and says nothing is declined."""
        if self._draft and self._draft.statements:
            return self._draft.verdict()
        return "declined" if self._state == "done" else ""

    def _closest(self) -> tuple[tuple[CitationView, Source], ...]:
        if self._turn is None or self._asked is None:
            return ()
        known = {p.id: p for turn in (*self._asked.history, self._turn) for p in turn.passages}
        passages = [known[id] for id in self._turn.hint if id in known]
        return nearest(passages, f"{self._asked.question} {self._standalone}")
