"""Files from a model hub, fetched by a child process that is stopped when nothing arrives any more.

`python -m models.hub REPOSITORY FOLDER PATTERN...` is the child. Only data is taken: weights as safetensors or GGUF,
configuration, tokenizer and chat template; no pickle and no code.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from models import child
from models.catalogue import BundleError

FOLDER_PATTERNS = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")
NEVER = ("onnx/*", "openvino/*", "original/*", "*.bin", "*.pt", "*.pth", "*.py")
SILENCE = 60.0  # seconds without a byte
ASK_SECONDS = 4.0


def reachable() -> bool:
    """Whether the hub answers at all; asked once, for at most a few seconds (name resolution included)."""
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        return False
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(_answers()), daemon=True)
    thread.start()
    thread.join(ASK_SECONDS)
    return bool(answers) and answers[0]


def _answers() -> bool:
    import httpx
    from huggingface_hub import constants

    try:
        return httpx.head(constants.ENDPOINT, timeout=httpx.Timeout(ASK_SECONDS, connect=2.0)).status_code < 500
    except httpx.HTTPError:
        return False


def fetch(repo: str, patterns: Sequence[str], folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Bring the files of `repo` that match `patterns` into `folder`. What was fetched before is not fetched again.
    Raises BundleError."""
    folder.mkdir(parents=True, exist_ok=True)
    finished = child.run(
        [sys.executable, "-P", "-m", "models.hub", repo, str(folder.resolve()), *patterns],
        env={
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_ETAG_TIMEOUT": "10",
            "HF_HUB_DOWNLOAD_TIMEOUT": "15",
            "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
        },
        folder=folder,
        on_bytes=on_bytes,
        silence=SILENCE,
    )
    if finished.code != 0:
        raise _explain(repo, finished)


def _explain(repo: str, finished: child.Finished) -> BundleError:
    last = (finished.tail.strip().splitlines() or ["it said nothing"])[-1][-300:]
    if "GatedRepo" in finished.tail:
        return BundleError(
            f"{repo} asks you to accept its licence first.",
            "Accept it on the model's page and set HF_TOKEN, or choose another model (BELEG_MODEL).",
        )
    if "RepositoryNotFound" in finished.tail:
        return BundleError(f"The model hub has no {repo} that you may read.", "Check the name, or set HF_TOKEN.")
    if "No space left" in finished.tail:
        return BundleError(f"The disk filled up while {repo} was fetched.", "Free some space and run it again.")
    if finished.stalled:
        return BundleError(
            f"The model hub sent nothing for {SILENCE:.0f} seconds.",
            "Run it again; what has arrived is kept.",
        )
    return BundleError(
        f"{repo} could not be fetched from the model hub: {last}", "Run it again; what has arrived is kept."
    )


def _fetch_here(repo: str, folder: str, patterns: Sequence[str]) -> None:
    from huggingface_hub import snapshot_download

    snapshot_download(repo, local_dir=folder, allow_patterns=list(patterns), ignore_patterns=list(NEVER), max_workers=4)


if __name__ == "__main__":
    _fetch_here(sys.argv[1], sys.argv[2], sys.argv[3:])
