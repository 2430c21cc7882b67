"""The process in which files are read: `python -m ingestion.child`. It takes one request (JSON) on standard input,
confines itself before it touches the file, and answers in frames (`ingestion/wire.py`) on standard output.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingestion.confine import confine
from ingestion.types import Parsed, Refused
from ingestion.wire import bytes_frame, ending_to_json, json_frame, page_to_json

Answer = Callable[[object], None]
WITH_PICTURES = ("pdf", "image")  # formats in which text recognition may be needed


def main() -> None:
    request = json.load(sys.stdin)
    answer = _take_output()
    path = Path(request["path"])
    results = Path(request["results"]) if request.get("results") else None
    confine(
        memory_mib=request["memory_mib"],
        seconds=request["seconds"],
        parent=request["parent"],
        readable=path,
        results=results,
    )
    try:
        {"draw": _draw, "pictures": _pictures, "parse": _parse}[request["do"]](request, path, answer)
    except Refused as refused:
        answer({"refused": refused.code, "reason": refused.reason, "values": refused.values})
    except MemoryError:
        answer({"failed": "memory"})
    except BaseException as error:
        answer({"failed": "error", "detail": _where(error)})
    os._exit(0)  # nothing is left to tidy up, and libraries in a bad state may hang while doing so


def _take_output() -> Answer:
    """Keep standard output for frames only: what libraries print goes nowhere."""
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)

    def answer(value: object) -> None:
        data = memoryview(bytes_frame(value) if isinstance(value, bytes) else json_frame(value))
        while data:
            data = data[os.write(out, data) :]

    return answer


def _draw(request: dict[str, Any], path: Path, answer: Answer) -> None:
    from ingestion.parsers.page_picture import png

    answer(png(path, request["page"], request["scale"], request["pixels"]))


def _pictures(request: dict[str, Any], path: Path, answer: Answer) -> None:
    """Grey pixels of pages, for text recognition: netpbm's simplest format, a frame a page."""
    from ingestion.parsers.page_picture import grey

    for drawn in grey(path, request["name"], request["pages"], request["pixels"]):
        if drawn is None:
            answer({"lost": True})
        else:
            wide, high, pixels = drawn
            answer(b"P5 %d %d 255\n" % (wide, high) + pixels)


def _parse(request: dict[str, Any], path: Path, answer: Answer) -> None:
    from ingestion.reader import sniff

    found = sniff(path, request["name"])
    answer({"format": found})
    parsed = _with_pictures(request, found, path, answer) if found in WITH_PICTURES else _read(found, path, answer)
    if parsed is None:
        return
    for page in parsed.pages:
        answer({"page": page_to_json(page)})
    for attachment in parsed.attachments if request["attachments"] else ():
        answer({"attachment": [attachment.name, attachment.folder]})
        for piece in attachment.pieces():
            answer(piece)
    answer(ending_to_json(parsed))


def _read(found: str, path: Path, answer: Answer) -> Parsed:
    from ingestion.reader import read_as

    return read_as(found, path, lambda done, total: answer({"at": [done, total]}))


def _with_pictures(request: dict[str, Any], found: str, path: Path, answer: Answer) -> Parsed | None:
    """None when pages have to be recognised first, which was answered."""
    from ingestion.ocr.results import Results, Wanted
    from ingestion.reader import read_as

    skip, results = frozenset(request["skip"]), Results(Path(request["results"])) if request["results"] else None
    try:
        return read_as(found, path, lambda done, total: answer({"at": [done, total]}), skip, results)
    except Wanted as wanted:
        answer({"wanted": wanted.pages})
        return None


def _where(error: BaseException) -> str:
    """Kind and place of an error, never its message: that may hold words of the document."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "?"
    return f"{type(error).__name__} at {place}"


if __name__ == "__main__":
    main()
