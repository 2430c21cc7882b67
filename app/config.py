"""Settings: read once from the environment (`BELEG_...`) or a `.env` file, each described where it is defined.

The table in the README is made from this class and a test holds the two together.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """All settings. Names in the environment are these in capitals with `BELEG_` before them."""

    model_config = SettingsConfigDict(env_prefix="BELEG_", env_file=ROOT / ".env", extra="ignore", frozen=True)

    data_dir: Path = Field(default=ROOT / "data", description="Where everything is kept: database, files, index, logs.")
    models_dir: Path = Field(
        default=Path.home() / ".cache" / "beleg" / "models",
        description="Where model bundles are kept; several set-ups share it.",
    )
    host: str = Field(default="127.0.0.1", description="Address the pages are served on.")
    port: int = Field(default=8321, ge=1, le=65535, description="Port the pages are served on.")
    public_url: str = Field(
        default="", description="Address people type, when a proxy stands in front; empty: made from host and port."
    )
    secure_cookies: bool = Field(
        default=False, description="Send the session cookie over HTTPS only; set it behind a TLS proxy."
    )

    model: str = Field(
        default="qwen2.5-coder-1.5b",
        description="Language model: a bundle's name, a hub id (`org/name`) or a local folder.",
    )
    embedder: str = Field(
        default="all-minilm-l6-v2",
        description="Embedding model: a bundle's name (`all-minilm-l6-v2` knows English, `use-multilingual-v3` 15 "
        "languages), a hub id or a local sentence-transformers folder. The index is rebuilt when it changes.",
    )
    engine_url: str = Field(
        default="",
        description="Address of a running vLLM (`http://host:8000/v1`), several separated by commas; "
        "empty: start our own.",
    )
    engine_profile: str = Field(
        default="",
        description="How our own engine is started: a shipped profile's name (`beleg serve --profiles`) or a TOML "
        "file; empty: chosen by what the machine has.",
    )
    engine_key: str = Field(default="", description="Key the engine asks for, if any.", repr=False)
    engine_port: int = Field(
        default=0, ge=0, le=65535, description="Port of our own engine on 127.0.0.1; 0 takes a free one."
    )
    engine_args: str = Field(default="", description="More arguments for our own vLLM, as on its command line.")
    engine_threads: str = Field(
        default="", description="Cores our own engine computes on when on a CPU, like `0-1`; empty: all."
    )
    context_tokens: int = Field(
        default=8192, ge=1024, description="Longest prompt and answer together, in tokens of the served model."
    )
    kv_cache_gib: float = Field(
        default=2.0, gt=0, description="Memory for the KV cache of our own engine on a CPU, in GiB."
    )

    passage_tokens: int = Field(
        default=160, ge=32, description="Size a passage is cut to, in tokens of the served model."
    )
    prompt_passages: int = Field(default=4, ge=1, description="How many passages a question is answered from.")
    answer_tokens: int = Field(default=400, ge=16, description="Longest answer, in tokens.")
    answers_at_once: int = Field(
        default=8, ge=1, description="Answers streamed by the engine at the same time; more wait their turn."
    )

    upload_mib: int = Field(default=200, ge=1, description="Largest file that is accepted, in MiB.")
    unpack_files: int = Field(
        default=10_000, ge=1, description="Most files taken out of one archive or mail, with those in archives in it."
    )
    unpack_mib: int = Field(default=2048, ge=1, description="Most bytes taken out of one archive or mail, in MiB.")
    parse_seconds: int = Field(default=600, ge=1, description="Longest time a file may take to be read.")
    parse_memory_mib: int = Field(default=1500, ge=256, description="Most memory reading a file may take, in MiB.")
    ocr_languages: str = Field(
        default="deu+eng+fra+ita+spa",
        pattern=r"^[A-Za-z_/]+([+,][A-Za-z_/]+)*$",
        description="Languages that text in pictures is recognised in, likeliest first, as Tesseract calls them.",
    )
    ocr_at_once: int = Field(
        default=0, ge=0, description="Pages of one file that are recognised at a time; 0: one a core, at most 8."
    )
    ocr_page_seconds: int = Field(
        default=120, ge=1, description="Most seconds of processor time that recognising a page may take."
    )
    session_days: int = Field(default=14, ge=1, description="Days until a person has to sign in again.")
    metrics_key: str = Field(
        default="",
        description="Key with which Prometheus may read `/metrics`; empty: only administrators may.",
        repr=False,
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="How much is logged.")

    @cached_property
    def database_url(self) -> str:
        return f"sqlite:///{self.data_dir / 'beleg.db'}"

    @property
    def blobs_dir(self) -> Path:
        return self.data_dir / "blobs"

    @property
    def index_dir(self) -> Path:
        return self.data_dir / "index"

    @property
    def pictures_dir(self) -> Path:
        return self.data_dir / "pictures"

    @property
    def recognised_dir(self) -> Path:
        """Recognised pages of files that are not read to their end yet."""
        return self.data_dir / "recognised"

    @property
    def logs_dir(self) -> Path:
        return self.data_dir / "logs"

    @property
    def run_dir(self) -> Path:
        return self.data_dir / "run"

    @property
    def url(self) -> str:
        """Where people reach the pages, without a slash at the end."""
        return self.public_url.rstrip("/") or f"http://{self.host}:{self.port}"
