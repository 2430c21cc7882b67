"""An engine that only tells figures: vLLM's `/metrics` and `/v1/models` over real HTTP, with numbers a test chooses."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from models.types import EngineState, EngineStatus, Replica

KEY = "the-engines-own-key"


@dataclass
class Numbers:
    """What the engine has counted, and how it is; written as vLLM 0.32 does."""

    running: float = 0
    waiting: float = 0
    kv_used: float = 0.0
    queries: float = 0
    hits: float = 0
    prompt: float = 0
    cached: float = 0
    generated: float = 0
    preempted: float = 0
    first_tokens: tuple[float, float] = (0.0, 0)
    queued: tuple[float, float] = (0.0, 0)

    def text(self) -> str:
        label = 'engine="0",model_name="small"'
        counters = {
            "prefix_cache_queries": self.queries, "prefix_cache_hits": self.hits, "prompt_tokens": self.prompt,
            "prompt_tokens_cached": self.cached, "generation_tokens": self.generated, "num_preemptions": self.preempted,
        }  # fmt: skip
        gauges = {
            "num_requests_running": self.running,
            "num_requests_waiting": self.waiting,
            "kv_cache_usage_perc": self.kv_used,
        }
        histograms = {"time_to_first_token_seconds": self.first_tokens, "request_queue_time_seconds": self.queued}
        lines = ["# HELP python_info Python platform information", "# TYPE python_info gauge", "python_info 1.0"]
        for name, value in gauges.items():
            lines += [f"# HELP vllm:{name} About {name}.", f"# TYPE vllm:{name} gauge"]
            lines += [f"vllm:{name}{{{label}}} {value}"]
        for name, value in counters.items():
            lines += [f"# HELP vllm:{name}_total About {name}.", f"# TYPE vllm:{name}_total counter"]
            lines += [f"vllm:{name}_total{{{label}}} {value}"]
        for name, (seconds, count) in histograms.items():
            lines += [f"# HELP vllm:{name} About {name}.", f"# TYPE vllm:{name} histogram"]
            lines += [f'vllm:{name}_bucket{{{label},le="{edge}"}} {count}' for edge in ("0.1", "1.0", "+Inf")]
            lines += [f"vllm:{name}_count{{{label}}} {count}", f"vllm:{name}_sum{{{label}}} {seconds}"]
        lines += ["# HELP vllm:request_success_total Ended.", "# TYPE vllm:request_success_total counter"]
        lines += [
            f'vllm:request_success_total{{{label},finished_reason="{reason}"}} 3.0' for reason in ("stop", "abort")
        ]
        lines += ["# HELP vllm:cache_config_info Cache.", "# TYPE vllm:cache_config_info gauge"]
        lines += ['vllm:cache_config_info{block_size="32",engine="0",num_gpu_blocks="1000"} 1.0']
        return "\n".join(lines) + "\n"


@dataclass
class StandIn:
    """`silent` makes it wait with an answer, `broken` answer with nonsense; `keys` are the keys it was asked with."""

    url: str
    numbers: Numbers = field(default_factory=Numbers)
    silent: threading.Event = field(default_factory=threading.Event)
    broken: bool = False
    asked: int = 0
    keys: set[str] = field(default_factory=set)
    since: float = field(default_factory=lambda: time.time() - 600)

    def replica(
        self, name: str = "engine", state: EngineState = "ready", *, since: float = 0.0, log: Path | None = None
    ) -> Replica:
        status = EngineStatus(state, since or self.since, "small")
        return Replica(name, f"{self.url}/v1", KEY, status, log, arguments=("--max-model-len=8192",))


@contextmanager
def stand_in() -> Iterator[StandIn]:
    """One that listens until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    engine = StandIn(f"http://127.0.0.1:{server.server_address[1]}")
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one piece: two would wait for each other

        def do_GET(self) -> None:
            engine.asked += 1
            engine.keys.add(self.headers.get("authorization", ""))
            if engine.silent.is_set():
                ended.wait(10)
            models = '{"data": [{"id": "small", "max_model_len": 8192}]}'
            text = models if self.path == "/v1/models" else "{" if engine.broken else engine.numbers.text()
            body = text.encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server.RequestHandlerClass = Handler
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield engine
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
