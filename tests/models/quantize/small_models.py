"""Models for these tests: one of random figures with nothing but heads of files, and a few layers of a real one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]


def hollow_model(folder: Path, matrices: dict[str, tuple[int, int]], **config: Any) -> Path:
    """A folder whose safetensors file has a head and no weights: enough for whoever looks at shapes only."""
    folder.mkdir(parents=True, exist_ok=True)
    head: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    for name, shape in matrices.items():
        head[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [0, 0]}
    data = json.dumps(head).encode()
    (folder / "model.safetensors").write_bytes(len(data).to_bytes(8, "little") + data)
    (folder / "config.json").write_text(json.dumps({"num_hidden_layers": 1, **config}))
    return folder


def llama_8b(folder: Path) -> Path:
    """One layer with the sides of Llama-3.1-8B."""
    layer = {
        "self_attn.q_proj": (4096, 4096),
        "self_attn.k_proj": (1024, 4096),
        "self_attn.v_proj": (1024, 4096),
        "self_attn.o_proj": (4096, 4096),
        "mlp.gate_proj": (14336, 4096),
        "mlp.up_proj": (14336, 4096),
        "mlp.down_proj": (4096, 14336),
    }
    matrices = {f"model.layers.0.{name}.weight": shape for name, shape in layer.items()}
    return hollow_model(folder, {**matrices, "model.embed_tokens.weight": (128256, 4096)})


def few_layers(original: Path, folder: Path, layers: int) -> Path:
    """The first layers of a real model as a model of its own. It no longer writes well; it computes like any other."""
    from safetensors import safe_open
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    kept = {}
    with safe_open(original / "model.safetensors", "pt") as weights:
        for name in weights.keys():  # noqa: SIM118 - it is no dict
            parts = name.split(".")
            if "layers" not in parts or int(parts[parts.index("layers") + 1]) < layers:
                kept[name] = weights.get_tensor(name)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((original / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": layers}))
    for path in original.glob("*"):
        if path.name.startswith(("token", "chat_template", "generation_config")):
            shutil.copyfile(path, folder / path.name)
    return folder


def prose() -> str:
    """Some fifteen thousand tokens of plain English: our own decision records."""
    records = sorted((REPOSITORY / "docs" / "decisions").glob("00*.md"))
    return "\n\n".join(path.read_text("utf-8") for path in records)
