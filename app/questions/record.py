"""Questions and answers in the database: handing one in, reading what an answer needs, writing how far it has come.

Every function is one short transaction; none is held while the engine writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections import access
from app.db import tables
from app.db.session import lock
from app.errors import Conflict, Invalid, NotFound
from app.questions.progress import Asked, Progress
from app.questions.prompt import Turn
from app.questions.sources import Key, load_sources
from app.questions.spans import Source, spoken
from app.questions.trace import notes_of, stored
from app.questions.types import AnswerView
from app.questions.views import answer_views, asked_of, live_view, nearest_row, statement_row

LONGEST_QUESTION = 20_000
RUNNING = ("waiting", "streaming")


def clean_question(question: str) -> str:
    """Without control characters and outer white space. Invalid when nothing is left or it is far too long."""
    text = "".join(c for c in question.replace("\r\n", "\n") if c in "\n\t" or c.isprintable()).strip()
    if not text:
        raise Invalid("There is no question.", "Write what you want to know.", field="question", code="question_empty")
    if len(text) > LONGEST_QUESTION:
        raise Invalid(
            "The question is too long: it has %(length)d characters, at most %(most)d are possible.",
            "Shorten it, or upload the text as a document and ask about it.",
            field="question",
            code="question_too_long",
            length=len(text),
            most=LONGEST_QUESTION,
        )
    return text


def hand_in(
    db: Session, viewer: Viewer, collection_id: str, question: str, *, conversation_id: str | None, model: str
) -> tuple[AnswerView, Asked | None]:
    """A new waiting answer, in a new conversation when none is named; a first question comes with all that is needed to
    answer it. Errors: NotFound, Conflict."""
    lock(db)
    collection = access.find(db, viewer, collection_id)
    conversation = _conversation(db, viewer, collection_id, question, conversation_id)
    last = _last_answer(db, conversation.id)
    if last and last.state in (*RUNNING, "paused"):
        raise Conflict(
            "The last question is still being answered.",
            "Wait for the answer or stop it, then ask.",
            code="still_answering",
        )
    position = last.position + 1 if last else 0
    row = tables.Answer(conversation_id=conversation.id, position=position, question=question, model=model)
    db.add(row)
    db.flush()
    asked = asked_of(row, collection.id, collection.name)
    return live_view(asked, Progress()), None if position else asked


def last_paused(db: Session, viewer: Viewer, conversation_id: str) -> str | None:
    """Id of the conversation's last answer when that is paused. Errors: NotFound."""
    conversation = find_conversation(db, viewer, conversation_id)
    last = _last_answer(db, conversation.id)
    return last.id if last and last.state == "paused" else None


def find_conversation(db: Session, viewer: Viewer, conversation_id: str) -> tables.Conversation:
    """The viewer's own conversation in a collection they may (still) read. Errors: NotFound."""
    row = db.get(tables.Conversation, conversation_id)
    if row is None or row.user_id != viewer.user_id:
        raise _no_conversation()
    try:
        access.find(db, viewer, row.collection_id)
    except NotFound:
        raise _no_conversation() from None
    return row


def find_answer(db: Session, viewer: Viewer, answer_id: str) -> tuple[tables.Answer, tables.Conversation]:
    """The viewer's own answer and its conversation. Errors: NotFound."""
    row = db.get(tables.Answer, answer_id)
    try:
        if row is not None:
            return row, find_conversation(db, viewer, row.conversation_id)
    except NotFound:
        pass
    raise NotFound("There is no such answer.", "The conversation may have been deleted.")


def view_answer(db: Session, viewer: Viewer, answer_id: str) -> AnswerView:
    """One answer as stored. Errors: NotFound."""
    row, conversation = find_answer(db, viewer, answer_id)
    return answer_views(db, conversation.collection_id, [row])[0]


def read_asked(db: Session, viewer: Viewer, answer_id: str) -> Asked:
    """Everything needed to answer, or go on answering. Errors: NotFound."""
    row, conversation = find_answer(db, viewer, answer_id)
    collection = access.find(db, viewer, conversation.collection_id)
    earlier = db.scalars(
        select(tables.Answer)
        .where(tables.Answer.conversation_id == conversation.id, tables.Answer.position < row.position)
        .order_by(tables.Answer.position)
    ).all()
    keys = [key for answer in (*earlier, row) for key in _keys(answer)]
    sources = load_sources(db, collection.id, keys)
    return replace(
        asked_of(row, collection.id, collection.name),
        history=tuple(_turn(answer, sources) for answer in earlier if answer.text),
        passages=tuple(sources[key] for key in _keys(row) if key in sources),
    )


