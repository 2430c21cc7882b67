"""Logs: one JSON object a line into `logs/`, turned over at 10 MB, and a short line on the console.

Libraries that use Python's own logging end up there as well. Secrets are taken out last, whatever wrote them.
"""

from __future__ import annotations

import logging
import re
import sys
from logging.handlers import RotatingFileHandler
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from app.config import Settings

FILE_BYTES = 10_000_000
FILES_KEPT = 5
REMOVED = "[removed]"
_SECRET_NAME = re.compile(
    r"(?:^|[_\- ])(?:password|passwd|secret|token|key|authorization|cookie|credentials?)$", re.IGNORECASE
)
_SECRET_TEXT = re.compile(
    r"beleg_[\w-]{20,}"  # API keys
    r"|(?<=bearer )[\w.~+/=-]{8,}"  # Authorization headers
    r"|(?<=/welcome/)[\w-]{20,}"  # sign-in links
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",  # user:password in addresses
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(  # password=..., 'token': '...'
    r"((?:password|passwd|secret|token|key|authorization|cookie)['\"]?\s*[:=]\s*['\"]?)[^\s'\",;&}\])]{4,}",
    re.IGNORECASE,
)
_QUIET = ("httpx", "httpcore", "openai", "urllib3", "asyncio", "sqlalchemy", "alembic", "sentence_transformers")


def set_up(settings: Settings, name: str = "beleg", *, console: bool = True) -> None:
    """Log of this process: `logs/<name>.log` and, with `console`, standard error. May be called again."""
    settings.logs_dir.mkdir(parents=True, exist_ok=True)
    file = RotatingFileHandler(
        settings.logs_dir / f"{name}.log", maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8"
    )
    file.setFormatter(_formatter(structlog.processors.JSONRenderer(ensure_ascii=False, default=str)))
    handlers: list[logging.Handler] = [file]
    if console:
        short = logging.StreamHandler(sys.stderr)
        short.setFormatter(_formatter(structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)))
        short.setLevel(max(logging.WARNING, _level(settings)) if name == "beleg" else _level(settings))
        handlers.append(short)
    _replace_handlers(handlers, _level(settings))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            drop_secrets,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def drop_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Values under a name like `password` or `api_key`, and what looks like one of our secrets in any text."""
    return {name: _clean(name, value) for name, value in event.items()}


def without_secrets(text: str) -> str:
    """A text that others wrote, such as a line of the engine's log, without what looks like a secret."""
    return _SECRET_VALUE.sub(rf"\1{REMOVED}", _SECRET_TEXT.sub(REMOVED, text))


def is_secret(name: str) -> bool:
    """Whether what has this name (`--api-key`, `password`) is not for showing."""
    return _SECRET_NAME.search(name) is not None


def _clean(name: str, value: Any) -> Any:
    if is_secret(name):
        return REMOVED
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {key: _clean(str(key), inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean("", inner) for inner in value]
    return value


def _formatter(renderer: Processor) -> logging.Formatter:
    last: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if isinstance(renderer, structlog.processors.JSONRenderer):
        last.append(structlog.processors.format_exc_info)
    else:
        last.append(_without_traceback)
    return structlog.stdlib.ProcessorFormatter(processors=[*last, drop_secrets, renderer], foreign_pre_chain=_shared())


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _without_traceback(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """On the console the error itself is enough; the file has where it happened."""
    info = event.pop("exc_info", None)
    error = info[1] if isinstance(info, tuple) else sys.exc_info()[1] if info else None
    if error is not None:
        event["error"] = f"{type(error).__name__}: {error}"
    return event


def _replace_handlers(handlers: list[logging.Handler], level: int) -> None:
    root = logging.getLogger()
    for old in list(root.handlers):
        if getattr(old, "_beleg", False):
            root.removeHandler(old)
            old.close()
    for handler in handlers:
        handler._beleg = True  # type: ignore[attr-defined]
        root.addHandler(handler)
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


def _level(settings: Settings) -> int:
    return logging.getLevelNamesMapping()[settings.log_level.upper()]
