"""Reads damaged files until the time is up: `python -m tests.ingestion.fuzz FOLDER... --minutes 60 --keep FOUND`.

Takes the files in the folders (for example `tests/samples`), damages bytes of them, or of the members of their
archives, and reads each in the confined process. Whatever is neither text nor a refusal that names the fault is kept in
FOUND, one file for each place it happened in, with the reason in `found.txt`.
"""

from __future__ import annotations

import argparse
import io
import logging
import random
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from ingestion.sandbox import Limits, parse
from ingestion.types import Refused

LIMITS = Limits(seconds=20, stall_seconds=10, memory_mib=1500, output_mib=64)
FAULTS = ("crashed", "too_slow", "too_much_memory")  # refusals that may be a fault of ours
LARGEST = 600_000  # bytes; larger files make few tries
NUMBERS = (b"\x00", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"-1", b"999999999999", b"1e999", b"\xf0\x9f\x98\x80")
MARKUP = b"< > & &#0; &#x110000; ]]> \" ' <![CDATA[ <!-- </ /> { } [ ] = ; \\ \\u1\\'".split(b" ")
PDF = b"<<|>>|endobj|stream|endstream|/Kids|/Length|0 R|/Type /Page|\n\n|\r|\t".split(b"|")
TOKENS = (*NUMBERS, *MARKUP, *PDF)


def main() -> None:
    options = _options()
    chance = random.Random(options.seed)
    samples = list(_samples(options.folders))
    options.keep.mkdir(parents=True, exist_ok=True)
    heard = _Heard()
    logging.getLogger("ingestion").addHandler(heard)
    end, tries, places = time.monotonic() + options.minutes * 60, 0, dict[str, int]()
    while time.monotonic() < end:
        name, data = chance.choice(samples)
        fault = _read(options.keep / "now", name, damaged(data, chance), heard)
        tries += 1
        if fault:
            places[fault] = places.get(fault, 0) + 1
            if places[fault] == 1:
                (options.keep / f"{len(places):03d}-{name}").write_bytes((options.keep / "now").read_bytes())
                with (options.keep / "found.txt").open("a") as log:
                    log.write(f"{len(places):03d}-{name}\t{fault}\n")
    print(f"{tries} files read, {sum(places.values())} faults in {len(places)} places")


def damaged(data: bytes, chance: random.Random) -> bytes:
    """A few places of it changed; of an archive now and then those of one member."""
    if data[:2] == b"PK" and chance.random() < 0.8:
        changed = _damaged_archive(data, chance)
        if changed is not None:
            return changed
    return _damaged_bytes(data, chance)


def _damaged_bytes(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at, size = chance.randrange(len(out) + 1), chance.choice((1, 1, 2, 8, 64, 1024))
        match chance.randrange(6):
            case 0:
                out[at : at + size] = chance.randbytes(min(size, len(out) - at))
            case 1:
                del out[at : at + size]
            case 2:
                out[at:at] = chance.choice(TOKENS) * chance.choice((1, 1, 1, 3, 2000))
            case 3:
                source = chance.randrange(len(out) + 1)
                out[at:at] = out[source : source + size] * chance.choice((1, 2, 50))
            case 4:
                out[at : at + 4] = chance.choice(TOKENS)
            case _:
                if chance.random() < 0.2:
                    del out[at:]
    return bytes(out)


def _damaged_archive(data: bytes, chance: random.Random) -> bytes | None:
    made = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after:
            members = before.infolist()
            hit = chance.choice(members)
            for member in members:
                content = before.read(member)
                after.writestr(member.filename, _damaged_bytes(content, chance) if member is hit else content)
    except Exception:
        return None
    return made.getvalue()


def _read(place: Path, name: str, data: bytes, heard: _Heard) -> str:
    """What went wrong and where; "" when it was read or refused as it should be."""
    place.write_bytes(data)
    heard.last = ""
    try:
        parse(place, name, LIMITS)
    except Refused as refused:
        if refused.code not in FAULTS:
            return ""
        return f"{Path(name).suffix} {refused.code} {heard.last}".strip()
    except Exception as error:
        return f"{Path(name).suffix} {type(error).__name__} {error}"
    return ""


def _samples(folders: list[Path]) -> Iterator[tuple[str, bytes]]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix not in ("", ".tsv") and 0 < path.stat().st_size <= LARGEST:
                yield path.name, path.read_bytes()


class _Heard(logging.Handler):
    """Remembers what the sandbox said last."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--keep", type=Path, default=Path("found"))
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
