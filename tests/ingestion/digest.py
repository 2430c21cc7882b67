"""Reads files, cuts them and prints a digest of every byte of it: `python -m tests.ingestion.digest FILE...`."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import astuple
from pathlib import Path

from ingestion.chunk import cut
from ingestion.language import detect
from ingestion.reader import PARSERS, read_file, sniff
from ingestion.types import Refused
from ingestion.wire import page_to_json


def digest(path: Path) -> str:
    try:
        if sniff(path, path.name) not in PARSERS:
            return "made new by LibreOffice first"
        parsed = read_file(path, path.name, lambda done, total: None)
    except Refused as refused:
        return refused.code
    passages = cut(parsed, 60, lambda text: len(text.split()))
    language = detect("\n".join(one.text for one in passages))
    notes = [astuple(warning) for warning in parsed.warnings]
    pages = [page_to_json(page) for page in parsed.pages]
    whole = [pages, [astuple(one) for one in passages], language, notes, parsed.title]
    return hashlib.sha256(json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


if __name__ == "__main__":
    print(json.dumps({name: digest(Path(name)) for name in sys.argv[1:]}))
