"""Original and result on the same held-out text: perplexity of both, and how often they find the same token likeliest.

Runs in the environment of the tool that wrote the result, since that is what surely reads it.
"""

from __future__ import annotations

import gc
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.quantize.inside.files import older_view
from models.quantize.inside.task import Task, Teller, begin


@dataclass(frozen=True)
class Reading:
    """`loss`: the sum of `count` negative log-likelihoods of next tokens; `likeliest`: one tensor for each sequence."""

    loss: float
    count: int
    likeliest: list[Any]

    @property
    def perplexity(self) -> float:
        return math.exp(min(self.loss / self.count, 700.0))


def main() -> None:
    task, teller = begin()
    original = _read_with(_original(task), task, teller, "Reading with the original")
    result = _read_with(_result(task), task, teller, "Reading with the result")
    pairs = zip(original.likeliest, result.likeliest, strict=True)
    same = sum(int((one == other).sum()) for one, other in pairs)
    positions = sum(one.numel() for one in original.likeliest)
    teller.result(
        original_perplexity=original.perplexity,
        perplexity=result.perplexity,
        agreement=same / positions,
        positions=positions,
    )


def _read_with(model: Any, task: Task, teller: Teller, name: str) -> Reading:
    import torch

    loss, count, likeliest = 0.0, 0, []
    with torch.inference_mode():
        for sequence in teller.count(task.sequences, name, len(task.sequences), "sequence"):
            ids = torch.tensor([sequence], device=model.device)
            logits = model(ids, use_cache=False).logits[0].float()
            loss += float(torch.nn.functional.cross_entropy(logits[:-1], ids[0, 1:], reduction="sum"))
            count += len(sequence) - 1
            likeliest.append(logits.argmax(-1).cpu())
    del model
    gc.collect()
    return Reading(loss, count, likeliest)


def _original(task: Task) -> Any:
    return _load(str(older_view(task, _view(task)))) if task.tool == "autoawq" else _load(task.source)


def _result(task: Task) -> Any:
    if task.tool != "autoawq":
        return _load(task.out)
    model = _load(str(_view(task)))
    _put_in(model, Path(task.out), task.group_size)
    return model


def _view(task: Task) -> Path:
    return Path(task.out).parent / "older-view"


def _load(folder: str) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    device = "auto" if torch.cuda.is_available() else None
    model = AutoModelForCausalLM.from_pretrained(folder, torch_dtype="auto", device_map=device)
    return model.eval()


def _put_in(model: Any, folder: Path, group: int) -> None:
    """AutoAWQ's packed weights, unpacked by its own code, in place of the original's. Its layers could be run as they
    are, but on a CPU they unpack at every step, in half precision."""
    import torch
    from awq.utils.packing_utils import dequantize_gemm
    from safetensors.torch import load_file

    saved = {name: tensor for file in folder.glob("*.safetensors") for name, tensor in load_file(file).items()}
    for name in [name for name in saved if name.endswith(".qweight")]:
        stem = name.removesuffix(".qweight")
        packed = (saved.pop(f"{stem}.{part}") for part in ("qweight", "qzeros", "scales"))
        saved[f"{stem}.weight"] = dequantize_gemm(*packed, 4, group).t().to(torch.float32)
    missing = model.load_state_dict(saved, strict=False).missing_keys
    if set(missing) - {"lm_head.weight"}:  # the head may be the embedding
        raise ValueError(f"the result lacks {', '.join(sorted(missing)[:5])}")


if __name__ == "__main__":
    main()
