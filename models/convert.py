"""GGUF file to a folder vLLM serves, in a child process so that its memory goes back to the machine.

`python -m models.convert FILE FOLDER` is the child. The weights are dequantized to bfloat16: vLLM's core reads GGUF
no longer; the engine computes in what the processor is fast at.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path

from models import child
from models.catalogue import BundleError

SILENCE = 900.0  # seconds; reading a large file prints nothing for a while


def convert(gguf: Path, folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Write `gguf` as safetensors, tokenizer and chat template into the new `folder`. Raises BundleError."""
    with gguf.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BundleError(f"{gguf.name} is no GGUF file.", "Name a .gguf file or a folder with safetensors.")
    folder.mkdir(parents=True)
    finished = child.run(
        [sys.executable, "-P", "-m", "models.convert", str(gguf.resolve()), str(folder.resolve())],
        env={
            "HF_HUB_OFFLINE": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
        },
        folder=folder,
        on_bytes=on_bytes,
        silence=SILENCE,
    )
    if finished.code != 0:
        raise _explain(gguf, finished)


def _explain(gguf: Path, finished: child.Finished) -> BundleError:
    last = (finished.tail.strip().splitlines() or ["it printed nothing"])[-1][-300:]
    if finished.stalled:
        return BundleError(
            f"Converting {gguf.name} made no progress for {SILENCE / 60:.0f} minutes and was stopped.",
            "Close other programs and run it again.",
        )
    if finished.code == -signal.SIGKILL or "MemoryError" in last:
        return BundleError(
            f"Converting {gguf.name} ran out of memory.",
            "Close other programs, or choose a smaller model (BELEG_MODEL), and run it again.",
        )
    if "No space left" in finished.tail:
        return BundleError(f"The disk filled up while {gguf.name} was converted.", "Free some space and run it again.")
    return BundleError(
        f"{gguf.name} could not be converted: {last}",
        "It may be of a kind that transformers cannot read; choose another model (BELEG_MODEL).",
    )


def _convert_here(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(gguf_file=gguf.name, dequantize=True),
    )
    if getattr(model.config, "quantization_config", None) is not None:
        del model.config.quantization_config  # the weights are plain now
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)
    for path in folder.iterdir():
        path.chmod(0o644)  # safetensors writes 0600; a shared model folder must be readable


if __name__ == "__main__":
    _convert_here(Path(sys.argv[1]), Path(sys.argv[2]))
