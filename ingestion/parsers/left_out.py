"""What a document holds and was not read as it stands: the same words for every program that writes such files."""

from __future__ import annotations

from collections.abc import Iterator

from ingestion.types import Warning

EMBEDDED_IN_DOCUMENT = Warning(
    "embedded_files", "Files embedded in the document were not read. Upload them on their own."
)
EMBEDDED_IN_SLIDES = Warning("embedded_files", "Files embedded in the slides were not read. Upload them on their own.")
EMBEDDED_IN_WORKBOOK = Warning("embedded_files", "Files embedded in the workbook were not read.")


def left_out(*, pictures: bool, embedded: bool, hidden: bool, changes: bool) -> Iterator[Warning]:
    """`pictures`: there is hardly anything else; `embedded` files, `hidden` text and tracked `changes` were found."""
    if pictures:
        yield Warning("pictures", "The document is mostly pictures; text in them was not read.")
    if embedded:
        yield EMBEDDED_IN_DOCUMENT
    if hidden:
        yield Warning("hidden_text", "Text that is formatted as hidden was left out.")
    if changes:
        yield Warning("tracked_changes", "The document has tracked changes; it was read as if all were accepted.")
