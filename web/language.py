"""Which language a request is answered in."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from web import messages
from web.messages import Words


def words_for(connection: HTTPConnection) -> Words:
    return messages.choose(connection.headers.get("accept-language", ""), connection.cookies.get(messages.COOKIE, ""))
