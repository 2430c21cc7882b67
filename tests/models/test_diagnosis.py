"""The last errors of the engine's log, as an administrator is shown them."""

from __future__ import annotations

from models.engine.diagnosis import LONGEST_ERROR, last_errors

# as vLLM 0.32 wrote it when its engine core was killed
LOST = """\
(APIServer pid=67) INFO 12-01 14:29:31 [loggers.py:271] Engine 000: Avg prompt throughput: 90.1 tokens/s
(APIServer pid=67) WARNING 12-01 14:29:49 [system_utils.py:255] Found ulimit of 20000
(APIServer pid=67) ERROR 12-01 14:29:50 [async_llm.py:906] AsyncLLM output_handler failed.
(APIServer pid=67) ERROR 12-01 14:29:50 [async_llm.py:906] Traceback (most recent call last):
(APIServer pid=67) ERROR 12-01 14:29:50 [async_llm.py:906]   File "/opt/vllm/v1/engine/async_llm.py", line 849
(APIServer pid=67) ERROR 12-01 14:29:50 [async_llm.py:906]     outputs = await engine_core.get_output_async()
(APIServer pid=67) ERROR 12-01 14:29:50 [async_llm.py:906]               ^^^^^^^^^^^^^^^^^^^^
(APIServer pid=67) ERROR 12-01 14:29:50 [async_llm.py:906] vllm.v1.engine.exceptions.EngineDeadError: EngineCore died.
(EngineCore pid=99) ERROR 12-01 14:29:51 [dump_input.py:72] Dumping input data: prompt='the salary of'
"""


def test_errors_without_their_traces_and_without_what_people_asked() -> None:
    assert last_errors(LOST) == (
        "ERROR 12-01 14:29:50 [async_llm.py:906] AsyncLLM output_handler failed.",
        "ERROR 12-01 14:29:50 [async_llm.py:906] vllm.v1.engine.exceptions.EngineDeadError: EngineCore died.",
    )


def test_an_exception_outside_the_log_counts_too() -> None:
    assert last_errors("Traceback (most recent call last):\n  File x\nValueError: too long\n") == (
        "ValueError: too long",
    )


def test_the_last_few_each_once_and_none_endless() -> None:
    lines = [f"ERROR 12-01 14:29:5{n} [x.py:1] number {n}" for n in range(8)]
    assert last_errors("\n".join(lines + lines[7:] * 3)) == tuple(lines[3:])
    assert len(last_errors("ValueError: " + "x" * 5000)[0]) == LONGEST_ERROR
    assert last_errors("all is well\n") == ()
