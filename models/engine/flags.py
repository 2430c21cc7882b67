"""Holds arguments against the installed vLLM's own parser, before an engine is started with them.

vLLM takes seconds to import and belongs in no process of ours: a child does it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from models.engine.profiles import QUIET, ProfileError

CHECK_SECONDS = 300


def check_flags(*command_lines: Sequence[str]) -> None:
    """Raises ProfileError with the parser's own words about the first of them that it does not take. Does
    nothing where vLLM is not installed here."""
    root = str(Path(__file__).resolve().parent.parent.parent)
    try:
        run = subprocess.run(
            [sys.executable, "-P", "-m", "models.engine.flags", json.dumps([list(line) for line in command_lines])],
            capture_output=True,
            text=True,
            timeout=CHECK_SECONDS,
            check=False,
            env={**os.environ, **QUIET, "PYTHONPATH": root},
        )
    except subprocess.TimeoutExpired:
        raise ProfileError("vLLM did not check its arguments within five minutes.") from None
    if run.returncode == 0:
        return
    said = [line for line in run.stderr.splitlines() if ": error: " in line]
    reason = (
        said[-1].partition(": error: ")[2] if said else (run.stderr.strip().splitlines() or ["no reason given"])[-1]
    )
    raise ProfileError(f"vLLM does not take these arguments: {reason}")


def main(command_lines: list[list[str]]) -> int:
    """Exit code 0 when vLLM's parser takes them; else it says why on standard error."""
    try:
        from vllm.entrypoints.launchers.cli_args import make_arg_parser
    except ImportError:
        try:
            from vllm.entrypoints.openai.cli_args import make_arg_parser
        except ImportError:
            return 0
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser = make_arg_parser(FlexibleArgumentParser(prog="vllm"))
    for line in command_lines:
        parser.parse_args(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
