"""From the application's views to the API's shapes; sentences for people in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from app.documents.types import DocumentView, RevisionView
from app.questions.events import Done, Event, Failed, Retrieved, Snapshot, Statement, Stopped, as_json
from app.questions.types import AnswerView, ConversationView, Reason, StatementView
from web.api import document_shapes, shapes
from web.messages import Words

D = TypeVar("D", bound=document_shapes.Document)


def document(view: DocumentView, words: Words) -> document_shapes.Document:
    return _document(document_shapes.Document, view, words)


def whole_document(
    view: DocumentView, revisions: Sequence[RevisionView], words: Words
) -> document_shapes.WholeDocument:
    return _document(document_shapes.WholeDocument, view, words, revisions=revisions)


def _document(shape: type[D], view: DocumentView, words: Words, **more: Any) -> D:
    fields = {name: value for name, value in asdict(view).items() if not name.startswith("refusal")}
    refusal = None
    if view.state == "refused":
        refusal = document_shapes.Refusal(
            code=view.refusal_code,
            reason=words.text(view.refusal_template, **view.refusal_values),
            hint=words.text(view.refusal_hint, **view.refusal_values),
        )
    return shape.model_validate({**fields, **more, "refusal": refusal})


def answer(view: AnswerView, words: Words) -> shapes.Answer:
    fields = {
        **asdict(view),
        "statements": [statement(item, words) for item in view.statements],
        "error": words.text(view.error),
        "hint": words.text(view.hint),
    }
    return shapes.Answer.model_validate(fields)


def statement(view: StatementView, words: Words) -> shapes.Statement:
    reasons = [{"code": item.code, "text": reason(item, words)} for item in view.reasons]
    return shapes.Statement.model_validate({**asdict(view), "reasons": reasons})


def reason(view: Reason, words: Words) -> str:
    return words.text(view.text, **view.values)


def conversation(view: ConversationView, words: Words) -> shapes.WholeConversation:
    answers = [answer(item, words) for item in view.answers]
    return shapes.WholeConversation.model_validate({**asdict(view), "answers": answers})


def event(happened: Event, words: Words) -> dict[str, Any]:
    """An event as the API sends it: `as_json`, with answers and statements in the API's shapes."""
    fields = as_json(happened)
    match happened:
        case Statement(view=view):
            del fields["view"]
            fields["statement"] = statement(view, words).model_dump(mode="json")
        case Retrieved(passages=passages):
            fields["passages"] = [
                shapes.Citation.model_validate(passage).model_dump(mode="json") for passage in passages
            ]
        case Snapshot(answer=view) | Done(answer=view) | Stopped(answer=view) | Failed(answer=view):
            fields["answer"] = answer(view, words).model_dump(mode="json")
    if isinstance(happened, Failed):
        fields["message"], fields["hint"] = words.text(happened.message), words.text(happened.hint)
    return fields
