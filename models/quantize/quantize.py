"""A model in 4 bits, from a folder to a folder.

look at the model -> text to sequences -> room? -> environment -> OUT.part: quantize -> compare -> report
                                                                    -> OUT, or OUT.rejected and an error
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from models.quantize import process
from models.quantize.environment import environment
from models.quantize.folder import WorkFolder, beside, work_folder
from models.quantize.inside.task import Task
from models.quantize.linking import read_pins
from models.quantize.report import write
from models.quantize.room import check_disk, check_memory
from models.quantize.shape import Shape, group_size, read_shape
from models.quantize.text import Sequences, sequences
from models.quantize.tools import KITS, SERVING, ToolKit
from models.quantize.types import Comparison, Job, Progress, QuantizeError, Report, Text
from models.quantize.verdict import objections
from models.tokens import FolderTokenizer

Value = TypeVar("Value")
GROUPLESS = ("bitsandbytes",)  # its blocks of 64 are its own affair


@dataclass(frozen=True)
class Plan:
    """A job that was looked at: it can begin."""

    job: Job
    kit: ToolKit
    shape: Shape
    group: int
    sequences: Sequences
    origin: str


def quantize(job: Job, text: Text, tools_dir: Path, progress: Progress) -> Report:
    """Makes `job.out`, whole or not at all, and says how near it is to the original. Raises QuantizeError, also for a
    result that is not near enough: that one is kept as `OUT.rejected` with its report."""
    plan = look(job, text)
    python, environment_seconds = _timed(lambda: environment(plan.kit, tools_dir, progress))
    with work_folder(job.out) as work:
        _, quantize_seconds = _timed(lambda: _run(plan.kit.script, plan, python, work, progress))
        found, compare_seconds = _timed(lambda: _compare(plan, python, work, progress))
        report = replace(
            _report(plan, work, found),
            environment_seconds=environment_seconds,
            quantize_seconds=quantize_seconds,
            compare_seconds=compare_seconds,
        )
        write(report, work.result)
        if report.objections:
            raise _rejected(report, work.reject())
        work.put()
    return report


def look(job: Job, text: Text) -> Plan:
    """Everything that can be refused before anything is fetched or computed. Raises QuantizeError."""
    if job.out.exists():
        raise QuantizeError(
            f"{job.out} exists already and stays as it is.", "Name another folder with --out, or move it away."
        )
    shape = read_shape(job.source)
    group = 0 if job.method in GROUPLESS else group_size(shape, job.gpus, job.group_size)
    parts = sequences(text, job, _encoder(job.source))
    check_memory(shape.weight_bytes)
    check_disk(job.out, shape.quantized_bytes(group or 64), "The result")
    return Plan(job, KITS[job.tool], shape, group, parts, text.origin)


def _encoder(folder: Path) -> Callable[[str], list[int]]:
    try:
        return FolderTokenizer(folder).encode
    except ValueError as error:
        raise QuantizeError(str(error), "Fetch the whole model again.") from error


def _compare(plan: Plan, python: Path, work: WorkFolder, progress: Progress) -> Comparison:
    if not list(work.result.glob("*.safetensors")):
        raise QuantizeError("The tool ended and wrote no weights.", f"Look at {beside(plan.job.out, 'failed.log')}.")
    told = _run("compare", plan, python, work, progress)
    return Comparison(told["original_perplexity"], told["perplexity"], told["agreement"], int(told["positions"]))


def _run(script: str, plan: Plan, python: Path, work: WorkFolder, progress: Progress) -> dict[str, float]:
    job, parts = plan.job, plan.sequences
    task = Task(
        source=str(job.source.resolve()),
        out=str(work.result.resolve()),
        method=job.method,
        tool=job.tool,
        group_size=plan.group,
        layers=plan.shape.layers,
        sequences=parts.held_out if script == "compare" else parts.calibration,
    )
    try:
        return process.run(process.Script(python, script, work.log, work.part / "task.json"), task, progress)
    except QuantizeError as error:
        kept = f"What the tool said is in {beside(job.out, 'failed.log')}."
        raise QuantizeError(error.message, f"{error.hint} {kept}".strip()) from error


def _report(plan: Plan, work: WorkFolder, found: Comparison) -> Report:
    job, parts = plan.job, plan.sequences
    calibrated = job.method in ("awq", "gptq")
    return Report(
        model=job.model,
        method=job.method,
        tool=_tool_version(plan.kit),
        group_size=plan.group,
        bytes_before=_weights(job.source),
        bytes_after=_weights(work.result),
        comparison=found,
        calibration=plan.origin,
        calibration_tokens=parts.calibration_tokens if calibrated else 0,
        held_out_tokens=parts.held_out_tokens,
        environment_seconds=0.0,
        quantize_seconds=0.0,
        compare_seconds=0.0,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        serving=SERVING[job.method],
        objections=objections(found, job.method),
    )


def _rejected(report: Report, place: Path) -> QuantizeError:
    return QuantizeError(
        f"The result was rejected: {'; '.join(report.objections)}.",
        f"It is kept in {place}, with its report. Try another method (awq is the gentlest), more or other text, or a "
        "smaller group (--group-size 32); very small models lose most.",
    )


def _tool_version(kit: ToolKit) -> str:
    version = next(pin.version for pin in read_pins(kit.requirements) if pin.name == kit.name)
    return f"{kit.name} {version}"


def _weights(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def _timed(work: Callable[[], Value]) -> tuple[Value, float]:
    begun = time.monotonic()
    value = work()
    return value, time.monotonic() - begun
