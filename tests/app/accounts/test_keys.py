"""Personal API keys."""

import time

import pytest
from sqlalchemy import select, update

from app.accounts import keys
from app.db import tables
from app.errors import Conflict, NotFound, SignInRequired


def test_a_key_is_shown_once_and_stored_as_a_hash(db, person):
    anna = person("anna")
    view, secret = keys.create_key(db, anna, "laptop")
    assert secret.startswith("beleg_")
    assert len(secret) > 40
    assert secret not in str(db.execute(select(tables.ApiKey.token_hash)).all())
    assert keys.viewer_of_key(db, secret).user_id == anna.user_id
    assert keys.list_keys(db, anna)[0].id == view.id


@pytest.mark.parametrize("token", ["", "beleg_", "beleg_" + "x" * 43, "\ud800", "é" * 1000])
def test_anything_else_is_no_key(db, token):
    with pytest.raises(SignInRequired):
        keys.viewer_of_key(db, token)


def test_a_key_of_somebody_else_does_not_exist(db, person):
    anna, ben = person("anna"), person("ben")
    view, secret = keys.create_key(db, anna, "laptop")
    for id in (view.id, "nothing"):
        with pytest.raises(NotFound, match="no such API key"):
            keys.revoke_key(db, ben, id)
    assert keys.list_keys(db, ben) == []
    keys.revoke_key(db, anna, view.id)
    with pytest.raises(SignInRequired):
        keys.viewer_of_key(db, secret)


def test_use_is_noted_at_most_once_a_minute(db, person):
    anna = person("anna")
    _, secret = keys.create_key(db, anna, "laptop")
    keys.viewer_of_key(db, secret)
    first = db.scalar(select(tables.ApiKey.last_used_at))
    keys.viewer_of_key(db, secret)
    assert db.scalar(select(tables.ApiKey.last_used_at)) == first
    db.execute(update(tables.ApiKey).values(last_used_at=time.time() - 61))
    keys.viewer_of_key(db, secret)
    assert db.scalar(select(tables.ApiKey.last_used_at)) >= first


def test_keys_are_limited_in_number(db, person, monkeypatch):
    monkeypatch.setattr(keys, "MOST_KEYS", 2)
    anna = person("anna")
    for name in ("a", "b"):
        keys.create_key(db, anna, name)
    with pytest.raises(Conflict):
        keys.create_key(db, anna, "c")
