"""From an upload request to accepted documents: what the API and the pages have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import BinaryIO, cast

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from app.accounts.types import Viewer
from app.collections.access import find
from app.documents.accept import accept
from app.documents.types import DocumentView
from app.errors import BelegError, TooLarge
from app.services import Services
from web import uploads
from web.limits import MIB


@dataclass(frozen=True)
class Accepted:
    """What became of one file: a document or an error."""

    name: str
    folder: str
    document: DocumentView | None = None
    error: BelegError | None = None


async def accept_all(
    request: Request, services: Services, viewer: Viewer, collection_id: str
) -> AsyncIterator[Accepted]:
    """Each file of the request, accepted or not. The right to upload is checked before a byte is read."""
    await run_in_threadpool(_require_edit, services, viewer, collection_id)
    limit = services.settings.upload_mib * MIB
    async with aclosing(uploads.files(request, services.settings.run_dir / "uploads", limit)) as files:
        async for file in files:
            yield await run_in_threadpool(_accept, services, viewer, collection_id, file)


def _require_edit(services: Services, viewer: Viewer, collection_id: str) -> None:
    with services.database.session() as db:
        find(db, viewer, collection_id, edit=True)


def _accept(services: Services, viewer: Viewer, collection_id: str, file: uploads.Upload) -> Accepted:
    try:
        if file.too_large:
            raise too_large(services)
        source = cast(BinaryIO, file.file)
        view = accept(services, viewer, collection_id, file.name, source, file.folder, size=file.size)
    except BelegError as error:
        return Accepted(file.name, file.folder, error=error)
    return Accepted(view.name, view.folder, document=view)


def too_large(services: Services) -> TooLarge:
    return TooLarge(
        "The file is larger than %(mib)s MiB.",
        "Split it, or ask an administrator to raise the limit (BELEG_UPLOAD_MIB).",
        mib=services.settings.upload_mib,
    )
