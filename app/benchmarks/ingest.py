"""How fast files are read: parsing, embedding, and from upload to searchable through the real reading process."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.benchmarks.sandboxed import scratch
from app.cli.bundles import ModelFolders
from app.config import Settings
from app.documents.limits import parse_limits
from ingestion.chunk import cut
from ingestion.sandbox import parse
from ingestion.types import Parsed, Refused


@dataclass(frozen=True)
class _Read:
    parsed: list[Parsed]
    seconds: float
    refused: int


def measure(settings: Settings, folders: ModelFolders, files: Sequence[Path]) -> dict[str, Any]:
    """Pages/s parsed (one child process a file, its start included), passages/s embedded, seconds from the first upload
    until the last file is searchable (models loaded before), and peak memory in MiB of each part."""
    read = _parse_all(settings, files)
    children_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _UNIT
    passages, embed_seconds = _embed_all(settings, folders, read.parsed)
    pages = sum(len(parsed.pages) for parsed in read.parsed)
    return {
        "files": len(files),
        "refused": read.refused,
        "pages": pages,
        "parse_seconds": round(read.seconds, 2),
        "pages_per_second": round(pages / read.seconds, 1),
        "passages": passages,
        "embed_seconds": round(embed_seconds, 2),
        "passages_per_second": round(passages / embed_seconds, 1) if embed_seconds else None,
        "searchable_seconds": round(_searchable(settings, files), 2),
        "peak_mib": {
            "parsing": round(children_mib),
            "embedding": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _UNIT),
        },
    }


_UNIT = 1024 * 1024 if sys.platform == "darwin" else 1024


def _parse_all(settings: Settings, files: Sequence[Path]) -> _Read:
    limits, parsed, refused = parse_limits(settings), [], 0
    begun = time.monotonic()
    for file in files:
        try:
            parsed.append(parse(file, file.name, limits))
        except Refused:
            refused += 1
    return _Read(parsed, time.monotonic() - begun, refused)


def _embed_all(settings: Settings, folders: ModelFolders, documents: list[Parsed]) -> tuple[int, float]:
    from models.embedder import load_embedder
    from models.tokens import load_tokenizer

    assert folders.model is not None
    tokenizer = load_tokenizer(folders.model)
    texts = [passage.text for parsed in documents for passage in cut(parsed, settings.passage_tokens, tokenizer.count)]
    embedder = load_embedder(folders.embedder)
    embedder.question("warm")
    begun = time.monotonic()
    embedder.passages(texts)
    return len(texts), time.monotonic() - begun


def _searchable(settings: Settings, files: Sequence[Path]) -> float:
    with scratch(settings) as bench:
        begun = time.monotonic()
        for file in files:
            bench.accept(file)
        bench.wait()
        return time.monotonic() - begun
