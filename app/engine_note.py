"""What whoever runs the engine leaves in `run/engine.json` (readable by its owner only), so that other commands on the
same data folder use the same one: `beleg ask` beside `beleg up`, `beleg up` beside `beleg serve`.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class EngineAddress:
    """`base_url` of each engine, separated by commas; `pid` of the process that runs them."""

    base_url: str
    key: str
    model: str
    pid: int


def write_address(path: Path, address: EngineAddress) -> None:
    """Takes the place of an earlier one in one step: others read it while it is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_suffix(f".{os.getpid()}")
    made.unlink(missing_ok=True)
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(address), file)
    os.replace(made, path)


def read_address(path: Path) -> EngineAddress | None:
    try:
        return EngineAddress(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def is_alive(address: EngineAddress) -> bool:
    """Whether the process that wrote the note still lives (the engine itself may still be starting)."""
    try:
        os.kill(address.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
