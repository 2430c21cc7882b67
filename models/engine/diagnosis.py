"""vLLM's log, put into words for a person: how far a start has come, and why one failed and what to do about it."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

LONGEST_ERROR = 300  # characters of an error that are shown

PHASES = (
    ("Application startup complete", "trying a first word"),
    ("KV cache size", "warming up"),
    ("torch.compile takes", "warming up"),
    ("Warming up model for the compilation", "compiling"),
    ("Loading weights took", "preparing memory"),
    ("Starting to load model", "loading the model's weights"),
    ("Resolved architecture", "starting the engine's processes"),
)


@dataclass(frozen=True)
class Diagnosis:
    """Why an engine ended: `text` says it and what to do. `permanent`: starting it again as it is cannot help."""

    text: str
    permanent: bool = False


CAUSES: tuple[tuple[str, Diagnosis], ...] = (
    (
        r"No module named '?vllm'?",
        Diagnosis("vLLM is not installed in this Python. Run `make run` again, it installs it.", True),
    ),
    (
        r"Address already in use|Errno 98\]",
        Diagnosis("The engine's port is taken by another program. Set BELEG_ENGINE_PORT to a free one, or to 0.", True),
    ),
    (
        r"unrecognized arguments|error: argument --",
        Diagnosis("vLLM does not know one of its arguments. Correct BELEG_ENGINE_ARGS.", True),
    ),
    (
        r"max_model_len \(\d+\) is greater than|greater than the derived max_model_len",
        Diagnosis("The model's context is shorter than asked for. Lower BELEG_CONTEXT_TOKENS.", True),
    ),
    (
        r"KV cache is needed, which is larger|No available memory for the cache blocks|KV cache.{0,80}too small",
        Diagnosis(
            "There is too little KV cache for one prompt. Raise BELEG_KV_CACHE_GIB or lower BELEG_CONTEXT_TOKENS.",
            True,
        ),
    ),
    (
        r"Free memory on device .* is less than desired",
        Diagnosis("Other programs hold the GPU's memory. Stop them, or lower --gpu-memory-utilization.", True),
    ),
    (
        r"OutOfMemoryError|out of memory|can't allocate memory|Cannot allocate memory|MemoryError",
        Diagnosis(
            "The engine ran out of memory. Close other programs, lower BELEG_KV_CACHE_GIB or choose a "
            "smaller BELEG_MODEL."
        ),
    ),
    (
        r"driver version is insufficient|driver on your system is too old|no kernel image is available",
        Diagnosis("The NVIDIA driver is too old for this vLLM. Install a newer one and restart the machine.", True),
    ),
    (
        r"[Mm]odel architectures? .{0,200}not supported|does not recognize this architecture",
        Diagnosis("This vLLM cannot serve a model of this kind. Choose another BELEG_MODEL.", True),
    ),
    (
        r"No such file or directory: '[^']*\.safetensors|Error while deserializing header|find any model weights",
        Diagnosis("The model's folder is damaged. Delete it and start again; it is fetched anew.", True),
    ),
    (r"No space left on device", Diagnosis("The disk is full. Free some space.")),
)


def phase(log_tail: str) -> str:
    """How far a start has come, in words."""
    places = [(log_tail.rfind(mark), words) for mark, words in PHASES if mark in log_tail]
    return max(places)[1] if places else "starting the engine"


def diagnose(log_tail: str, code: int) -> Diagnosis:
    """Why the engine ended with exit `code` (above 128: the signal that ended it, plus 128)."""
    for pattern, diagnosis in CAUSES:
        if re.search(pattern, log_tail):
            return diagnosis
    if code == 128 + signal.SIGILL or "Illegal instruction" in log_tail:
        return Diagnosis("This processor lacks instructions vLLM needs (AVX2 at least).", True)
    error = _last_error(log_tail)
    if code in {128 + signal.SIGKILL, -signal.SIGKILL} or (not error and _lost_a_process(log_tail)):
        return Diagnosis(
            "The engine was killed, most likely because memory ran out. Close other programs, lower "
            "BELEG_KV_CACHE_GIB or choose a smaller BELEG_MODEL."
        )
    return Diagnosis(f"The engine ended by itself (exit code {code}{error}).")


def last_errors(log_tail: str, most: int = 5) -> tuple[str, ...]:
    """The last lines that report an error, oldest first, with their times, without traces, repetitions and dumps of
    what was being computed (those hold people's prompts)."""
    begins = r"^(?:\(\w+ pid=\d+\) )?((?:ERROR|CRITICAL) .+|(?:\w+\.)*\w*(?:Error|Exception): .+)$"
    trace = re.compile(r"\] (?:\s|Traceback|During handling|The above exception)|\]\s*$|dump_input")
    lines = (line[:LONGEST_ERROR] for line in re.findall(begins, log_tail, re.MULTILINE) if not trace.search(line))
    return tuple(list(dict.fromkeys(lines))[-most:])


def _lost_a_process(log_tail: str) -> bool:
    return any(sign in log_tail for sign in ("died unexpectedly", "EngineDeadError", "Executor failed."))


def _last_error(log_tail: str) -> str:
    """The last exception printed, without those that only say that another process is gone."""
    line = r"^(?:\(\w+ pid=\d+\) )?(?:ERROR .*?\] )?((?:\w+\.)*\w*(?:Error|Exception): .+)$"
    errors = [text for text in re.findall(line, log_tail, re.MULTILINE) if not _lost_a_process(text)]
    return f": {errors[-1][:200]}" if errors else ""
