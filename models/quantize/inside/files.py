"""The files beside the weights: what a served model needs besides them is taken over from the original unchanged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from models.quantize.inside.task import Task

COMPANIONS = (
    "token",
    "special_tokens",
    "vocab",
    "merges",
    "added_tokens",
    "chat_template",
    "generation_config",
    "LICEN",
)
"""How their names begin."""


def copy_companions(task: Task) -> None:
    """Tokenizer, chat template and licence. The tool's own versions of them are replaced."""
    for path in Path(task.source).iterdir():
        if path.is_file() and path.name.startswith(COMPANIONS):
            shutil.copyfile(path, Path(task.out) / path.name)


def open_to_all(task: Task) -> None:
    """safetensors writes 0600; a model folder is shared with whoever serves it."""
    for path in Path(task.out).iterdir():
        path.chmod(0o644)


def older_view(task: Task, folder: Path) -> Path:
    """The original as transformers 4 reads it: weights linked, config.json with `rope_theta` and `torch_dtype` where it
    looks for them. Without the first it falls back to 10,000 in silence."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in Path(task.source).iterdir():
        if path.name != "config.json":
            (folder / path.name).symlink_to(path)
    (folder / "config.json").write_text(json.dumps(older_config(_config(Path(task.source)))), "utf-8")
    return folder


def older_config(config: dict[str, Any]) -> dict[str, Any]:
    """What transformers 5 writes, in the words of transformers 4."""
    older = {**config, "torch_dtype": config.get("torch_dtype") or config.get("dtype")}
    rope = config.get("rope_parameters") or {}
    if "rope_theta" in rope:
        older.setdefault("rope_theta", rope["rope_theta"])
    if rope.get("rope_type", "default") != "default":
        older.setdefault("rope_scaling", {name: value for name, value in rope.items() if name != "rope_theta"})
    return older


def write_config(task: Task, quantization: dict[str, Any]) -> None:
    """The original's configuration with how it was quantized, so that nothing of it is lost on the way through an older
    transformers."""
    config = {**_config(Path(task.source)), "quantization_config": quantization}
    (Path(task.out) / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")


def _config(folder: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
    return config
