"""The application over HTTP: `create_app` puts protection, API, pages and static files together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from app.services import Services
from web import errors, health, metrics, openapi
from web.api.router import router as api
from web.errors import Unexpected
from web.limits import Limits
from web.pages.person import PasswordFirst, ask_for_password
from web.pages.router import router as pages
from web.security import SameOrigin, SecurityHeaders

STATIC = Path(__file__).parent / "static"


def create_app(services: Services) -> FastAPI:
    """The whole of Beleg's HTTP side. It closes `services` when it ends."""
    app = FastAPI(
        title="Beleg",
        version="1",
        description=openapi.DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.services = services
    errors.install(app)
    app.add_exception_handler(PasswordFirst, ask_for_password)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(api)
    app.include_router(pages, include_in_schema=False)
    app.mount("/static", ForEver(directory=STATIC), name="static")
    openapi.install(app)
    # the last one added is the first to see a request
    app.add_middleware(SameOrigin, settings=services.settings)
    app.add_middleware(Limits, settings=services.settings)
    app.add_middleware(Unexpected)
    app.add_middleware(SecurityHeaders)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    await services.desk.start()
    yield
    await services.close()


class ForEver(StaticFiles):
    """Static files. Pages name them with a mark of their content, so browsers may keep them."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_kept(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in (200, 206, 304):
                kept = b"public, max-age=31536000, immutable" if b"v=" in scope["query_string"] else b"no-cache"
                message["headers"] = [*message["headers"], (b"cache-control", kept)]
            await send(message)

        await super().__call__(scope, receive, send_kept)
