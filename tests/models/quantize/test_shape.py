"""Sizes and group sizes, from the heads of weights' files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.quantize.shape import group_size, read_shape
from models.quantize.types import QuantizeError
from tests.models.quantize.small_models import hollow_model, llama_8b


def test_a_group_of_128_where_it_fits(tmp_path: Path) -> None:
    shape = read_shape(llama_8b(tmp_path))
    assert shape.layers == 1
    assert len(shape.matrices) == 7
    assert shape.other_bytes == 128256 * 4096 * 2
    assert group_size(shape, gpus=1) == group_size(shape, gpus=2) == 128


def test_the_size_in_4_bits_is_that_of_the_planner(tmp_path: Path) -> None:
    """facts: Llama-3.1-8B, 32 layers, group 128, embeddings and head in 16 bits: 5.33 GiB."""
    shape = read_shape(llama_8b(tmp_path))
    layer = shape.quantized_bytes(128) - shape.other_bytes
    assert (32 * layer + 2 * shape.other_bytes) / 2**30 == pytest.approx(5.33, rel=0.01)


@pytest.mark.parametrize(
    ("columns", "gpus", "group"), [(576, 1, 64), (896, 1, 128), (896, 2, 64), (1536, 4, 128), (96, 1, 32)]
)
def test_a_smaller_group_where_128_does_not_divide(tmp_path: Path, columns: int, gpus: int, group: int) -> None:
    folder = hollow_model(tmp_path, {"model.layers.0.mlp.up_proj.weight": (256, columns)})
    assert group_size(read_shape(folder), gpus) == group


def test_a_group_that_does_not_fit_is_refused_with_those_that_do(tmp_path: Path) -> None:
    shape = read_shape(hollow_model(tmp_path, {"model.layers.0.mlp.up_proj.weight": (64, 576)}))
    assert group_size(shape, 1, wanted=32) == 32
    with pytest.raises(QuantizeError) as refused:
        group_size(shape, 1, wanted=128)
    assert "64, 32" in refused.value.hint


def test_sides_that_no_kernel_takes_are_refused(tmp_path: Path) -> None:
    shape = read_shape(hollow_model(tmp_path, {"model.layers.0.mlp.up_proj.weight": (64, 576)}))
    with pytest.raises(QuantizeError, match="cannot be split for 4 card"):
        group_size(shape, 4)


def test_a_model_that_is_quantized_already_is_refused(tmp_path: Path) -> None:
    folder = hollow_model(tmp_path, {"model.layers.0.mlp.up_proj.weight": (64, 64)}, quantization_config={"bits": 4})
    with pytest.raises(QuantizeError, match="quantized already"):
        read_shape(folder)


def test_an_embedder_is_no_language_model(tmp_path: Path) -> None:
    with pytest.raises(QuantizeError, match="no language model's layers"):
        read_shape(hollow_model(tmp_path, {"embeddings.word_embeddings.weight": (64, 64)}))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({}))
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 64)
    with pytest.raises(QuantizeError, match=r"model\.safetensors is damaged"):
        read_shape(tmp_path)
