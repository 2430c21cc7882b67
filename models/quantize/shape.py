"""What a model's folder holds, read from the heads of its weights' files: layers, sizes, and which group size fits.

Safetensors: eight bytes of length, then JSON with type, shape and place of every tensor; no weight is loaded.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.quantize.types import QuantizeError

GROUPS = (128, 64, 32)  # what vLLM's kernels take; a group's scale weighs 2 bytes, so larger is smaller
MULTIPLE = 32  # rows and columns of a 4-bit matrix, for vLLM on a CPU
HEAD_LIMIT = 100 << 20
BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "F8_E4M3": 1}
IN_A_LAYER = re.compile(r"\blayers\.\d+\..*\.weight$")


@dataclass(frozen=True)
class Matrix:
    """A linear layer's weights: they give `rows` figures from `columns`."""

    rows: int
    columns: int
    bytes: int


@dataclass(frozen=True)
class Shape:
    """A model: its number of layers, the matrices in them, and the bytes of the rest (embeddings, norms, head)."""

    layers: int
    matrices: tuple[Matrix, ...]
    other_bytes: int

    @property
    def weight_bytes(self) -> int:
        return sum(matrix.bytes for matrix in self.matrices) + self.other_bytes

    def quantized_bytes(self, group: int) -> int:
        """Bytes in 4 bits: half a byte a weight; for each group a scale of 2 bytes and a zero point of half a byte."""
        weights = sum(matrix.rows * matrix.columns for matrix in self.matrices)
        return self.other_bytes + weights // 2 + math.ceil(weights * 2.5 / group)


def read_shape(folder: Path) -> Shape:
    """Raises QuantizeError for a folder that holds no model to quantize."""
    config = _config(folder)
    tensors = [tensor for file in sorted(folder.glob("*.safetensors")) for tensor in _head(file).items()]
    matrices = tuple(
        Matrix(entry["shape"][0], entry["shape"][1], _bytes(entry))
        for name, entry in tensors
        if IN_A_LAYER.search(name) and len(entry["shape"]) == 2
    )
    if not matrices:
        raise QuantizeError(f"{folder} has no language model's layers.", "Choose a language model, as for BELEG_MODEL.")
    total = sum(_bytes(entry) for _, entry in tensors)
    layers = int(config.get("num_hidden_layers") or 0)
    return Shape(layers, matrices, total - sum(matrix.bytes for matrix in matrices))


def group_size(shape: Shape, gpus: int, wanted: int = 0) -> int:
    """The largest of GROUPS that divides every matrix's columns, also when they are split over `gpus` cards (tensor
    parallel); or `wanted`, if it does. Raises QuantizeError where none does."""
    columns = {matrix.columns for matrix in shape.matrices}
    if any(side % (MULTIPLE * gpus) for matrix in shape.matrices for side in (matrix.rows, matrix.columns)):
        raise QuantizeError(
            f"This model's matrices cannot be split for {gpus} card(s): their sides are no multiples of "
            f"{MULTIPLE * gpus}, which 4-bit kernels want.",
            "Ask for fewer cards (--gpus), or choose another model.",
        )
    fitting = [group for group in GROUPS if all(one % (group * gpus) == 0 for one in columns)]
    if wanted and wanted not in fitting:
        raise QuantizeError(
            f"A group of {wanted} does not divide this model's matrices.",
            f"Group sizes that do: {', '.join(map(str, fitting))}; or leave --group-size away.",
        )
    return wanted or fitting[0]


def _config(folder: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise QuantizeError(f"{folder} has no readable config.json: {error}", "Fetch the whole model again.") from error
    if "quantization_config" in config:
        raise QuantizeError(
            f"{folder} is quantized already.", "Name the original model: quantizing twice loses quality twice."
        )
    return config


def _head(file: Path) -> dict[str, dict[str, Any]]:
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if length > HEAD_LIMIT:
                raise ValueError("its head is too long")
            head = json.loads(stream.read(length))
        return {name: entry for name, entry in head.items() if name != "__metadata__"}
    except (OSError, ValueError) as error:
        raise QuantizeError(f"{file} is damaged: {error}", "Fetch the model again.") from error


def _bytes(entry: dict[str, Any]) -> int:
    return int(math.prod(entry["shape"])) * BYTES.get(entry["dtype"], 1)
