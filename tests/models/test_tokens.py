"""Token counts from a model's folder and from an engine. (Equality with the engine: `test_engine_real.py`.)"""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.tokens import EngineTokenizer, load_tokenizer
from models.types import Message


def test_counts_add_up(smollm_folder: Path) -> None:
    tokenizer = load_tokenizer(smollm_folder)
    assert tokenizer.count("") == 0
    short, long = (
        [Message("user", "Hi")],
        [Message("user", "Hi"), Message("assistant", "Hello"), Message("user", "Go on")],
    )
    assert tokenizer.count_chat(long) > tokenizer.count_chat(short) > tokenizer.count("Hi")


def test_torch_is_not_imported(smollm_folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path;"
        "from models.tokens import load_tokenizer; from models.types import Message;"
        f"t = load_tokenizer(Path({str(smollm_folder)!r})); t.count_chat([Message('user', 'Hi')]);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no tokenizer\.json"):
        load_tokenizer(tmp_path)


def test_a_model_without_or_with_a_narrow_template(smollm_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes((smollm_folder / "tokenizer.json").read_bytes())
    with pytest.raises(ValueError, match="instruct model"):
        load_tokenizer(tmp_path).count_chat([Message("user", "Hi")])
    config = {"chat_template": "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}x"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert load_tokenizer(tmp_path).count_chat([Message("user", "Hi")]) == 1
    with pytest.raises(ValueError, match="no system"):
        load_tokenizer(tmp_path).count_chat([Message("system", "Hi")])


def test_a_template_is_not_let_out_of_its_sandbox(smollm_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes((smollm_folder / "tokenizer.json").read_bytes())
    (tmp_path / "chat_template.jinja").write_text("{{ ''.__class__.__mro__[1].__subclasses__() }}")
    with pytest.raises(ValueError, match="refuses"):
        load_tokenizer(tmp_path).count_chat([Message("user", "Hi")])


class Counter(http.server.BaseHTTPRequestHandler):
    """Says 7 to everything, and 500 to "broken"."""

    asked = 0

    def do_POST(self) -> None:
        type(self).asked += 1
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(500 if b"broken" in body else 200)
        self.end_headers()
        self.wfile.write(b'{"count": 7, "tokens": []}')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_an_engine_is_asked_once_for_the_same_text(address: str) -> None:
    tokenizer = EngineTokenizer(address, "m", "key")
    Counter.asked = 0
    assert [tokenizer.count("a"), tokenizer.count("a"), tokenizer.count_chat([Message("user", "a")])] == [7, 7, 7]
    assert Counter.asked == 2
    assert tokenizer.count("") == 0


def test_an_engine_that_does_not_count(address: str) -> None:
    with pytest.raises(ConnectionError, match="does not count tokens"):
        EngineTokenizer(address, "m").count("broken")
    with pytest.raises(ConnectionError):
        EngineTokenizer("http://127.0.0.1:9/v1", "m").count("a")
