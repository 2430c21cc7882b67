"""A data folder of its own for each test, with real SQLite and the migrations run."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from app.accounts.types import Viewer
from app.accounts.users import create_user
from app.config import Settings
from app.db.migrate import upgrade
from app.db.session import Database


@dataclass(frozen=True)
class Stores:
    settings: Settings
    database: Database


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(_env_file=None, data_dir=tmp_path / "data", upload_mib=1)


@pytest.fixture
def database(settings):
    database = Database(settings.database_url)
    upgrade(database)
    yield database
    database.close()


@pytest.fixture
def db(database):
    with database.session() as db:
        yield db


@pytest.fixture
def stores(settings, database) -> Stores:
    return Stores(settings, database)


@pytest.fixture
def person(database):
    """Makes people: `person("anna")` is her Viewer."""

    def make(name: str, *, is_admin: bool = False) -> Viewer:
        with database.session() as db:
            user = create_user(db, name, None, is_admin)
        return Viewer(user.id, user.name, user.is_admin)

    return make
