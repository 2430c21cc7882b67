"""The command that starts what was recommended."""

from __future__ import annotations

import shlex

from models.planner.advice import Plan
from models.planner.cards import CPU


def serve_command(plan: Plan) -> str:
    """`beleg serve ...` for the recommended layout; empty where nothing fits."""
    layout = plan.chosen
    if layout is None:
        return ""
    wanted, split = plan.wanted, layout.split
    model = shlex.quote(wanted.model.hub or wanted.model.name)
    if wanted.cards[0].name == CPU:
        return f"beleg serve --profile cpu-trial --model {model} --set context_tokens={wanted.serving.context}"
    values = {
        "tensor_parallel": split.tensor if split.tensor > 1 else None,
        "pipeline_parallel": split.pipeline if split.pipeline > 1 else None,
        "replicas": layout.replicas if layout.replicas > 1 else None,
        "p2p": "false" if split.cards > 1 and not wanted.cards[0].p2p else None,
        "kv_cache_dtype": "fp8" if wanted.serving.kv_entry_bytes == 1 else None,
        "context_tokens": wanted.serving.context,
        "batched_tokens": wanted.serving.batched,
        "sequences": wanted.serving.sequences,
        "gpu_memory": wanted.serving.utilization,
    }
    settings = [f"--set {name}={value}" for name, value in values.items() if value is not None]
    return " ".join(["beleg serve --profile nvidia", f"--model {model}", *settings])
