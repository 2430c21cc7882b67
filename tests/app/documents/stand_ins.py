"""Stand-ins for the two learned models, and the reading process with them: `python -m tests.app.documents.stand_ins`.

Everything else in it is real. `BELEG_TEST_SLOW` is the seconds each slice of passages takes to embed, so that a test
can kill in the middle of it; a passage that says "POISON" takes the process down with it.
"""

from __future__ import annotations

import hashlib
import os
import time

import numpy as np

from app.documents import worker

DIM = 32


class WordEmbedder:
    """Hashed bags of words: texts that share words are near each other."""

    languages = None
    dim = DIM

    def __init__(self, id: str = "stand-in") -> None:
        self.id = id

    def passages(self, texts):
        time.sleep(float(os.environ.get("BELEG_TEST_SLOW", "0")))
        if any("POISON" in text for text in texts):
            os._exit(139)
        return np.stack([self.question(text) for text in texts])

    def question(self, text):
        vector = np.full(self.dim, 1e-3, np.float32)
        for word in text.lower().split():
            vector[hashlib.md5(word.encode()).digest()[0] % self.dim] += 1
        return vector / np.linalg.norm(vector)


class WordTokenizer:
    def count(self, text):
        return len(text.split())

    def count_chat(self, messages):
        return sum(self.count(message.content) for message in messages)


if __name__ == "__main__":
    worker._load_tokenizer = lambda _settings: WordTokenizer()
    worker._load_embedder = lambda _settings: WordEmbedder(os.environ.get("BELEG_TEST_EMBEDDER", "stand-in"))
    raise SystemExit(worker.main())
