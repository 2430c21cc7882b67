"""Reads Prometheus' text format, and what the Grafana dashboard asks for, as tests need it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

DASHBOARD = Path(__file__).resolve().parents[1] / "docs" / "grafana" / "beleg.json"


def values(text: str, name: str) -> dict[tuple[str, ...], float]:
    """A metric's samples by the values of their labels, in the order of the labels' names."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name:
                found[tuple(value for _, value in sorted(sample.labels.items()))] = sample.value
    return found


def queried() -> set[str]:
    """Names of the metrics in the dashboard's queries."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    return {name for query in queries for name in re.findall(r"\b(?:vllm:|beleg_)\w+", query)}


def names(text: str) -> set[str]:
    return {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}
