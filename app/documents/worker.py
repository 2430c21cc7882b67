"""The reading process: takes queued contents, reads, cuts, embeds and indexes them. One per data folder."""

from __future__ import annotations

from app.config import Settings


def run(settings: Settings) -> int:
    """Work until told to stop (SIGTERM, SIGINT, or the parent dies). The exit code: 0, or 3 when another one
    runs."""
    raise NotImplementedError


if __name__ == "__main__":
    raise SystemExit(run(Settings()))
