"""What reading one file may take, from the settings."""

from __future__ import annotations

from app.config import Settings
from ingestion.sandbox import Limits, Recognition


def parse_limits(settings: Settings) -> Limits:
    """Time, memory and what is taken out of archives as set; the other bounds are the sandbox's own."""
    return Limits(
        seconds=settings.parse_seconds,
        memory_mib=settings.parse_memory_mib,
        attached_files=settings.unpack_files,
        attached_mib=settings.unpack_mib,
        attachment_mib=settings.upload_mib,
        recognition=Recognition(
            languages=tuple(settings.ocr_languages.replace(",", "+").split("+")),
            at_once=settings.ocr_at_once,
            page_seconds=settings.ocr_page_seconds,
        ),
    )
