"""AWQ by AutoAWQ, in the environment of `requirements/autoawq.txt`.

On a CPU it needs mending: it keeps the weights it is about to scale with `.cpu()`, which is no copy there, so
that every scale would be applied twice and the model ruined (decision 0044).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from models.quantize.inside.files import copy_companions, older_view, open_to_all, write_config
from models.quantize.inside.task import Task, Teller, begin


def main() -> None:
    task, teller = begin()
    import torch
    from awq import AutoAWQForCausalLM

    mend_cpu_copies()
    teller.step("Loading the model", 0, 0, "")
    view = older_view(task, Path(task.out) / ".original")
    model = AutoAWQForCausalLM.from_pretrained(str(view), torch_dtype=_dtype(), device_map="cpu", safetensors=True)
    _tell_layers(teller)
    model.quantize(None, quant_config=_config(task), calib_data=[list(one) for one in task.sequences], **_plan(task))
    teller.step("Writing the result", 0, 0, "")
    _halve(model.model, torch.float16)
    model.save_quantized(task.out)
    _finish(task, view)
    teller.result()


def mend_cpu_copies() -> None:
    """Makes `.cpu()` on a tensor that is on the CPU already give a real copy, as it does for one on a GPU."""
    import torch

    plain = torch.Tensor.cpu

    def copied(tensor: Any, *given: Any, **named: Any) -> Any:
        moved = plain(tensor, *given, **named)
        return moved.clone() if moved.data_ptr() == tensor.data_ptr() else moved

    torch.Tensor.cpu = copied


def _dtype() -> Any:
    """Half precision is what AutoAWQ is made for; a CPU multiplies it slowly or wrongly."""
    import torch

    return torch.float16 if torch.cuda.is_available() else torch.float32


def _config(task: Task) -> dict[str, Any]:
    return {"zero_point": True, "q_group_size": task.group_size, "w_bit": 4, "version": "GEMM"}


def _plan(task: Task) -> dict[str, Any]:
    return {"max_calib_samples": len(task.sequences), "max_calib_seq_len": len(task.sequences[0])}


def _tell_layers(teller: Teller) -> None:
    from awq.quantize import quantizer

    def told(layers: Any, **_: Any) -> Iterator[Any]:
        return teller.count(layers, "Quantizing", len(layers), "layer")

    quantizer.tqdm = told


def _halve(model: Any, dtype: Any) -> None:
    """Embeddings, norms and head in half precision, as the original has them; packed integers stay."""
    for parameter in model.parameters():
        parameter.data = parameter.data.to(dtype)


def _finish(task: Task, view: Path) -> None:
    import json
    import shutil

    written = json.loads((Path(task.out) / "config.json").read_text("utf-8"))
    write_config(task, written["quantization_config"])
    shutil.rmtree(view)
    copy_companions(task)
    open_to_all(task)


if __name__ == "__main__":
    main()
