"""The scripts that run inside a tool's environment, as far as they can be tried without it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from models.quantize.inside import by_autoawq
from models.quantize.inside.files import copy_companions, older_config, older_view, write_config
from models.quantize.inside.task import Task
from tests.models.quantize.small_models import REPOSITORY

INSIDE = sorted((REPOSITORY / "models" / "quantize" / "inside").glob("*.py"))
THEIRS = {"awq", "llmcompressor", "safetensors", "torch", "transformers"}


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: path.stem)
def test_they_import_nothing_of_ours_but_each_other(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.split(".")[0]
            assert top in THEIRS | sys.stdlib_module_names or name.startswith("models.quantize.inside."), name


def test_rope_theta_stands_where_an_older_transformers_looks_for_it() -> None:
    older = older_config({"dtype": "bfloat16", "rope_parameters": {"rope_theta": 1e5, "rope_type": "default"}})
    assert (older["rope_theta"], older["torch_dtype"]) == (1e5, "bfloat16")
    assert "rope_scaling" not in older
    scaled = {"rope_theta": 5e5, "rope_type": "llama3", "factor": 8.0}
    assert older_config({"rope_parameters": scaled})["rope_scaling"] == {"rope_type": "llama3", "factor": 8.0}
    assert older_config({"rope_theta": 7.0})["rope_theta"] == 7.0


def test_tokenizer_and_template_come_along_unchanged(tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    out.mkdir()
    for name in ("tokenizer.json", "chat_template.jinja", "LICENSE", "model.safetensors", "beleg-bundle.json"):
        (source / name).write_text(f"original {name}")
    (source / "config.json").write_text(json.dumps({"rope_parameters": {"rope_theta": 1e5}, "extra": 1}))
    (out / "tokenizer.json").write_text("the tool's own")
    task = Task(str(source), str(out), "awq", "autoawq", 64, 2, ())
    copy_companions(task)
    write_config(task, {"quant_method": "awq"})
    assert {path.name for path in out.iterdir()} == {"tokenizer.json", "chat_template.jinja", "LICENSE", "config.json"}
    assert (out / "tokenizer.json").read_text() == "original tokenizer.json"
    written = json.loads((out / "config.json").read_text())
    assert written["quantization_config"] == {"quant_method": "awq"}
    assert written["extra"] == 1
    view = older_view(task, tmp_path / "view")
    assert json.loads((view / "config.json").read_text())["rope_theta"] == 1e5
    assert (view / "model.safetensors").read_text() == "original model.safetensors"


def test_on_a_cpu_autoawq_keeps_real_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ruins models: AutoAWQ keeps `weight.cpu()`, scales the weight, and puts the kept one back."""
    import torch

    weight = torch.ones(3)
    kept = weight.cpu()
    weight.mul_(2)
    assert torch.equal(kept, weight), "without mending it is the same tensor"
    monkeypatch.setattr(torch.Tensor, "cpu", torch.Tensor.cpu)
    by_autoawq.mend_cpu_copies()
    kept = weight.cpu()
    weight.mul_(2)
    assert kept.tolist() == [2, 2, 2]


def test_a_script_tells_through_its_own_channel_and_ends_with_its_parent(tmp_path: Path) -> None:
    Task("s", "o", "rtn", "llmcompressor", 64, 2, ((1,),)).write(tmp_path / "task.json")
    code = (
        "from models.quantize.inside.task import begin\n"
        "task, teller = begin()\n"
        "print('a package prints')\n"
        "list(teller.count('ab', 'Reading', 2, 'sequence'))\n"
        "teller.result(layers=task.layers)\n"
        "import time; time.sleep(600)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", code, str(tmp_path / "task.json")],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stderr
    lines = [json.loads(process.stdout.readline()) for _ in range(4)]
    assert process.stderr.readline() == "a package prints\n"
    said, _ = process.communicate(timeout=60)  # closes its stdin, as our end would
    assert (process.returncode, said) == (3, "")
    assert [line["done"] for line in lines[:3]] == [0, 1, 2]
    assert lines[3] == {"result": {"layers": 2}}
