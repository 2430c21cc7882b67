"""Entries of real words with vectors made from them (a bag of hashed words), the learned model's stand-in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from ingestion.index.store import IndexEntry
from ingestion.types import Passage

DIM = 16


def vector(text: str, dim: int = DIM) -> np.ndarray:
    """A unit vector: each word adds its own random direction."""
    total = np.full(dim, 1e-3)
    for word in text.lower().split():
        seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest())
        total += np.random.default_rng(seed).standard_normal(dim)
    return (total / np.linalg.norm(total)).astype(np.float32)


def entry(content_id: int, texts: Sequence[str], language: str = "en", dim: int = DIM) -> IndexEntry:
    passages = [Passage(ordinal, text, (), (), len(text.split())) for ordinal, text in enumerate(texts)]
    rows = [vector(text, dim) for text in texts]
    return IndexEntry(content_id, language, passages, np.array(rows, np.float32).reshape(len(texts), dim))
