"""Every sentence has a German translation that fits it; numbers and times as each language writes them."""

from __future__ import annotations

import re
import time

import pytest
from babel.messages.pofile import read_po

from web import messages
from web.messages import choose, fill, words
from web.messages.update import find

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%")


@pytest.fixture(scope="module")
def german():
    with (messages.HERE / "de.po").open("rb") as file:
        return read_po(file, locale="de")


def test_every_message_is_translated(german):
    missing = []
    for message, where in find():
        entry = german.get(message)
        done = entry is not None and (all(entry.string) if isinstance(message, tuple) else entry.string)
        if not done:
            missing.append(f"{where}: {message}")
    assert not missing, "translate these (python -m web.messages.update adds them to de.po):\n" + "\n".join(missing)


def test_the_catalogue_holds_nothing_that_is_gone(german):
    known = {message if isinstance(message, str) else message[0] for message, _ in find()}
    held = {entry.id if isinstance(entry.id, str) else entry.id[0] for entry in german if entry.id}
    assert held <= known


def test_translations_keep_the_values(german):
    for entry in german:
        if not entry.id:
            continue
        sources = [entry.id] if isinstance(entry.id, str) else entry.id
        for translation in [entry.string] if isinstance(entry.string, str) else entry.string:
            used = set(PLACEHOLDER.findall(translation))
            allowed = set().union(*(PLACEHOLDER.findall(source) for source in sources))
            assert used <= allowed, translation
            if isinstance(entry.id, str):
                assert used == allowed, translation


def test_messages_are_found_where_they_are():
    found = {message for message, _ in find()}
    for message in (
        "Sign in",  # a template
        ("%(n)s document", "%(n)s documents"),  # counted
        "There is no such collection.",  # an error
        "This file is empty. Check the original and upload it again.",  # a refusal
        "Slide %(number)s holds no text, only pictures or nothing.",  # a warning made with an f-string
    ):
        assert message in found


def test_filled_sentences_are_translated_by_their_template():
    german = words("de")
    assert german.sentence("There is no such collection.") == "Diese Sammlung gibt es nicht."
    assert german.sentence("Slide 3 holds no text, only pictures or nothing.").startswith("Folie 3 enthält")
    assert german.sentence("Nobody wrote this.") == "Nobody wrote this."
    assert words("en").sentence("Slide 3 holds no text, only pictures or nothing.").startswith("Slide 3")


@pytest.mark.parametrize(
    ("header", "cookie", "language"),
    [
        ("", "", "en"),
        ("de", "", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "", "de"),
        ("en-GB,de;q=0.5", "", "en"),
        ("fr, de;q=0.1", "", "de"),
        ("fr", "", "en"),
        ("de;q=0, en", "", "en"),
        ("de", "en", "en"),
        ("de", "klingon", "de"),
        (";;q=x,,*", "", "en"),
        ("de" * 5000, "", "en"),
    ],
)
def test_choice_of_language(header, cookie, language):
    assert choose(header, cookie).language == language


def test_numbers_sizes_and_times():
    english, german = words("en"), words("de")
    assert (english.number(12345), german.number(12345)) == ("12,345", "12.345")
    assert (english.size(900), german.size(3_450_000)) == ("900 bytes", "3,4 MB")
    assert (english.seconds(1234), german.seconds(1234)) == ("1.2\u00a0s", "1,2\u00a0s")
    assert (english.elapsed(1), german.elapsed(200)) == ("1 second", "3 Minuten")
    assert re.fullmatch(r"\d\d:\d\d", english.moment(time.time()))
    assert re.fullmatch(r"\d+\. \w+\.? \d{4}, \d\d:\d\d", german.moment(time.time() - 400 * 86400))


def test_a_message_is_never_an_error_itself():
    assert fill("100 % sure", {"a": 1}) == "100 % sure"
    assert fill("%(missing)s", {"a": 1}) == "%(missing)s"
    assert fill("%(a)d of 50 %%", {"a": "x"}) == "x of 50 %"
    assert fill("50 %", {}) == "50 %"
