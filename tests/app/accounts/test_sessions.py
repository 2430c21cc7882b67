"""Signing in, links, and the limit on guessing."""

import time

import pytest
from argon2 import PasswordHasher
from argon2.profiles import RFC_9106_LOW_MEMORY
from sqlalchemy import func, select, update

from app.accounts import attempts, passwords, sessions, users
from app.db import tables
from app.errors import SignInRequired, TooMany

GOOD = "correct horse battery"


@pytest.fixture
def anna(database):
    with database.session() as db:
        return users.create_user(db, "Anna", GOOD)


def sign_in(database, settings, name, password):
    with database.session() as db:
        return sessions.sign_in(db, name, password, settings)


def test_a_session_is_kept_as_a_hash_and_ends(database, anna, settings):
    secret = sign_in(database, settings, "ANNA", GOOD)
    with database.session() as db:
        assert secret not in str(db.execute(select(tables.Session.token_hash)).all())
        assert sessions.viewer_of_session(db, secret).user_id == anna.id
        sessions.sign_out(db, secret)
        with pytest.raises(SignInRequired):
            sessions.viewer_of_session(db, secret)


def test_a_session_ends_after_its_days(database, anna, settings):
    secret = sign_in(database, settings, "anna", GOOD)
    with database.session() as db:
        db.execute(update(tables.Session).values(expires_at=time.time() - 1))
    with database.session() as db, pytest.raises(SignInRequired):
        sessions.viewer_of_session(db, secret)
    sign_in(database, settings, "anna", GOOD)
    with database.session() as db:
        assert db.scalar(select(func.count()).select_from(tables.Session)) == 1  # the old one was cleared away


def test_wrong_name_and_wrong_password_look_the_same(database, anna, settings, monkeypatch):
    checked = []

    class Counting(PasswordHasher):
        def verify(self, hash, password):
            checked.append(hash)
            return super().verify(hash, password)

    monkeypatch.setattr(passwords, "_hasher", Counting.from_parameters(RFC_9106_LOW_MEMORY))
    seen = []
    for name, password in (("anna", "wrong password"), ("nobody", GOOD), ("an na", GOOD), ("", "")):
        with pytest.raises(SignInRequired) as error:
            sign_in(database, settings, name, password)
        seen.append((str(error.value), error.value.hint, error.value.code))
    assert len(set(seen)) == 1
    assert len(checked) == 4  # the work was done for unknown names, too, and the same work
    assert len({hash.rsplit("$", 2)[0] for hash in checked}) == 1


def test_guessing_is_limited_for_each_name(database, anna, settings):
    for _ in range(attempts.MOST_PER_NAME):
        with pytest.raises(SignInRequired):
            sign_in(database, settings, "anna", "wrong password")
    with pytest.raises(TooMany) as error:
        sign_in(database, settings, "Anna", GOOD)
    assert 0 < error.value.retry_after <= attempts.WINDOW + 1
    with database.session() as db:
        users.create_user(db, "Ben", GOOD)
        db.execute(update(tables.SignInAttempt).values(at=time.time() - attempts.WINDOW - 1))
    sign_in(database, settings, "ben", GOOD)
    sign_in(database, settings, "anna", GOOD)


def test_guessing_is_limited_over_all_names(database, anna, settings, monkeypatch):
    monkeypatch.setattr(attempts, "MOST_OVERALL", 5)
    monkeypatch.setattr(sessions, "matches", lambda _hashed, _password: False)
    for number in range(5):
        with pytest.raises(SignInRequired):
            sign_in(database, settings, f"name {number}", "wrong password")
    with pytest.raises(TooMany):
        sign_in(database, settings, "another", "wrong password")


def test_success_clears_the_failures_of_that_name(database, anna, settings):
    for _ in range(2):
        with pytest.raises(SignInRequired):
            sign_in(database, settings, "anna", "wrong password")
    sign_in(database, settings, "anna", GOOD)
    with database.session() as db:
        assert db.scalar(select(func.count()).select_from(tables.SignInAttempt)) == 0


def test_what_was_typed_as_a_name_is_not_stored(database, settings):
    with pytest.raises(SignInRequired):
        sign_in(database, settings, "my secret password", "anna")
    with database.session() as db:
        assert "secret" not in str(db.execute(select(tables.SignInAttempt.name_hash)).all())


def test_an_old_hash_is_renewed_on_sign_in(database, anna, settings):
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(GOOD)
    with database.session() as db:
        db.execute(update(tables.User).values(password_hash=weak))
    sign_in(database, settings, "anna", GOOD)
    with database.session() as db:
        assert not passwords.needs_rehash(db.scalar(select(tables.User.password_hash)))


def test_a_link_works_once_and_not_for_ever(database, anna):
    with database.session() as db:
        link = sessions.make_link(db, anna.id)
    with database.session() as db:
        assert sessions.viewer_of_session(db, sessions.redeem_link(db, link)).user_id == anna.id
    with database.session() as db, pytest.raises(SignInRequired):
        sessions.redeem_link(db, link)
    with database.session() as db:
        old = sessions.make_link(db, anna.id, days=-1)
    with database.session() as db, pytest.raises(SignInRequired):
        sessions.redeem_link(db, old)