def write(db: Session, answer_id: str, progress: Progress) -> bool:
    """Stores how far an answer has come. False when the answer was deleted meanwhile."""
    lock(db)
    row = db.get(tables.Answer, answer_id)
    if row is None:
        return False
    row.state, row.text, row.verdict, row.error = progress.state, progress.text, progress.verdict, progress.error
    row.standalone = progress.standalone
    row.statements = [statement_row(view) for view in progress.statements]
    row.passages = [[source.content_id, source.ordinal] for source in progress.passages]
    row.nearest = [nearest_row(citation, source) for citation, source in progress.nearest]
    row.trace = stored(progress.trace, progress.notes)
    if progress.first_new == 0:
        db.execute(delete(tables.Citation).where(tables.Citation.answer_id == answer_id))
    db.add_all(_citation_rows(db, answer_id, progress))
    return True


def write_state(db: Session, answer_id: str, progress: Progress) -> bool:
    """Stores state and error alone. False when the answer was deleted meanwhile."""
    lock(db)
    row = db.get(tables.Answer, answer_id)
    if row is None:
        return False
    row.state, row.error = progress.state, progress.error
    return True


def begin_again(db: Session, viewer: Viewer, answer_id: str) -> AnswerView:
    """The conversation's last answer, emptied and waiting. Errors: NotFound, Conflict."""
    lock(db)
    row, conversation = find_answer(db, viewer, answer_id)
    last = _last_answer(db, conversation.id)
    if last is None or last.id != row.id or row.state in (*RUNNING, "paused"):
        raise Conflict("Only the last question of a conversation can be asked again.", "Ask it as a new question.")
    db.execute(delete(tables.Citation).where(tables.Citation.answer_id == answer_id))
    row.state, row.text, row.verdict, row.error, row.standalone = "waiting", "", "", "", ""
    row.statements, row.passages, row.nearest, row.trace = [], [], [], {}
    db.flush()
    return answer_views(db, conversation.collection_id, [row])[0]


def pause_all(db: Session) -> None:
    """After a crash: nobody writes these answers any more; they go on when somebody listens."""
    lock(db)
    db.execute(update(tables.Answer).where(tables.Answer.state.in_(RUNNING)).values(state="paused"))


def _conversation(
    db: Session, viewer: Viewer, collection_id: str, question: str, conversation_id: str | None
) -> tables.Conversation:
    if conversation_id is not None:
        conversation = find_conversation(db, viewer, conversation_id)
        if conversation.collection_id != collection_id:
            raise _no_conversation()
        return conversation
    conversation = tables.Conversation(collection_id=collection_id, user_id=viewer.user_id, title=title_of(question))
    db.add(conversation)
    db.flush()
    return conversation


def title_of(question: str) -> str:
    """A conversation's title: its first question on one line, cut at a word."""
    line = " ".join(question.split())
    return line if len(line) <= 80 else line[:80].rsplit(" ", 1)[0] + " …"


def _last_answer(db: Session, conversation_id: str) -> tables.Answer | None:
    last = select(func.max(tables.Answer.position)).where(tables.Answer.conversation_id == conversation_id)
    return db.scalar(
        select(tables.Answer).where(
            tables.Answer.conversation_id == conversation_id, tables.Answer.position == last.scalar_subquery()
        )
    )


def _keys(row: tables.Answer) -> list[Key]:
    return [(kept[0], kept[1]) for kept in row.passages]


def _turn(row: tables.Answer, sources: dict[Key, Source]) -> Turn:
    """An earlier question as it stood in the prompt, byte for byte."""
    passages = tuple(sources[key] for key in _keys(row) if key in sources)
    notes = notes_of(row.trace)
    return Turn(
        question=row.question,
        passages=passages,
        hint=notes.hint,
        asked_at=row.created_at,
        language=spoken(row.question, passages),
        answer=row.text,
        standalone=row.standalone,
        doubtful=notes.doubtful,
    )


def _citation_rows(db: Session, answer_id: str, progress: Progress) -> Sequence[tables.Citation]:
    """Rows for the statements not stored yet; documents deleted meanwhile are left out of the reference."""
    new = [
        (place, position, citation)
        for place, statement in enumerate(progress.statements[progress.first_new :], progress.first_new)
        for position, citation in enumerate(statement.citations)
    ]
    wanted = {citation.document_id for _, _, citation in new}
    alive = set(db.scalars(select(tables.Document.id).where(tables.Document.id.in_(wanted)))) if wanted else set()
    return [
        tables.Citation(
            answer_id=answer_id,
            statement=place,
            position=position,
            document_id=citation.document_id if citation.document_id in alive else None,
            document_name=citation.document,
            content_id=int(citation.source[1:].partition(".")[0]),
            ordinal=citation.ordinal,
            start=citation.start,
            end=citation.end,
            page=citation.page,
            quote=citation.quote if citation.document_id in alive else "",
        )
        for place, position, citation in new
    ]


def _no_conversation() -> NotFound:
    return NotFound(
        "There is no such conversation.", "It may have been deleted, or its collection is no longer shared."
    )
