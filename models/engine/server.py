"""Our own vLLM: started as a process of its own, watched, restarted with growing pauses, stopped cleanly.

    start -> [end leftovers] -> guard -> vLLM -> health -> one generated token -> ready -> watch
                  ^------------- pause, unless it can never work or fails too often -----'

`models/engine/guard.py` ends vLLM when we are gone. Its log is kept in `logs_dir/engine.log`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path

import httpx

from models.engine import leftovers
from models.engine.diagnosis import Diagnosis, diagnose, phase
from models.engine.log import EngineLog
from models.engine.profiles import EngineProfile
from models.types import EngineState, EngineStatus, Replica

START_SECONDS = 1800.0  # a large model from a slow disk, compiled
CANARY_SECONDS = 300.0
SILENT_SECONDS = 60.0  # without a healthy answer, then it is restarted
GRACE_SECONDS = 10.0  # between SIGTERM and SIGKILL
LOOK_EVERY = 0.5
HEALTH_EVERY = 2.0
PAUSES = (1.0, 3.0, 10.0, 30.0, 60.0)  # seconds before the 1st, 2nd, ... restart in a row
WINDOW_SECONDS = 900.0  # more than len(PAUSES) ends within this, and we stop trying


class EngineServer:
    """Starts and supervises one vLLM on 127.0.0.1.

    `port` 0 takes a free one, `key` empty makes a random one; both are fixed from then on. `name` is
    that of its log and of the note about its process.
    `start` returns at once; `status` tells how it is. All methods may be called from any thread.
    """

    def __init__(  # noqa: PLR0917
        self,
        profile: EngineProfile,
        model_dir: Path,
        model_name: str,
        port: int,
        logs_dir: Path,
        run_dir: Path,
        key: str = "",
        *,
        name: str = "engine",
    ) -> None:
        self.name = name
        self.key = key or secrets.token_urlsafe(24)
        self._profile, self._model_dir, self._model = profile, model_dir, model_name
        self._port = port or _free_port()
        self._log = EngineLog(logs_dir / f"{name}.log")
        self._note = run_dir / f"{name}-process.json"
        self._status = EngineStatus("off", time.time(), model_name)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._http = httpx.Client(
            base_url=f"http://127.0.0.1:{self._port}",
            headers={"Authorization": f"Bearer {self.key}"},
            timeout=httpx.Timeout(5.0),
            trust_env=False,
        )

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def status(self) -> EngineStatus:
        return self._status

    def replica(self, *, accepting: bool = True) -> Replica:
        """What others may know of it."""
        arguments = tuple(self._profile.arguments())
        return Replica(
            self.name, self.base_url, self.key, self._status, self._log.path, self._note, arguments, accepting=accepting
        )

    def start(self) -> None:
        """Begin to start; does nothing while it runs or starts. After `failed` it tries anew."""
        if self._thread is not None and self._thread.is_alive():
            if self._status.state != "failed":
                return
            self._thread.join(GRACE_SECONDS)  # it has nothing left to do but to end
        self._stopping.clear()
        self._set("starting", "starting the engine", restarts=0)
        self._thread = threading.Thread(target=self._supervise, name="engine", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the engine and wait until it is gone, at most some twenty seconds."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(GRACE_SECONDS * 2 + 5)
        self._end_guard()
        self._set("off", "")

    # -- supervision ------------------------------------------------------------------------------------------------

    def _supervise(self) -> None:
        try:
            self._keep_running()
        except Exception as error:  # nobody would hear it: the state has to say it
            self._set("failed", f"The engine could not be started: {error}")
        finally:
            self._end_guard()

    def _keep_running(self) -> None:
        ends: deque[float] = deque()
        while not self._stopping.is_set():
            reason, was_ready = self._run_once()
            if self._stopping.is_set():
                return
            ends.append(time.monotonic())
            while ends[0] < time.monotonic() - WINDOW_SECONDS:
                ends.popleft()
            if (reason.permanent and not was_ready) or len(ends) > len(PAUSES):
                return self._set("failed", f"{reason.text} (log: {self._log.path})")
            pause = PAUSES[len(ends) - 1]
            detail = f"{reason.text} Starting it again in {pause:.0f} s."
            self._set("restarting", detail, restarts=self._status.restarts + 1)
            self._stopping.wait(pause)

    def _run_once(self) -> tuple[Diagnosis, bool]:
        """One life of vLLM: why it ended, and whether it had been ready."""
        problem = self._obstacle()
        if problem is not None:
            return problem, False
        self._log.rotate()
        self._spawn()
        try:
            reason = self._until_ready()
            if reason is not None:
                return reason, False
            self._set("ready", "")
            return self._while_ready(), True
        finally:
            self._end_guard()

    def _obstacle(self) -> Diagnosis | None:
        """What would make a start fail in half a minute, seen at once."""
        leftovers.remove(self._note)
        if leftovers.guarded(self._note):
            return Diagnosis("Another Beleg runs an engine on this data folder. Stop it, or set BELEG_DATA_DIR.", True)
        if not _is_free(self._port):
            return Diagnosis(
                f"The engine's port {self._port} is taken by another program. "
                "Set BELEG_ENGINE_PORT to a free one, or to 0.",
                True,
            )
        return None

    def _spawn(self) -> None:
        self._note.parent.mkdir(parents=True, exist_ok=True)
        guard = [sys.executable, "-P", "-m", "models.engine.guard", str(self._note), str(GRACE_SECONDS)]
        with self._log.open() as log:
            self._guard = subprocess.Popen(
                [*guard, *self.command()],
                env=self._environment(),
                stdin=subprocess.PIPE,  # never written to: its end tells the guard that we are gone
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C in our terminal is ours to handle
            )

    def command(self) -> list[str]:
        """vLLM's command line. (The `vllm` script does not work with the CPU package.)"""
        return [
            *(sys.executable, "-P", "-m", "vllm.entrypoints.openai.api_server"),
            f"--model={self._model_dir}",
            f"--served-model-name={self._model}",
            "--host=127.0.0.1",
            f"--port={self._port}",
            *self._profile.arguments(),
        ]

    def _environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if not name.startswith("BELEG_")}
        root = str(Path(__file__).resolve().parent.parent.parent)
        return {**ours, **self._profile.environment(), "VLLM_API_KEY": self.key, "PYTHONPATH": root}

    # -- watching ---------------------------------------------------------------------------------------------------

    def _until_ready(self) -> Diagnosis | None:
        """Waits for health and a first generated token; None when both were seen."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self._stopping.wait(LOOK_EVERY):
                return Diagnosis("stopped")
            ended = self._ended()
            if ended is not None:
                return ended
            self._set_detail(phase(self._log.tail()))
            if self._healthy():
                return self._canary()
        return Diagnosis(f"The engine was not ready after {START_SECONDS / 60:.0f} minutes.")

    def _while_ready(self) -> Diagnosis:
        """Watches a ready engine until it ends or stops answering."""
        healthy = looked = time.monotonic()
        while not self._stopping.wait(LOOK_EVERY):
            ended = self._ended()
            if ended is not None:
                return ended
            if time.monotonic() - looked < HEALTH_EVERY:
                continue
            looked = time.monotonic()
            if self._healthy():
                healthy = looked
            elif looked - healthy > SILENT_SECONDS:
                return Diagnosis(f"The engine gave no sign of life for {SILENT_SECONDS:.0f} s.")
            self._log.limit()
        return Diagnosis("stopped")

    def _ended(self) -> Diagnosis | None:
        code = self._guard.poll() if self._guard is not None else 0
        return None if code is None else diagnose(self._log.tail(), code)

    def _healthy(self) -> bool:
        try:
            return self._http.get("/health").status_code == 200
        except httpx.HTTPError:
            return False

    def _canary(self) -> Diagnosis | None:
        """One token through the whole engine: an API that answers proves no model that does."""
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": "Hi"}],
            "max_tokens": 1,
            "temperature": 0,
        }
        try:
            answer = self._http.post("/v1/chat/completions", json=body, timeout=CANARY_SECONDS)
        except httpx.HTTPError as error:
            return self._ended() or Diagnosis(f"The engine did not generate a first token ({error}).")
        if answer.status_code == 200:
            return None
        return Diagnosis(
            f"The engine refused its first request: {answer.text[:300]}", permanent=answer.status_code < 500
        )

    # -- ending and telling -----------------------------------------------------------------------------------------

    def _end_guard(self) -> None:
        guard, self._guard = self._guard, None
        if guard is None:
            return
        guard.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            guard.wait(GRACE_SECONDS + 5)
        guard.kill()
        guard.wait()
        if guard.stdin is not None:
            guard.stdin.close()
        leftovers.remove(self._note)  # only where the guard itself had to be killed

    def _set(self, state: EngineState, detail: str, restarts: int | None = None) -> None:
        before = self._status
        since = before.since if state == before.state else time.time()
        count = before.restarts if restarts is None else restarts
        self._status = EngineStatus(state, since, self._model, detail, count)

    def _set_detail(self, detail: str) -> None:
        self._set(self._status.state, detail)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # as the engine will: closing connections are no harm
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
