"""Makes a world's engine look as if it had been watched for a while: real looks at a stand-in, at past times."""

from __future__ import annotations

import math
import time

import httpx

from app.engine_samples import EVERY
from models.types import Replica
from tests.engine_stand_in import StandIn
from tests.web.world import Services


def watched(services: Services, engine: StandIn, *replicas: Replica, minutes: float = 6, full: bool = False) -> None:
    """The last minutes with a load that comes and goes; `full`: the KV cache overflows."""
    services.engine_handle.named = replicas
    rounds = int(minutes * 60 / EVERY)
    numbers = engine.numbers
    with httpx.Client(trust_env=False) as http:
        for number in range(rounds + 1):
            load = max(0.0, 1 + math.sin(number / 17) + 0.3 * math.sin(number / 3))
            numbers.running, numbers.waiting = round(3 * load), max(0, round(4 * load - 6))
            numbers.kv_used = 0.97 if full else min(0.94, 0.35 * load)
            numbers.generated += 40 * load * EVERY
            numbers.prompt += 900 * load
            numbers.queries, numbers.hits = numbers.prompt, 0.82 * numbers.prompt
            numbers.preempted += int(full and number % 5 == 0)
            seconds, count = numbers.first_tokens
            numbers.first_tokens = (seconds + 0.4 + 0.5 * load, count + 1)
            services.engine_watch.look(http, time.time() - (rounds - number) * EVERY)
