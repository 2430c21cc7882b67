"""Markdown to blocks, after CommonMark with tables. A YAML or TOML block on top is metadata, not a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingestion.parsers import html_blocks
from ingestion.parsers.lines import block, clean, code, one_line, paragraphs, source_lines
from ingestion.parsers.tables import table
from ingestion.types import Block

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^[\"']?[\w.-]+[\"']?\s*[:=]", re.MULTILINE)
_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_NESTING = 60  # quotations and lists within each other
_ADDRESS = re.compile(r"^(https?://|mailto:)", re.IGNORECASE)


def blocks(text: str) -> tuple[tuple[Block, ...], str]:
    """The blocks of `text`, and its title (from the front matter, else the first heading)."""
    matter, body = _split(clean(text))
    found = _found(body)
    headings = (item.text for item in found if item.kind == "heading")
    titled = _TITLE.search(matter)
    title = titled.group(1) if titled else next(headings, "")
    return (*_metadata(matter), *found), title


def _found(body: str) -> list[Block]:
    """The blocks of the body. What nests so deep that the parser drops it is read as plain text instead."""
    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable(["table", "strikethrough"])
    tokens = parser.parse(body)
    found = [] if any(token.level >= _NESTING - 2 for token in tokens) else list(_walk(tokens))
    return found or list(paragraphs(body))


def _split(text: str) -> tuple[str, str]:
    """Front matter and the rest. A thematic break on the first line opens none unless keys follow."""
    match = _FRONT_MATTER.match(text.lstrip("\n"))
    if match and _KEY.search(match.group(2)):
        return match.group(2), text.lstrip("\n")[match.end() :]
    return "", text


def _metadata(matter: str) -> tuple[Block, ...]:
    rows = source_lines(matter)
    return (Block("metadata", rows),) if rows else ()


def _walk(tokens: Sequence[Token]) -> Iterator[Block]:
    at = 0
    marks: list[str] = []  # of the lists that are open
    pending = ""
    while at < len(tokens):
        token = tokens[at]
        if token.type == "table_open":
            end = _closing(tokens, at)
            yield from filter(None, [table(_table_rows(tokens[at:end]), headers=1)])
            at = end
        elif token.type in {"bullet_list_open", "ordered_list_open"}:
            marks.append("-")
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            marks.pop()
        elif token.type == "list_item_open":
            pending = f"{token.info}{token.markup} " if token.info else "- "
        elif token.type == "inline":
            yield from _inline_block(token, tokens[at - 1], pending, bool(marks))
            pending = ""
        elif token.type in {"fence", "code_block"}:
            yield from code(token.content)
        elif token.type == "html_block":
            yield from html_blocks.blocks(token.content)
        at += 1


def _inline_block(token: Token, opening: Token, mark: str, in_list: bool) -> Iterator[Block]:
    text = _plain(token.children or [])
    if opening.type == "heading_open":
        found = block("heading", text.replace("\n", " "), level=int(opening.tag[1:]))
    else:
        found = block("list" if in_list else "paragraph", mark + text)
    if found and found.text.strip() != mark.strip():
        yield found


def _plain(children: Sequence[Token]) -> str:
    """The text as a reader sees it; the address of a link follows in brackets unless it is the text."""
    out: list[str] = []
    links: list[tuple[str, int]] = []
    for child in children:
        if child.type in {"text", "code_inline"}:
            out.append(child.content.removeprefix("mailto:") if links else child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            out.append("\n")
        elif child.type == "image":
            out.append(child.content)
        elif child.type == "link_open":
            links.append((str(child.attrs.get("href", "")), len(out)))
        elif child.type == "link_close" and links:
            out.append(_address(*links.pop(), out))
        elif child.type == "html_inline" and child.content.lower().startswith("<br"):
            out.append("\n")
    return "".join(out)


def _address(href: str, start: int, out: Sequence[str]) -> str:
    text = "".join(out[start:]).strip()
    shown = href.removeprefix("mailto:")
    return f" ({shown})" if text and _ADDRESS.match(href) and text not in (href, shown) else ""


def _table_rows(tokens: Sequence[Token]) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(one_line(_plain(token.children or [])))
    return rows


def _closing(tokens: Sequence[Token], at: int) -> int:
    return next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
