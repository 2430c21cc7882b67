"""Taking a file in: size, space and type are checked, then it is stored under its hash and waits to be
read."""

from __future__ import annotations

from typing import BinaryIO

from app.accounts.types import Viewer
from app.documents.types import DocumentView, Stores


def accept(  # noqa: PLR0917  the order of the contract
    services: Stores,
    viewer: Viewer,
    collection_id: str,
    name: str,
    source: BinaryIO,
    folder: str = "",
    *,
    size: int | None = None,
) -> DocumentView:
    """Store `source` as a document. `name` may carry a path; `folder` is where it stood in an uploaded
    folder; `size` is the number of bytes, when known before. The same bytes under the same name and folder
    give the document that is there already (`existed`). Nothing is left behind on error.

    Errors: NotFound (collection), TooLarge, OutOfSpace, UnsupportedType, Invalid (empty, damaged)."""
    raise NotImplementedError
