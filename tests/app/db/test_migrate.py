"""Migrations and `tables.py` say the same, also when two processes start at once."""

import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from app.db.migrate import upgrade
from app.db.session import Database
from app.db.tables import Base
from app.errors import Conflict


@pytest.fixture
def database(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/folder that is not there/100%/beleg.db")
    yield database
    database.close()


def test_the_migrations_make_what_the_tables_say(database):
    upgrade(database)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []


def test_an_id_of_a_content_is_never_used_twice(database):
    upgrade(database)
    with database.engine.connect() as connection:
        made = connection.execute(text("select sql from sqlite_master where name = 'contents'")).scalar()
    assert "AUTOINCREMENT" in made


def test_documents_of_one_name_become_revisions(database, monkeypatch):
    from app.db import migrate

    whole = migrate.command.upgrade
    monkeypatch.setattr(migrate.command, "upgrade", lambda config, _head: whole(config, "0002"))
    upgrade(database)
    monkeypatch.undo()
    with database.engine.begin() as connection:
        connection.execute(text("insert into users values ('u', 'Anna', 'anna', '', 0, 1, 1)"))
        connection.execute(text("insert into collections values ('c', 'u', 'Plans', 0, 1)"))
        for number, state in enumerate(("ready", "ready", "refused"), start=1):
            content = "insert into contents (id, sha256, size, format, state, outcome, refusal_code, refusal, "
            content += "refusal_values, warnings, title, language, has_pages, pages_total, pages_read, passage_count, "
            content += (
                f"attachments, attempts, generation, queued_at, changed_at) values ({number}, '{number}', 1, 'text', "
            )
            content += f"'{state}', '', '', '', '{{}}', '[]', '', '', 1, 0, 0, 0, 0, 0, 1, 1, 1)"
            connection.execute(text(content))
            document = (
                "insert into documents (id, collection_id, content_id, name, folder, unpacked, created_at) values "
            )
            connection.execute(text(document + f"('d{number}', 'c', {number}, 'a.txt', '', 1, {number})"))
        connection.execute(text(document + "('other', 'c', 1, 'b.txt', '', 1, 9)"))
    upgrade(database)
    with database.engine.connect() as connection:
        rows = connection.execute(text("select id, series, revision, replaced_at from documents order by id")).all()
    assert [tuple(row) for row in rows] == [
        ("d1", "d1", 1, 2),
        ("d2", "d1", 2, None),
        ("d3", "d1", 3, None),
        ("other", "other", 1, None),
    ]


def test_upgrading_again_changes_nothing(database):
    upgrade(database)
    upgrade(database)


def test_many_may_start_at_once(database):
    errors = []

    def start():
        own = Database(str(database.engine.url))
        try:
            upgrade(own)
        except Exception as error:
            errors.append(error)
        finally:
            own.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with database.engine.connect() as connection:
        assert connection.execute(text("select count(*) from alembic_version")).scalar() == 1


def test_a_database_of_a_newer_version_is_left_alone(database):
    upgrade(database)
    with database.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(Conflict, match="newer version"):
        upgrade(database)


def test_a_failed_step_leaves_the_old_schema(database, monkeypatch):
    from app.db import migrate

    def break_half_way(config, _revision):
        config.attributes["connection"].execute(text("create table half (id integer)"))
        raise RuntimeError("killed")

    monkeypatch.setattr(migrate.command, "upgrade", break_half_way)
    with pytest.raises(RuntimeError):
        upgrade(database)
    with database.engine.connect() as connection:
        assert connection.execute(text("select count(*) from sqlite_master")).scalar() == 0
