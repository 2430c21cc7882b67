"""What reading one file may take, from the settings."""

from __future__ import annotations

from app.config import Settings
from ingestion.sandbox import Limits


def parse_limits(settings: Settings) -> Limits:
    """Wall time and memory as set; the other bounds are the sandbox's own."""
    return Limits(seconds=settings.parse_seconds, memory_mib=settings.parse_memory_mib)
