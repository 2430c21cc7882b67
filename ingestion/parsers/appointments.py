"""Appointments (iCalendar, RFC 5545), as files and in mails: what, when, where, who, in words that can be found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ingestion.parsers.encoding import read_text
from ingestion.parsers.lines import block, lines, paragraphs
from ingestion.types import Block, Page, Parsed, Refused

_BEGIN = re.compile(r"\s*BEGIN:VCALENDAR\b", re.IGNORECASE)
_FOLD = re.compile(r"\r?\n[ \t]")
_LINE = re.compile(r"([\w-]{1,60})((?:;[\w-]{1,60}=(?:\"[^\"\n]*\"|[^;:\"\n]*))*):(.*)")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_NAME = re.compile(r";CN=(\"[^\"]*\"|[^;:]*)", re.IGNORECASE)
_ZONE = re.compile(r";TZID=\"?([^;:\"]*)", re.IGNORECASE)
_SHOWN = {
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "LOCATION": "Location",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee",
    "STATUS": "Status",
    "RRULE": "Repeats",
}
_PEOPLE, _MOMENTS = ("ORGANIZER", "ATTENDEE"), ("DTSTART", "DTEND", "DUE")
_ITEMS = ("VEVENT", "VTODO", "VJOURNAL")
_MOST_ATTENDEES = 200


def is_calendar(text: str) -> bool:
    return bool(_BEGIN.match(text))


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page. Raises `Refused` "empty", "unknown_type"."""
    text = read_text(path)
    found = blocks(text) or tuple(paragraphs(text))
    if not found:
        raise Refused("empty", "This file holds no text that can be seen. Check the original and upload it again.")
    on_page(1, 1)
    title = next((item.text for item in found if item.kind == "heading"), "")
    return Parsed("calendar", "text", (Page(1, found),), has_pages=False, title=title)


def blocks(text: str) -> tuple[Block, ...]:
    """An item's subject as heading, its facts, then its description."""
    found: list[Block] = []
    open_items: list[str] = []
    facts: list[tuple[str, str, str]] = []
    for line in _FOLD.sub("", text).splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        name, parameters, value = match[1].upper(), match[2], match[3].strip()
        if name == "BEGIN":
            open_items.append(value.upper())
            facts = [] if value.upper() in _ITEMS else facts
        elif name == "END" and open_items:
            if open_items.pop() in _ITEMS:
                found += _item(facts)
        elif open_items and open_items[-1] in _ITEMS:
            facts.append((name, parameters, value))
    return tuple(found)


def _item(facts: list[tuple[str, str, str]]) -> Iterator[Block]:
    subject = next((value for name, _, value in facts if name == "SUMMARY"), "")
    yield from filter(None, [block("heading", " ".join(_unescaped(subject).split()), level=1)])
    attendees = [fact for fact in facts if fact[0] == "ATTENDEE"][_MOST_ATTENDEES:]
    shown = (fact for fact in facts if fact[0] in _SHOWN and fact not in attendees)
    rows = lines("\n".join(f"{_SHOWN[name]}: {_said(name, parameters, value)}" for name, parameters, value in shown))
    if rows:
        yield Block("metadata", rows)
    for name, _, value in facts:
        if name == "DESCRIPTION":
            yield from paragraphs(_unescaped(value))


def _said(name: str, parameters: str, value: str) -> str:
    if name in _MOMENTS:
        return _moment(parameters, value)
    if name in _PEOPLE:
        address = re.sub(r"^mailto:", "", value, flags=re.IGNORECASE)
        named = _NAME.search(parameters)
        person = named[1].strip('"') if named else ""
        return f"{person} <{address}>" if person and person != address else address
    return " ".join(_unescaped(value).split())


def _moment(parameters: str, value: str) -> str:
    match = _MOMENT.match(value)
    if match is None:
        return value
    year, month, day, hour, minute, utc = match.groups()
    zone = _ZONE.search(parameters)
    clock = f" {hour}:{minute}" + (" UTC" if utc else f" ({zone[1]})" if zone else "") if hour else ""
    return f"{year}-{month}-{day}{clock}"


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], text)
