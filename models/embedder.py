"""Text to unit vectors, from a local folder only: with sentence-transformers (torch is imported when one is loaded), or
with the universal sentence encoder.

On processors that multiply bfloat16 the weights are kept in it: 1.6 times the passages a second, and vectors within a
cosine of 0.998 of the full ones (`docs/decisions/`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models import universal_encoder
from models.bundle_folder import source_of, weights_digest
from models.catalogue import BUNDLES
from models.processor import multiplies_bfloat16
from models.types import Embedder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BATCH = 32  # passages at once: a fifth less processor time than 8 with the weights in bfloat16; 64 is slower again
SLICE = 256  # passages between two looks at the lock, so that a question waits for a moment only


def load_embedder(folder: Path, *, languages: frozenset[str] | None = None, threads: int | None = None) -> Embedder:
    """The embedding model in `folder`.

    `languages` None takes what is known of the bundle, and any for a model nobody knows. `threads` bounds torch's or
    NumPy's in this whole process. Raises ValueError where the folder is no such model.
    """
    name, spoken = f"{folder.name}@{weights_digest(folder)}", languages or _languages(folder)
    if universal_encoder.is_one(folder):
        return universal_encoder.UniversalEncoder(folder, name, spoken, threads)
    return SentenceEmbedder(_sentence_transformer(folder, threads), name, spoken)


def _sentence_transformer(folder: Path, threads: int | None) -> SentenceTransformer:
    for name in ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # it would write into whatever the console shows
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        return SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            model_kwargs={"dtype": torch.bfloat16 if multiplies_bfloat16() else torch.float32},
        )
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{folder} is no embedding model: {error}") from error


class SentenceEmbedder:
    """Implements `models.types.Embedder`. Safe to use from several threads: calls take turns, and questions that wait
    for their turn together are read together, which takes little longer than reading one."""

    def __init__(self, model: SentenceTransformer, name: str, languages: frozenset[str] | None) -> None:
        self._model, self._lock = model, Lock()
        self._waiting: deque[_Asked] = deque()
        self.id, self.languages = name, languages
        self.dim = int(model.get_embedding_dimension() or 0)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dim). Longer texts than the model reads are cut at its limit."""
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))  # little padding in any batch
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(order), SLICE):
            chosen = order[start : start + SLICE]
            vectors[chosen] = self._encode([texts[number] for number in chosen], "document")
        return vectors

    def question(self, text: str) -> NDArray[np.float32]:
        """A unit vector, shape (dim,)."""
        mine = _Asked(text)
        self._waiting.append(mine)
        with self._lock:
            if mine.vector is None:  # else whoever had the turn before has read it, too
                asked = [self._waiting.popleft() for _ in range(len(self._waiting))]
                asked = [one for one in asked if one is not mine]
                vectors = self._encode_now([text, *(one.text for one in asked)], "query")
                for one, vector in zip((mine, *asked), vectors, strict=True):
                    one.vector = vector
        assert mine.vector is not None
        return mine.vector

    def _encode(self, texts: list[str], task: str) -> NDArray[np.float32]:
        with self._lock:
            return self._encode_now(texts, task)

    def _encode_now(self, texts: list[str], task: str) -> NDArray[np.float32]:
        encode = self._model.encode_query if task == "query" else self._model.encode_document
        raw = encode(texts, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)
        vectors: NDArray[np.float32] = np.asarray(raw, np.float32)  # bfloat16 leaves them a little off length 1
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors


@dataclass(eq=False)
class _Asked:
    """A question that waits for its vector."""

    text: str
    vector: NDArray[np.float32] | None = None


def _languages(folder: Path) -> frozenset[str] | None:
    source = source_of(folder)
    known = (bundle for bundle in BUNDLES.values() if bundle.languages and bundle.sha256 == source)
    return next((frozenset(bundle.languages) for bundle in known), None)
