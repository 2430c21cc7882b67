"""`/metrics`, for Prometheus with its key and for administrators; for everybody else there is no such address."""

from __future__ import annotations

import hmac

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from app.errors import BelegError
from app.metrics import CONTENT_TYPE, exposition
from web.deps import ServicesDep, get_viewer
from web.errors import no_such_page
from web.security import has_key

router = APIRouter(include_in_schema=False)


@router.get("/metrics")
async def metrics(request: Request, services: ServicesDep) -> Response:
    if not _has_metrics_key(request, services.settings.metrics_key) and not await run_in_threadpool(_is_admin, request):
        raise no_such_page()
    return Response(await exposition(services), media_type=CONTENT_TYPE)


def _has_metrics_key(request: Request, key: str) -> bool:
    """Compared in constant time, byte for byte as sent."""
    if not key or not has_key(request.headers):
        return False
    given = request.headers["authorization"][7:].strip()
    return hmac.compare_digest(given.encode("latin-1"), key.encode())


def _is_admin(request: Request) -> bool:
    try:
        return get_viewer(request).is_admin
    except BelegError:
        return False
