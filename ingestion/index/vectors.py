"""The dense leg: unit vectors in immutable segments on disk, searched exactly with FAISS (flat, inner product).

A segment is two NumPy files: `vectors-<id>.npy`, float32 (rows, dim), and `keys-<id>.npy`, int64 (rows, 2) holding
(content id, ordinal). Sizes are kept geometric (Bentley and Saxe's logarithmic method): n rows lie in O(log n) segments
and each row is rewritten O(log n) times, so that adding a document costs what the document is, not what the index is.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .generation import share
from .types import Keys, Vectors


@dataclass(frozen=True)
class Found:
    """Best first: keys (n, 2) and cosine similarities (n,)."""

    keys: Keys
    similarities: Vectors


NOTHING = Found(np.empty((0, 2), np.int64), np.empty(0, np.float32))


class Segment:
    """A segment, loaded. Immutable, safe to search from several threads."""

    def __init__(self, folder: Path, name: str, dim: int) -> None:
        import faiss

        self.name = name
        self.keys, vectors = read(folder, name)
        if vectors.shape != (len(self.keys), dim):
            raise ValueError(f"vectors-{name}.npy is {vectors.shape}, expected {(len(self.keys), dim)}")
        self._flat = faiss.IndexFlatIP(dim)
        self._flat.add(vectors)
        self._contents, self._content_of_row = np.unique(self.keys[:, 0], return_inverse=True)

    def search(self, vector: Vectors, allowed: NDArray[np.int64], limit: int) -> Found:
        """The nearest of the passages whose content is in `allowed` (sorted); others are never scored."""
        rows = np.isin(self._contents, allowed)[self._content_of_row]
        count = min(int(np.count_nonzero(rows)), limit)
        if count == 0:
            return NOTHING
        similarities, found = self._flat.search(vector[None, :], count, params=_only(rows))
        return Found(self.keys[found[0]], similarities[0])


def search(segments: Sequence[Segment], vector: Vectors, allowed: Collection[int], limit: int) -> Found:
    """The `limit` nearest passages over all segments; ties go to the smaller key."""
    ids = np.unique(np.fromiter(allowed, np.int64, len(allowed)))
    found = [NOTHING, *(segment.search(vector, ids, limit) for segment in segments)]
    keys = np.concatenate([f.keys for f in found])
    similarities = np.concatenate([f.similarities for f in found])
    best = np.lexsort((keys[:, 1], keys[:, 0], -similarities))[:limit]
    return Found(keys[best], similarities[best])


def change(
    before: Path | None, names: Sequence[str], after: Path, gone: Collection[int], rows: tuple[Keys, Vectors]
) -> list[str]:
    """Write into `after` the segments `names` of the folder `before`, without the contents `gone`, with the new rows.
    Untouched segments are shared. Returns the new names, largest segment first."""
    sizes: list[tuple[int, str]] = []
    for name in names:
        assert before is not None
        sizes.append(_without(before, name, after, gone))
    if len(rows[0]):
        sizes.append((len(rows[0]), write(after, *rows)))
    sizes = sorted((s for s in sizes if s[0]), reverse=True)
    while len(sizes) > 1 and sizes[-2][0] < 2 * sizes[-1][0]:
        sizes.append(_merge(after, sizes.pop()[1], sizes.pop()[1]))
        sizes.sort(reverse=True)
    return [name for _, name in sizes]


def read(folder: Path, name: str) -> tuple[Keys, Vectors]:
    """Keys and vectors of a segment; the vectors are mapped, not loaded."""
    keys = np.load(folder / f"keys-{name}.npy", allow_pickle=False)
    return keys, np.load(folder / f"vectors-{name}.npy", mmap_mode="r", allow_pickle=False)


def write(folder: Path, keys: Keys, vectors: Vectors) -> str:
    name = secrets.token_hex(8)
    np.save(folder / f"keys-{name}.npy", np.ascontiguousarray(keys, np.int64), allow_pickle=False)
    np.save(folder / f"vectors-{name}.npy", np.ascontiguousarray(vectors, np.float32), allow_pickle=False)
    return name


def files(name: str) -> tuple[str, str]:
    return f"keys-{name}.npy", f"vectors-{name}.npy"


def _only(rows: NDArray[np.bool_]) -> Any:
    """Search parameters that see these rows only. Given even when it is all of them: without, FAISS starts OpenMP
    threads for a single question, which is far slower on a busy machine."""
    faiss: Any = import_module("faiss")  # its stubs do not know what its Python layer accepts
    return faiss.SearchParameters(sel=faiss.IDSelectorBitmap(np.packbits(rows, bitorder="little")))


def _without(before: Path, name: str, after: Path, gone: Collection[int]) -> tuple[int, str]:
    keys, vectors = read(before, name)
    kept = ~np.isin(keys[:, 0], list(gone))
    if kept.all():
        for file in files(name):
            share(before / file, after / file)
        return len(keys), name
    return int(kept.sum()), write(after, keys[kept], vectors[kept])


def _merge(folder: Path, first: str, second: str) -> tuple[int, str]:
    parts = [read(folder, first), read(folder, second)]
    keys = np.concatenate([keys for keys, _ in parts])
    name = write(folder, keys, np.concatenate([vectors for _, vectors in parts]))
    for file in (*files(first), *files(second)):
        (folder / file).unlink()
    return len(keys), name
