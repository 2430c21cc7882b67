"""AWQ, GPTQ and plain rounding by llmcompressor, in the environment of `requirements/llmcompressor.txt`."""

from __future__ import annotations

from typing import Any

from models.quantize.inside.files import copy_companions, open_to_all
from models.quantize.inside.task import Task, Teller, begin

BITS = 4


def main() -> None:
    task, teller = begin()
    import torch
    from llmcompressor import oneshot
    from transformers import AutoModelForCausalLM

    teller.step("Loading the model", 0, 0, "")
    model = AutoModelForCausalLM.from_pretrained(task.source, dtype="auto")
    torch.manual_seed(0)
    mend_pinning()
    _tell_layers(task, teller)
    oneshot(model=model, recipe=_recipe(task), dataset=_calibration(task), pipeline=_pipeline(task))
    teller.step("Writing the result", 0, 0, "")
    model.save_pretrained(task.out, save_compressed=True)
    copy_companions(task)
    open_to_all(task)
    teller.result()


def mend_pinning() -> None:
    """0.14.0.1 pins what AWQ reads again and again, for faster copies to a GPU; without one torch refuses to, and AWQ
    ended there. Not pinning changes no figure."""
    import torch
    from llmcompressor.pipelines.cache import IntermediatesCache

    if not torch.accelerator.is_available():
        IntermediatesCache.pin_memory = lambda *_, **__: None


def _recipe(task: Task) -> list[Any]:
    """What is done to the layers; the head stays as it is, as everywhere."""
    from llmcompressor.modifiers.gptq import GPTQModifier
    from llmcompressor.modifiers.quantization import QuantizationModifier
    from llmcompressor.modifiers.transform.awq import AWQModifier

    groups = {"config_groups": {"group_0": _scheme(task)}, "ignore": ["lm_head"]}
    if task.method == "gptq":
        return [GPTQModifier(**groups)]
    if task.method == "awq":
        return [AWQModifier(), QuantizationModifier(**groups)]
    return [QuantizationModifier(**groups)]


def _scheme(task: Task) -> dict[str, Any]:
    """4 bits for weights in groups, with a zero point for AWQ (as its authors), without one otherwise."""
    weights = {
        "num_bits": BITS,
        "type": "int",
        "symmetric": task.method != "awq",
        "strategy": "group",
        "group_size": task.group_size,
    }
    return {"targets": ["Linear"], "weights": weights}


def _pipeline(task: Task) -> str:
    return "datafree" if task.method == "rtn" else "sequential"


def _calibration(task: Task) -> Any:
    """Batches of one sequence. Packed text has no padding: every token counts."""
    import torch
    from torch.utils.data import DataLoader

    if task.method == "rtn":
        return None
    batches = [{"input_ids": ids, "attention_mask": torch.ones_like(ids)} for ids in map(_tensor, task.sequences)]
    return DataLoader(batches, batch_size=None)


def _tensor(sequence: tuple[int, ...]) -> Any:
    import torch

    return torch.tensor([sequence])


def _tell_layers(task: Task, teller: Teller) -> None:
    """llmcompressor goes from layer to layer and calls this at the end of each, first for the embedding. Rounding takes
    all layers in one step."""
    from llmcompressor.core import LifecycleCallbacks

    if task.method == "rtn":
        return teller.step("Quantizing", 0, 0, "")
    end, done = LifecycleCallbacks.sequential_epoch_end, -1

    def told(*given: Any, **named: Any) -> Any:
        nonlocal done
        ended = end(*given, **named)
        done += 1
        teller.step("Quantizing", min(done, task.layers), task.layers, "layer")
        return ended

    teller.step("Quantizing", 0, task.layers, "layer")
    LifecycleCallbacks.sequential_epoch_end = told
    return None


if __name__ == "__main__":
    main()
