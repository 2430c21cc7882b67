"""Markdown of answers as HTML that cannot do harm: emphasis and code only; no HTML, no images, links as text."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_TAGS = {"strong", "em", "s", "code", "br"}
# "links" stay what was written: an answer must not send anybody anywhere
_markdown = MarkdownIt("zero", {"html": False, "linkify": False, "breaks": False}).enable(
    ["emphasis", "strikethrough", "backticks", "escape", "newline"]
)


def unmarked(text: str) -> str:
    """A piece of an unfinished statement: its marks may still lack their partners, so it is shown without them."""
    return text.replace("*", "").replace("`", "")


def inline(text: str) -> Markup:
    """One statement: a sentence, a list item or the cells of a table row."""
    return Markup(nh3.clean(_markdown.renderInline(text), tags=_TAGS, attributes={}))  # noqa: S704
