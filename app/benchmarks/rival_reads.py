"""Reads PDFs with another program and says how long it took: `PYTHON rival_reads.py NAME FILE...`, standard library and
that program only, so that it runs in an environment of its own. Importing it is not counted."""

from __future__ import annotations

import importlib
import json
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
    peak = peak_mib()
    print(json.dumps({"pages": pages, "failed": failed, "seconds": seconds, "cpu": cpu, "peak_mib": peak}))


def peak_mib() -> int:
    """Of this program only; `ru_maxrss` also counts who started it."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmHWM"))


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
    """Its only pipeline without models, NativePdfPipeline, as it comes: every line of text with its box as its own
    parser hands it out, without reading order, headings or tables, and a picture of each page. (StandardPdfPipeline
    runs the layout model even without text recognition and table structure; no setting leaves that out.)"""
    return _native()


def docling_text() -> Callable[[str], int]:
    """The same without pictures, which nobody needs who wants the text."""
    return _native(generate_page_images=False, generate_picture_images=False)


def _native(**settings: bool) -> Callable[[str], int]:
    converter = importlib.import_module("docling.document_converter")
    pdf = importlib.import_module("docling.datamodel.base_models").InputFormat.PDF
    native = importlib.import_module("docling.pipeline.native_pdf_pipeline").NativePdfPipeline
    options = importlib.import_module("docling.datamodel.pipeline_options").NativePdfPipelineOptions(**settings)
    formats = {pdf: converter.PdfFormatOption(pipeline_cls=native, pipeline_options=options)}
    convert = converter.DocumentConverter(allowed_formats=[pdf], format_options=formats).convert
    return lambda file: len(convert(file).document.pages)


READERS: dict[str, Callable[[], Callable[[str], int]]] = {
    "pypdf": pypdf,
    "markitdown": markitdown,
    "docling": docling,
    "docling_text": docling_text,
}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
