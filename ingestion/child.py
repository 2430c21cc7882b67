"""The process in which files are read: `python -m ingestion.child`. It takes one request (JSON) on standard input,
limits itself before it touches the file, and answers in frames (`ingestion/wire.py`) on standard output.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from ingestion.types import Refused
from ingestion.wire import bytes_frame, ending_to_json, json_frame, page_to_json

MIB = 1024 * 1024
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


def main() -> None:
    request = json.load(sys.stdin)
    answer = _take_output()
    limit_process(request)
    try:
        _serve(request, answer)
    except Refused as refused:
        answer({"refused": refused.code, "reason": refused.reason, "values": refused.values})
    except MemoryError:
        answer({"failed": "memory"})
    except BaseException as error:
        answer({"failed": "error", "detail": _where(error)})
    os._exit(0)  # nothing is left to tidy up, and libraries in a bad state may hang while doing so


def _take_output() -> Any:
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


def limit_process(request: dict[str, Any]) -> None:
    """Bind this process to its limits for good."""
    import resource

    memory = int(request["memory_mib"]) * MIB
    seconds = int(request["seconds"]) + 1
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.platform == "linux":
        _limit_on_linux(int(request["parent"]))


def _limit_on_linux(parent: int) -> None:
    """End with our parent, gain no rights, and see no network where the kernel lets us leave it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if libc.unshare(CLONE_NEWNET) != 0:
        libc.unshare(CLONE_NEWUSER | CLONE_NEWNET)


def _serve(request: dict[str, Any], answer: Any) -> None:
    if request["do"] == "draw":
        from ingestion.parsers.pdf_picture import draw

        picture = draw(Path(request["path"]), int(request["page"]), float(request["scale"]), int(request["pixels"]))
        answer(picture)
        return
    from ingestion.reader import read_file

    skip = frozenset(int(page) for page in request["skip"])
    parsed = read_file(Path(request["path"]), request["name"], lambda done, total: answer({"at": [done, total]}), skip)
    for page in parsed.pages:
        answer({"page": page_to_json(page)})
    for attachment in parsed.attachments:
        answer(attachment.data)
    answer(ending_to_json(parsed))


def _where(error: BaseException) -> str:
    """Kind and place of an error, never its message: that may hold words of the document."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "?"
    return f"{type(error).__name__} at {place}"


if __name__ == "__main__":
    main()
