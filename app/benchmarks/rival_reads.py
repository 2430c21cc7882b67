"""Reads PDFs with another program and says how long it took: `PYTHON rival_reads.py NAME FILE...`, standard library and
that program only, so that it runs in an environment of its own. Importing it is not counted."""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable


def main(name: str, files: list[str]) -> None:
    read = READERS[name]()
    pages = failed = 0
    begun, used = time.monotonic(), time.process_time()
    for file in files:
        try:
            pages += read(file)
        except Exception:
            failed += 1
    seconds, cpu = time.monotonic() - begun, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"pages": pages, "failed": failed, "seconds": seconds, "cpu": cpu, "peak_mib": peak}))


def pypdf() -> Callable[[str], int]:
    """Text only, no boxes."""
    reader = importlib.import_module("pypdf").PdfReader
    return lambda file: len([page.extract_text() for page in reader(file).pages])


def markitdown() -> Callable[[str], int]:
    """Text only, no boxes; it does not say how many pages there were."""
    convert = importlib.import_module("markitdown").MarkItDown().convert
    count = importlib.import_module("pypdf").PdfReader

    def read(file: str) -> int:
        convert(file)
        return len(count(file).pages)

    return read


def docling() -> Callable[[str], int]:
    """Its own PDF back end, without its models: cells of text with boxes, page by page, not yet in reading order."""
    backend = importlib.import_module("docling.backend.docling_parse_backend").DoclingParseDocumentBackend
    documents = importlib.import_module("docling.datamodel.document").InputDocument
    formats = importlib.import_module("docling.datamodel.base_models").InputFormat
    path = importlib.import_module("pathlib").Path

    def read(file: str) -> int:
        document = documents(path_or_stream=path(file), format=formats.PDF, backend=backend)
        pages = [list(page.get_text_cells()) for page in document._backend.iter_pages()]
        document._backend.unload()
        return len(pages)

    return read


READERS: dict[str, Callable[[], Callable[[str], int]]] = {
    "pypdf": pypdf,
    "markitdown": markitdown,
    "docling": docling,
}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
