"""A collection of Anna's, a way to put files into it, and one to have them read and found."""

from __future__ import annotations

from io import BytesIO

import pytest

from app.collections.access import contents_allowed
from app.collections.edit import create
from app.documents.accept import accept
from app.documents.indexing import Indexer
from app.documents.reading import Reader
from app.documents.signals import Signals
from ingestion.index.store import Index, IndexWriter, Query
from tests.app.documents.stand_ins import DIM, WordEmbedder, WordTokenizer


class Works:
    """Reader and indexer of one worker, to be taken step by step."""

    def __init__(self, settings, database) -> None:
        signals = Signals()
        self.embedder = WordEmbedder()
        self.reader = Reader(settings, database, WordTokenizer, signals)
        self.writer = IndexWriter(settings.index_dir, self.embedder.id, DIM)
        self.indexer = Indexer(settings, database, self.writer, self.embedder, signals)
        self.signals = signals

    def everything(self) -> None:
        while self.reader.step():
            pass
        while self.indexer.step():
            pass


@pytest.fixture
def anna(person):
    return person("Anna")


@pytest.fixture
def ben(person):
    return person("Ben")


@pytest.fixture
def plans(database, anna):
    with database.session() as db:
        return create(db, anna, "Plans")


@pytest.fixture
def upload(stores, anna, plans):
    """`upload("a.txt", b"...")` is the document's view."""

    def put(name, data, folder="", *, viewer=anna, collection=plans):
        return accept(stores, viewer, collection.id, name, BytesIO(data), folder)

    return put


@pytest.fixture
def works(settings, database):
    works = Works(settings, database)
    yield works
    works.writer.close()


@pytest.fixture
def search(settings, database, works):
    index = Index(settings.index_dir, works.embedder.id, DIM)

    def find(viewer, collection_id, text):
        index.refresh()
        with database.session() as db:
            allowed = contents_allowed(db, viewer, collection_id)
        return index.search(Query(text, works.embedder.question(text), allowed))

    return find
