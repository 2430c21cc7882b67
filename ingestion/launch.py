"""Confines itself, then becomes another program: `python -m ingestion.launch BOUNDS PROGRAM ARGUMENT ...`, where BOUNDS
is what `ingestion/tool.py` wrote, as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path

from ingestion.confine import Bounds, confine_tool

NOT_STARTED = 126


def main() -> None:
    request, program, arguments = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3:]
    _stay_as_nice()
    confine_tool(
        Bounds(**request["bounds"]),
        parent=request["parent"],
        scratch=Path(request["scratch"]),
        readable=[Path(path) for path in request["readable"]],
        sockets=[Path(path) for path in request["sockets"]],
    )
    try:
        os.execve(program, [program, *arguments], request["environment"])  # noqa: S606
    except OSError as error:
        print(f"{program}: {error.strerror}", file=sys.stderr)
    os._exit(NOT_STARTED)


def _stay_as_nice() -> None:
    """Linux counts niceness within a session only where it groups processes; this one has a session of its own."""
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(os.nice(0)))


if __name__ == "__main__":
    main()
