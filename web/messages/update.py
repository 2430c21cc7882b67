"""Brings the catalogues up to date with the source: `python -m web.messages.update`.

Messages are what templates and code mark for translation, and the sentences of errors, refusals, warnings and reasons,
which are templates by the rules of their classes.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from app.errors import BelegError
from web import errors, limits, messages  # noqa: F401  their classes are sentences too

ROOT = Path(__file__).resolve().parent.parent.parent
TEMPLATES = ROOT / "web" / "templates"
PLACES = ("app", "ingestion", "web")
TERMINAL = {"cli", "benchmarks", "db"}  # read in a terminal, in English
KEYWORDS: dict[str, tuple[int, ...] | None] = {"_": None, "gettext": None, "text": (1,), "counted": (1, 2)}


def _all(kind: type[BelegError]) -> Iterator[type[BelegError]]:
    for one in kind.__subclasses__():
        yield one
        yield from _all(one)


# classes whose arguments (by position) are sentences for people
SENTENCES = {
    **dict.fromkeys(("BelegError", *(error.__name__ for error in _all(BelegError))), (0, 1)),
    "Refused": (1,),
    "Warning": (1,),
    "Reason": (1,),
    "Pressure": (1,),
}

# no dates and names: they would change with every update
HEADER = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""

Found = tuple[str | tuple[str, ...], str]


def find() -> list[Found]:
    """All messages with where they stand."""
    return [*_in_templates(), *_in_code()]


def _in_templates() -> Iterator[Found]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        options = {"trimmed": "false", "newstyle_gettext": "true", "trim_blocks": "true", "lstrip_blocks": "true"}
        extracted = extract_from_file("jinja2.ext:babel_extract", path, KEYWORDS, options=options)
        for _line, message, _comments, _context in extracted:
            yield message, str(path.relative_to(ROOT))


def _in_code() -> Iterator[Found]:
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            if not TERMINAL.isdisjoint(path.parts):
                continue
            where = str(path.relative_to(ROOT))
            tree = ast.parse(path.read_text())
            constants = _constants(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    yield from ((message, where) for message in _of_call(node, constants))
            yield from ((message, where) for message in _kept_apart(tree))
            if place == "ingestion":
                yield from ((message, where) for message in _in_tables(tree))


def _kept_apart(tree: ast.Module) -> Iterator[str]:
    """Message and hint of an error that a module keeps as a pair of sentences."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
            pair = [_string(element, {}) for element in node.value.elts]
            if all(text and text[-1] in ".!?" and " " in text for text in pair):
                yield from (text for text in pair if text)


def _in_tables(tree: ast.Module) -> Iterator[str]:
    """Reasons of refusals and warnings that a module keeps in a table, or by a name for other modules."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            texts = [_string(value, {}) or "" for value in values]
            yield from (text for text in texts if text.endswith(".") and " " in text)


def _constants(tree: ast.Module) -> dict[str, str]:
    """Names of the module that are given a string somewhere."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = _string(node.value, {})
            if text is not None:
                found[node.targets[0].id] = text
    return found


def _of_call(node: ast.Call, constants: dict[str, str]) -> Iterator[str | tuple[str, ...]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "counted" and len(node.args) >= 2:
        one, many = (_string(argument, constants) for argument in node.args[:2])
        if one and many:
            yield one, many
        return
    positions = SENTENCES.get(name, (0,) if name == "text" and isinstance(node.func, ast.Attribute) else ())
    for position in positions:
        if position < len(node.args):
            message = _string(node.args[position], constants)
            if message:
                yield message


def _string(node: ast.expr, constants: dict[str, str]) -> str | None:
    """The template a sentence is made from: a string, an f-string (as `%(...)s`), or one that is filled with `%`."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            return constants.get(name)
        case ast.BinOp(op=ast.Mod(), left=left):
            return _string(left, constants)
        case ast.JoinedStr(values=parts):
            return "".join(_part(number, part) for number, part in enumerate(parts))
    return None


def _part(number: int, part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    inside = getattr(part, "value", None)
    return f"%({inside.id if isinstance(inside, ast.Name) else f'value{number}'})s"


def update(language: str) -> None:
    path = messages.HERE / f"{language}.po"
    fresh = Catalog(locale=language, project="Beleg", fuzzy=False)
    for message, where in find():
        fresh.add(message, locations=[(where, 0)])
    if path.exists():
        with path.open("rb") as file:
            old = read_po(file, locale=language)
        for entry in fresh:
            known = old.get(entry.id) if entry.id else None
            if known is not None and known.string and not known.fuzzy:
                entry.string = known.string
    body = io.BytesIO()
    write_po(body, fresh, width=0, sort_output=True, omit_header=True, include_lineno=False, ignore_obsolete=True)
    plurals = fresh.plural_forms
    path.write_bytes(HEADER.format(language=language, plurals=plurals).encode() + body.getvalue())


if __name__ == "__main__":
    for code in messages.LANGUAGES:
        if code != "en":
            update(code)
