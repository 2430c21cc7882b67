"""The served model's own tokenizer and chat template, so that a prompt is counted before it is sent, to the token.

The folder's `tokenizer.json` is read with `tokenizers`, its template rendered by the very function of transformers
that vLLM calls; torch is not imported. Where only an engine's address is known, the engine itself is asked.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import httpx

from models.types import Message, Tokenizer

ASK_SECONDS = 30.0
REMEMBERED = 20_000  # texts of the engine's tokenizer
TOKEN_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a served model's folder. Raises ValueError, with what is missing, where it has none."""
    return FolderTokenizer(folder)


class FolderTokenizer:
    """Counts with the files of a model's folder. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer as Fast

        if not (folder / "tokenizer.json").is_file():
            raise ValueError(f"{folder} has no tokenizer.json: choose a model that is published with one.")
        self._fast = Fast.from_file(str(folder / "tokenizer.json"))
        self._fast.no_truncation()
        self._fast.no_padding()
        config = _read_json(folder / "tokenizer_config.json")
        self._special = {name: text for name in TOKEN_NAMES if (text := _token_text(config.get(name)))}
        self._template = _template(folder, config)

    def count(self, text: str) -> int:
        return len(self.encode(text))

    def encode(self, text: str) -> list[int]:
        """The tokens of a bare text, without special tokens."""
        return list(self._fast.encode(text, add_special_tokens=False).ids)

    def count_chat(self, messages: Sequence[Message]) -> int:
        """Raises ValueError where the model has no chat template or its template refuses the messages."""
        return self.count(self.render(messages))

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt as the model gets it, generation prompt included."""
        from transformers.utils.chat_template_utils import render_jinja_template

        if self._template is None:
            raise ValueError("The model has no chat template: choose an instruct model.")
        try:
            rendered, _ = render_jinja_template(
                conversations=[[{"role": message.role, "content": message.content} for message in messages]],
                chat_template=self._template,
                add_generation_prompt=True,
                **self._special,
            )
        except Exception as error:  # the template's own code: any error it likes
            raise ValueError(f"The model's chat template refuses these messages: {error}") from error
        return str(rendered[0])


class EngineTokenizer:
    """Counts by asking a vLLM's `/tokenize`; texts asked for before are remembered. Safe to use from several threads.

    Raises ConnectionError where the engine does not answer. `model` may change while nothing was counted yet.
    """

    def __init__(self, base_url: str, model: str, key: str = "") -> None:
        self.model = model
        self._address = base_url.rstrip("/").removesuffix("/v1") + "/tokenize"
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=ASK_SECONDS, trust_env=False
        )
        self._known: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def count(self, text: str) -> int:
        if not text:
            return 0
        return self._remembered(text, lambda: self._ask({"prompt": text, "add_special_tokens": False}))

    def count_chat(self, messages: Sequence[Message]) -> int:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        key = "\0" + json.dumps(turns)
        return self._remembered(key, lambda: self._ask({"messages": turns, "add_generation_prompt": True}))

    def _remembered(self, key: str, ask: Callable[[], int]) -> int:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        count = ask()
        with self._lock:
            self._known[key] = count
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return count

    def _ask(self, body: dict[str, Any]) -> int:
        try:
            answer = self._http.post(self._address, json={"model": self.model, **body})
            answer.raise_for_status()
            return int(answer.json()["count"])
        except (httpx.HTTPError, KeyError, ValueError, TypeError) as error:
            raise ConnectionError(f"The engine at {self._address} does not count tokens: {error}") from error


def _template(folder: Path, config: dict[str, Any]) -> str | None:
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text()
    found = config.get("chat_template") or _read_json(folder / "chat_template.json").get("chat_template")
    if isinstance(found, list):  # several, by name
        found = next((entry["template"] for entry in found if entry.get("name") == "default"), None)
    return found if isinstance(found, str) else None


def _token_text(token: Any) -> str:
    if isinstance(token, dict):
        return str(token.get("content", ""))
    return token if isinstance(token, str) else ""


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    return data if isinstance(data, dict) else {}
