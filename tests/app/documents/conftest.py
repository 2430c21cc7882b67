"""A collection of Anna's, and a way to put text files into it."""

from __future__ import annotations

from io import BytesIO

import pytest

from app.collections.edit import create
from app.documents.accept import accept


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
