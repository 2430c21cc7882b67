"""The search index over passages: what other packages import. Derived data: it can always be rebuilt.

One process writes (`IndexWriter`), any number search (`Index`). How it lies on the disk: `generation.py`.
"""

from __future__ import annotations

from .fusion import dense_weight
from .inspection import IndexReport, inspect_index
from .reader import Index
from .types import (
    Hit,
    IndexEntry,
    IndexFault,
    IndexLost,
    OtherAnalyser,
    OtherEmbedder,
    Problem,
    Query,
    WriterBusy,
)
from .writer import IndexWriter

__all__ = [
    "Hit",
    "Index",
    "IndexEntry",
    "IndexFault",
    "IndexLost",
    "IndexReport",
    "IndexWriter",
    "OtherAnalyser",
    "OtherEmbedder",
    "Problem",
    "Query",
    "WriterBusy",
    "dense_weight",
    "inspect_index",
]
