"""Schemathesis over the whole API: whatever is sent, no reply is a 5xx, and every reply is as the schema says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.conftest import Site

# what it must never find; its checks for authorization cannot know that a session works as well as a key
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
CHECKS += "response_schema_conformance,negative_data_rejection,unsupported_method,allow_header_conformance"


def test_replies_are_as_described(
    site: Site, collection: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
):
    site.world.engine.script = lambda messages: "NOT IN THE DOCUMENTS"
    found = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{site.url}/openapi.json"),
            *("--header", f"Authorization: {site.world.ada.headers['authorization']}"),
            *("--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--max-examples", "15"),
            *("--seed", "1", "--no-shrink", "--continue-on-failure", "--request-timeout", "30", "--no-color"),
            *("--suppress-health-check", "all"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    logged = capsys.readouterr().out + caplog.text
    _, failed, why = logged.partition("request.failed")  # the first reply with 500: its traceback, in the server's log
    assert found.returncode == 0, failed + why[:4000] + found.stdout[-8000:] + found.stderr[-2000:]
    assert "selected" in found.stdout.lower() or "operations" in found.stdout.lower()
