"""NF4 by bitsandbytes, in the environment of `requirements/bitsandbytes.txt`. It looks at weights only."""

from __future__ import annotations

from models.quantize.inside.files import copy_companions, open_to_all
from models.quantize.inside.task import begin


def main() -> None:
    task, teller = begin()
    import torch
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    how = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    teller.step("Quantizing", 0, 0, "")
    model = AutoModelForCausalLM.from_pretrained(
        task.source, dtype="auto", quantization_config=how, device_map=_device()
    )
    teller.step("Writing the result", 0, 0, "")
    model.save_pretrained(task.out)
    copy_companions(task)
    open_to_all(task)
    teller.result()


def _device() -> str:
    import torch

    return "auto" if torch.cuda.is_available() else "cpu"


if __name__ == "__main__":
    main()
