"""Schemathesis against the whole API: whatever is sent, no reply is a 5xx, and every reply is as the schema says."""

from __future__ import annotations

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import checks

from tests.web.conftest import Site
from web.main import create_app


def test_replies_are_as_described(site: Site, collection: str):
    app = create_app(site.world.services)  # type: ignore[arg-type]
    schema = schemathesis.openapi.from_dict(app.openapi())
    schema.config.update(base_url=site.url)
    site.world.engine.script = lambda messages: "NOT IN THE DOCUMENTS"
    failures = []
    for result in schema.get_all_operations():
        operation = result.ok()

        @schemathesis.pytest.given if False else _example(operation)
        def run(case):
            case.call_and_validate(headers=site.world.ada.headers, timeout=30)

        try:
            run()
        except Exception as error:
            failures.append(f"{operation.label}: {error}")
    assert not failures, "\n\n".join(failures)
