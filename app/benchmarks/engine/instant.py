"""A stand-in for the engine that computes nothing: `python -m app.benchmarks.engine.instant PORT STEP_SECONDS`.

As vLLM does, it writes a piece to every open answer at each step, all in the same moment, and notes when. What it
writes are sentences of the passages in the prompt, with their ids. `GET /notes` tells what it was asked and when it
wrote what.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from app.benchmarks.engine.parent import end_with_parent

CONTEXT_TOKENS = 8192
ANSWER_WORDS = 120
_MARK = re.compile(r"\((ref \w+)\)")
_PASSAGE = re.compile(r"\[(D\d+\.\d+)\][^\n]*\n(.*?)(?=\n\n\[D|\n</passages>)", re.DOTALL)
_SENTENCE = re.compile(r"[^.]+\.")
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n"


@dataclass
class Note:
    """One request: its body, when it had arrived, and each piece with the moment it was written (time.monotonic)."""

    mark: str
    body: dict[str, Any]
    received: float
    pieces: list[tuple[str, float]] = field(default_factory=list)


@dataclass
class Open:
    """An answer being written."""

    note: Note
    rest: list[str]
    writer: asyncio.StreamWriter
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class InstantEngine:
    """Answers HTTP on 127.0.0.1 as far as Beleg asks an engine anything."""

    def __init__(self, step_seconds: float) -> None:
        self._step = step_seconds
        self._notes: list[Note] = []
        self._open: list[Open] = []

    async def serve(self, port: int) -> None:
        server = await asyncio.start_server(self._answer, "127.0.0.1", port, limit=1 << 20)
        async with server:
            await self._tick()

    async def _tick(self) -> None:
        """Steps at fixed times, however long one takes."""
        due = time.monotonic()
        while True:
            due += self._step
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            for answer in list(self._open):
                self._write(answer)

    def _write(self, answer: Open) -> None:
        if answer.writer.is_closing():
            self._end(answer)
        elif answer.rest:
            piece = answer.rest.pop(0)
            answer.note.pieces.append((piece, time.monotonic()))
            _send(answer.writer, _chunk([{"index": 0, "delta": {"content": piece}, "finish_reason": None}]))
        else:
            written = len(answer.note.pieces)
            usage = {"prompt_tokens": 100, "completion_tokens": written, "total_tokens": 100 + written}
            _send(answer.writer, _chunk([{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}]))
            _send(answer.writer, _chunk([], usage) + b"data: [DONE]\n\n")
            answer.writer.write(b"0\r\n\r\n")
            self._end(answer)

    def _end(self, answer: Open) -> None:
        self._open.remove(answer)
        answer.ended.set()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """All requests of one connection, one after the other."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await self._route(head.split(b" ", 2)[1].decode(), body, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass  # the client has gone
        finally:
            writer.close()

    async def _route(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        if path.endswith("/chat/completions"):
            await self._stream(json.loads(body), writer)
        elif path.endswith("/tokenize"):
            _whole(writer, {"count": len(body) // 4})
        elif path == "/notes":
            notes, self._notes = self._notes, []
            _whole(writer, [asdict(note) for note in notes])
        else:
            _whole(writer, {"data": [{"id": "instant", "max_model_len": CONTEXT_TOKENS}]})

    async def _stream(self, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        asked = "\n".join(message["content"] for message in body["messages"])
        mark = _MARK.search(asked)
        note = Note(mark[1] if mark else "", body, time.monotonic())
        self._notes.append(note)
        writer.write(_HEAD % b"text/event-stream" + b"transfer-encoding: chunked\r\n\r\n")
        answer = Open(note, pieces_of(asked), writer)
        self._open.append(answer)
        await answer.ended.wait()


def pieces_of(prompt: str) -> list[str]:
    """Whole sentences of the prompt's passages, each followed by its passage's id, as pieces of a word each."""
    written: list[str] = []
    for number, text in _PASSAGE.findall(prompt):
        for sentence in _SENTENCE.findall(" ".join(text.split())):
            if len(written) >= ANSWER_WORDS:
                return written
            words = re.findall(r"\s*\S+", sentence.strip().removesuffix("."))
            written += [word if word[0].isspace() or not written else f" {word}" for word in words]
            written += [f" [{number}]", "."]
    return written or ["The", " documents", " do", " not", " answer", " this", "."]


def _chunk(choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> bytes:
    told = {"id": "chatcmpl-instant", "object": "chat.completion.chunk", "created": 1, "model": "instant"}
    return b"data: " + json.dumps({**told, "choices": choices, "usage": usage}).encode() + b"\n\n"


def _send(writer: asyncio.StreamWriter, piece: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))


def _whole(writer: asyncio.StreamWriter, reply: object) -> None:
    body = json.dumps(reply).encode()
    writer.write(_HEAD % b"application/json" + b"content-length: %d\r\n\r\n%s" % (len(body), body))


if __name__ == "__main__":
    end_with_parent()
    asyncio.run(InstantEngine(float(sys.argv[2])).serve(int(sys.argv[1])))
