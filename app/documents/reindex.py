"""Making the index anew from what the database holds, or from the files."""

from __future__ import annotations

from app.config import Settings


def reindex(settings: Settings, *, from_files: bool = False) -> int:
    """Mark everything to be embedded again (with `from_files` also read again); a running worker does it at
    once, documents stay searchable meanwhile (not with `from_files`). Returns how many contents are
    concerned."""
    raise NotImplementedError
