"""The interface's words in the reader's language: message catalogues, and numbers, sizes and times as people write.

English is the source: the templates and errors themselves hold it. Every other language is a `.po` file here, read at
start. `python -m web.messages.update` brings the files up to date with the source.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from babel.core import Locale, UnknownLocaleError, negotiate_locale
from babel.dates import format_datetime, format_time
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent
from babel.support import NullTranslations, Translations
from babel.units import format_unit

HERE = Path(__file__).parent
LANGUAGES = {"en": "English", "de": "Deutsch"}
COOKIE = "beleg_language"
_VALUE = re.compile(r"%\((\w+)\)[sd]")
_FILLED = re.compile(r"%\((\w+)\)[sd]|%%")
_RANGES = 12  # page ranges that are listed; a person opens the file rather than read more
_SLIDES, _SHEETS = {"pptx", "ppt", "odp"}, {"xlsx", "xls", "ods"}
_MOMENT = {"en": "d MMM y, HH:mm", "de": "d. MMM y, HH:mm"}


@dataclass(frozen=True)
class Words:
    """One language: its translations and its way of writing numbers, sizes and times."""

    language: str
    catalogue: NullTranslations

    def text(self, message: str, **values: object) -> str:
        """The message in this language, filled from `values`. An unknown message stays as it is."""
        translated: str = self.catalogue.gettext(message) if message else ""
        return fill(translated, values)

    def sentence(self, filled: str) -> str:
        """An English sentence that was filled in already, in this language: found by the template it was made from."""
        for pattern, template in _templates(self.language):
            if match := pattern.fullmatch(filled):
                values = match.groupdict()
                return self.text(template, **{name: self._value(value) for name, value in values.items()})
        return self.text(filled)

    def _value(self, value: str) -> str | int:
        return int(value) if value.isascii() and value.isdigit() else self.sentence(value)

    def counted(self, one: str, many: str, n: int, **values: object) -> str:
        """The singular or plural message; `%(n)s` stands for the number."""
        translated: str = self.catalogue.ngettext(one, many, n)
        return fill(translated, {"n": self.number(n), **values})

    def number(self, n: float) -> str:
        return str(format_decimal(n, locale=self.language))

    def size(self, size: int) -> str:
        """Bytes as people read them: 12 KB, 3.4 MB."""
        if size < 1000:
            return str(format_unit(size, "digital-byte", "long", locale=self.language))
        value, unit = float(size), "byte"
        for unit in ("byte", "kilobyte", "megabyte", "gigabyte"):
            if value < 1000 or unit == "gigabyte":
                break
            value /= 1000
        digits = "#,##0.#" if unit in ("megabyte", "gigabyte") and value < 100 else "#,##0"
        return str(format_unit(value, f"digital-{unit}", "short", format=digits, locale=self.language))

    def seconds(self, milliseconds: float) -> str:
        """A measured time: 1.2 s."""
        return f"{format_decimal(milliseconds / 1000, '#,##0.0', locale=self.language)}\u00a0s"

    def share(self, share: float) -> str:
        """A share as people write it: 85%."""
        return str(format_percent(share, locale=self.language))

    def elapsed(self, seconds: float) -> str:
        """How long something has been going on, in words: 40 seconds, 2 minutes, 3 hours, 4 days."""
        count, unit = max(0, int(seconds)), "second"
        for size, larger in ((60, "minute"), (60, "hour"), (24, "day")):
            if count < 1.5 * size:
                break
            count, unit = round(count / size), larger
        return str(format_unit(count, f"duration-{unit}", "long", locale=self.language))

    def pages(self, ranges: Sequence[tuple[int, int]], format: str = "") -> str:
        """Page numbers as people write them: page 3; pages 3–5, 9. Presentations have slides, workbooks sheets."""
        n = sum(last - first + 1 for first, last in ranges)
        listed = ", ".join(self._range(first, last) for first, last in ranges[:_RANGES])
        listed += ", …" if len(ranges) > _RANGES else ""
        if format in _SLIDES:
            return self.counted("slide %(listed)s", "slides %(listed)s", n, listed=listed)
        if format in _SHEETS:
            return self.counted("sheet %(listed)s", "sheets %(listed)s", n, listed=listed)
        return self.counted("page %(listed)s", "pages %(listed)s", n, listed=listed)

    def _range(self, first: int, last: int) -> str:
        return self.number(first) if first == last else f"{self.number(first)}–{self.number(last)}"

    def language_name(self, code: str) -> str:
        """What a language is called in this one; its code where nobody knows."""
        try:
            return Locale.parse(code).get_display_name(self.language) or code
        except (ValueError, UnknownLocaleError):
            return code

    def moment(self, epoch: float) -> str:
        """Date and time where the server stands; only the time when it is today."""
        then = datetime.fromtimestamp(epoch).astimezone()
        if then.date() == datetime.now().astimezone().date():
            return str(format_time(then, "HH:mm", locale=self.language))
        return str(format_datetime(then, _MOMENT[self.language], locale=self.language))


def fill(template: str, values: Mapping[str, object]) -> str:
    """`template % values` that never fails: a message must not be an error itself. Without values nothing is done."""
    if not values:
        return template
    return _FILLED.sub(lambda match: _filling(match, values), template)


def _filling(match: re.Match[str], values: Mapping[str, object]) -> str:
    return "%" if match[1] is None else str(values.get(match[1], match[0]))


@cache
def words(language: str) -> Words:
    path = HERE / f"{language}.po"
    if not path.exists():
        return Words(language, NullTranslations())
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Words(language, Translations(compiled))


@cache
def _templates(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Messages with values in them, each as a pattern of what it becomes; the longest first."""
    known = [message for message in getattr(words(language).catalogue, "_catalog", {}) if isinstance(message, str)]
    filled = sorted((message for message in known if len(_VALUE.sub("", message)) >= 20 and "%(" in message), key=len)
    return [(_pattern(message), message) for message in reversed(filled)]


def _pattern(template: str) -> re.Pattern[str]:
    named: set[str] = set()

    def group(name: str) -> str:
        if name in named:
            return f"(?P={name})"
        named.add(name)
        return f"(?P<{name}>.*)"

    parts = _VALUE.split(template)
    return re.compile("".join(group(part) if odd % 2 else re.escape(part) for odd, part in enumerate(parts)), re.DOTALL)


def choose(header: str, cookie: str) -> Words:
    """The reader's language: what they chose here, else the first of their browser's that we speak, else English."""
    if cookie in LANGUAGES:
        return words(cookie)
    wanted = negotiate_locale(_accepted(header), list(LANGUAGES), sep="-")
    return words(wanted or "en")


def _accepted(header: str) -> list[str]:
    """Languages of an Accept-Language header, most wanted first (RFC 9110, 12.5.4)."""
    ranked: list[tuple[float, str]] = []
    for part in header[:500].split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            continue
        if tag and weight > 0:
            ranked.append((-weight, tag.strip()))
    return [tag for _, tag in sorted(ranked, key=lambda item: item[0])]
