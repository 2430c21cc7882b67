"""Whether Beleg is alive and ready, for whoever keeps servers running. No sign-in, and nothing told but states."""

from __future__ import annotations

import structlog
from fastapi import APIRouter, Response

from app.services import Services
from web.api.shapes import Alive, Part, Readiness
from web.deps import ServicesDep

log = structlog.get_logger()
router = APIRouter(tags=["Health"])


@router.get("/healthz", summary="Alive")
def healthz() -> Alive:
    return Alive(status="alive")


@router.get("/readyz", summary="Ready: database, index and engine", responses={503: {"model": Readiness}})
def readyz(services: ServicesDep, response: Response) -> Readiness:
    parts = {"database": _database(services), "index": _index(services), "engine": _engine(services)}
    ready = all(part.state == "ready" for part in parts.values())
    response.status_code = 200 if ready else 503
    return Readiness(ready=ready, **parts)


def _database(services: Services) -> Part:
    try:
        with services.database.engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM users")
    except Exception:
        log.exception("health.database")
        return Part(state="failed")
    return Part(state="ready")


def _index(services: Services) -> Part:
    if not services.models.ready:
        return Part(state="failed" if services.models.problem else "starting")
    return Part(state="ready" if services.index.ready else "starting")


def _engine(services: Services) -> Part:
    return Part(state=services.engine_status().state)
