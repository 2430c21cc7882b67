"""People and passwords."""

import pytest
from sqlalchemy import select

from app.accounts import keys, passwords, sessions, users
from app.accounts.first import first_administrator
from app.accounts.types import Viewer
from app.db import tables
from app.errors import Conflict, Forbidden, Invalid, NotFound, SignInRequired

GOOD = "correct horse battery"


def viewer_of(view) -> Viewer:
    return Viewer(view.id, view.name, view.is_admin)


@pytest.fixture
def admin(db) -> Viewer:
    return viewer_of(users.create_user(db, "Admin", GOOD, True))


def test_a_password_is_stored_as_argon2_only(db):
    user = users.create_user(db, "Anna", GOOD)
    stored = db.scalar(select(tables.User.password_hash).where(tables.User.id == user.id))
    assert stored.startswith("$argon2id$")
    assert GOOD not in stored
    assert passwords.matches(stored, GOOD)
    assert not passwords.matches(stored, GOOD + " ")
    assert not passwords.matches("", GOOD)
    assert not passwords.matches("nonsense", GOOD)


@pytest.mark.parametrize("password", ["", "123456789", "x" * 1001])
def test_a_password_has_10_to_1000_characters(db, password):
    with pytest.raises(Invalid) as error:
        users.create_user(db, "Anna", password)
    assert error.value.field == "password"


@pytest.mark.parametrize("twin", ["anna", " ANNA ", "An\u200bna", "Ａｎｎａ"])
def test_names_that_look_alike_are_one_person(db, twin):
    users.create_user(db, "Anna", None)
    with pytest.raises(Conflict):
        users.create_user(db, twin, None)
    assert users.find_user(db, twin).name == "Anna"


@pytest.mark.parametrize("name", ["", "  ", "\u202e", "x" * 201])
def test_a_name_has_1_to_200_characters_that_can_be_seen(db, name):
    with pytest.raises(Invalid):
        users.create_user(db, name, None)


def test_a_percent_sign_in_a_name_breaks_no_message(db):
    users.create_user(db, "100 % Anna", None)
    with pytest.raises(Conflict, match="100 % anna"):
        users.create_user(db, "100 % anna", None)


def test_only_administrators_see_and_change_people(db, admin):
    anna = viewer_of(users.create_user(db, "Anna", None))
    for act in (
        lambda: users.list_users(db, anna),
        lambda: users.deactivate(db, anna, admin.user_id),
        lambda: users.activate(db, anna, admin.user_id),
        lambda: users.set_admin(db, anna, anna.user_id, True),
        lambda: users.create_user(db, "Ben", None, by=anna),
        lambda: sessions.make_link(db, admin.user_id, by=anna),
    ):
        with pytest.raises(Forbidden):
            act()
    assert [user.name for user in users.list_users(db, admin)] == ["Admin", "Anna"]


def test_the_last_administrator_stays(db, admin):
    with pytest.raises(Conflict):
        users.deactivate(db, admin, admin.user_id)
    with pytest.raises(Conflict):
        users.set_admin(db, admin, admin.user_id, False)
    second = users.create_user(db, "Second", None, True)
    users.deactivate(db, admin, second.id)
    with pytest.raises(Conflict):  # an administrator who may not come in does not count
        users.set_admin(db, admin, admin.user_id, False)


def test_deactivating_ends_everything_at_once(db, admin, settings):
    anna = viewer_of(users.create_user(db, "Anna", GOOD))
    secret = sessions.sign_in(db, "anna", GOOD, settings)
    _, key = keys.create_key(db, anna, "laptop")
    link = sessions.make_link(db, anna.user_id)
    users.deactivate(db, admin, anna.user_id)
    for use in (
        lambda: sessions.viewer_of_session(db, secret),
        lambda: keys.viewer_of_key(db, key),
        lambda: sessions.redeem_link(db, link),
        lambda: sessions.sign_in(db, "anna", GOOD, settings),
    ):
        with pytest.raises(SignInRequired):
            use()
    users.activate(db, admin, anna.user_id)
    with pytest.raises(SignInRequired):  # old sessions stay ended
        sessions.viewer_of_session(db, secret)
    sessions.sign_in(db, "anna", GOOD, settings)


def test_a_new_password_asks_for_the_old_one_and_ends_other_sessions(db, settings):
    anna = viewer_of(users.create_user(db, "Anna", GOOD))
    here, there = (sessions.sign_in(db, "anna", GOOD, settings) for _ in range(2))
    for wrong in (None, "", "wrong password"):
        with pytest.raises(Invalid) as error:
            users.set_password(db, anna, "another password", current=wrong)
        assert error.value.field == "current"
    users.set_password(db, anna, "another password", current=GOOD, keep=sessions.token_hash(here))
    assert sessions.viewer_of_session(db, here).name == "Anna"
    with pytest.raises(SignInRequired):
        sessions.viewer_of_session(db, there)
    with pytest.raises(SignInRequired):
        sessions.sign_in(db, "anna", GOOD, settings)
    sessions.sign_in(db, "anna", "another password", settings)


def test_the_first_administrator_comes_by_a_link_and_chooses_a_password(db):
    first = first_administrator(db)
    assert first_administrator(db).viewer == first.viewer
    link = first_administrator(db).link
    with pytest.raises(SignInRequired):  # a newer link ends the one before
        sessions.redeem_link(db, first.link)
    viewer = sessions.viewer_of_session(db, sessions.redeem_link(db, link))
    assert viewer.is_admin
    assert viewer.needs_password
    users.rename_user(db, viewer, "Berta")
    users.set_password(db, viewer, GOOD)
    assert first_administrator(db).link == ""


def test_unknown_people_are_not_found(db, admin):
    for act in (
        lambda: users.deactivate(db, admin, "nobody"),
        lambda: users.find_user(db, "nobody"),
        lambda: users.reset_password(db, "nobody", GOOD),
        lambda: sessions.make_link(db, "nobody"),
    ):
        with pytest.raises(NotFound):
            act()
