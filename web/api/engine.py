"""How the engine is doing, for administrators."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request

from app.engine_pressure import Pressure
from app.engine_report import ReplicaReport, report
from app.engine_samples import Sample
from web.api import engine_shapes as shapes
from web.deps import AdminDep, ServicesDep
from web.language import words_for
from web.messages import Words

router = APIRouter(tags=["Engine"])


@router.get("/engine", summary="How the engine is doing (administrators)")
def get_engine(request: Request, services: ServicesDep, admin: AdminDep) -> shapes.Engine:
    told = report(services.engine_handle.replicas(), services.engine_watch)
    words = words_for(request)
    machine = [_warning(told.pressure, words)] if told.pressure else []
    replicas = [_replica(one, words) for one in told.replicas]
    return shapes.Engine.model_validate({"at": told.at, "warnings": machine, "replicas": replicas})


def _replica(told: ReplicaReport, words: Words) -> shapes.EngineReplica:
    fields = {
        **asdict(told.status),
        "name": told.name,
        "accepting": told.accepting,
        "uptime_seconds": told.uptime,
        "context_tokens": told.context_tokens,
        "arguments": list(told.arguments),
        "figures": _figures(told.now) if told.now else None,
        "warnings": [_warning(one, words) for one in told.pressures],
        "errors": list(told.errors),
        "last_hour": [shapes.EnginePoint.model_validate(point) for point in told.history],
    }
    return shapes.EngineReplica.model_validate(fields)


def _figures(now: Sample) -> shapes.EngineFigures:
    rates = now.rates
    fields = {
        **asdict(now.gauges),
        "at": now.at,
        "hit_rate": now.gauges.hit_rate,
        "generated_per_second": rates.generated,
        "prompt_per_second": rates.prompt,
        "preempted_per_minute": rates.preempted,
        "first_token_seconds": rates.first_token,
        "queue_seconds": rates.queue,
        "memory_bytes": now.memory,
    }
    return shapes.EngineFigures.model_validate(fields)


def _warning(pressure: Pressure, words: Words) -> shapes.EngineWarning:
    return shapes.EngineWarning(code=pressure.code, text=words.text(pressure.text, **pressure.values))
