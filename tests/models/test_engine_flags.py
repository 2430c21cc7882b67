"""Arguments against the installed vLLM's own parser (imported by a child, once for all of them)."""

from __future__ import annotations

import pytest

from models.engine.flags import check_flags
from models.engine.profiles import EngineProfile, ProfileError, load_profile, shipped

OVER_SEVERAL_MACHINES = ["--tensor-parallel-size=2", "--pipeline-parallel-size=2", "--distributed-executor-backend=ray"]


def test_vllm_takes_what_the_profiles_give_it() -> None:
    """All that are shipped, every key set, and what the README says about several machines; not what is misspelt."""
    everything = EngineProfile(
        "x", "gpu", 4096, sequences=4, batched_tokens=512, queued=9, kv_cache_dtype="fp8", block_size=16,
        dtype="bfloat16", tensor_parallel=2, pipeline_parallel=2, p2p=False, scheduling="priority", eager=True,
    )  # fmt: skip
    profiles = [*map(load_profile, shipped()), everything, EngineProfile("y", "cpu", 4096)]
    misspelt = ["--max-num-sequences=4"]
    with pytest.raises(ProfileError, match="--max-num-sequences=4"):
        check_flags(*(profile.arguments() for profile in profiles), OVER_SEVERAL_MACHINES, misspelt)
