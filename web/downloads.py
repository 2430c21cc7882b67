"""Files on their way out: originals as attachments that no browser will open as a page, and page pictures."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from starlette.responses import FileResponse, Response

from app.accounts.types import Viewer
from app.documents.read import original, page_picture
from app.errors import NotFound
from app.services import Services

_drawing = CapacityLimiter(4)  # a page may take seconds to draw: that must not fill the thread pool
_NO_PAGE = "default-src 'none'; sandbox"


def original_file(services: Services, viewer: Viewer, document_id: str) -> Response:
    path, document = original(services, viewer, document_id)
    headers = {"content-disposition": attachment(document.name), "content-security-policy": _NO_PAGE}
    return FileResponse(path, headers=headers, media_type="application/octet-stream", stat_result=_stat(path))


async def picture(services: Services, viewer: Viewer, document_id: str, page: int) -> Response:
    png = await to_thread.run_sync(page_picture, services, viewer, document_id, page, limiter=_drawing)
    return Response(png, media_type="image/png")


def attachment(name: str) -> str:
    """Content-Disposition (RFC 6266): the name in ASCII for old programs, and as it is (RFC 8187)."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = "".join(c if c.isalnum() or c in " ._-()" else "_" for c in plain).strip(" .") or "document"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _stat(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except FileNotFoundError:  # deleted this very moment
        raise NotFound("This document was deleted.", "Load the list again.") from None
