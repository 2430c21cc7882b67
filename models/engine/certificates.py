"""Whom to trust when an engine's address begins with https."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def certificates() -> ssl.SSLContext:
    """The public authorities (certifi's). Loading them takes tens of milliseconds, and every httpx client would do it
    anew: once is enough, and off the event loop."""
    return httpx.create_ssl_context(trust_env=False)
