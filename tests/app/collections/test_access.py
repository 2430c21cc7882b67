"""Who sees which collection: what is not yours does not exist."""

import pytest

from app.collections import edit
from app.collections.access import contents_allowed, find, find_by_name, readable, shares
from app.db import tables
from app.errors import Conflict, Invalid, NotFound


def names(db, viewer):
    return [view.name for view in readable(db, viewer)]


@pytest.fixture
def people(person):
    return person("Anna"), person("Ben"), person("Root", is_admin=True)


def test_a_collection_is_private_until_shared(db, people):
    anna, ben, root = people
    plans = edit.create(db, anna, "Plans")
    assert (plans.mine, plans.may_edit, plans.owner_name, plans.documents) == (True, True, "Anna", 0)
    assert names(db, anna) == ["Plans"]
    assert names(db, ben) == names(db, root) == []


def test_a_foreign_collection_and_an_invented_one_look_the_same_to_everybody(db, people):
    anna, ben, root = people
    plans = edit.create(db, anna, "Plans")
    acts = (
        lambda viewer, id: find(db, viewer, id),
        lambda viewer, id: contents_allowed(db, viewer, id),
        lambda viewer, id: shares(db, viewer, id),
        lambda viewer, id: edit.rename(db, viewer, id, "Mine now"),
        lambda viewer, id: edit.share(db, viewer, id, "ben"),
        lambda viewer, id: edit.unshare(db, viewer, id, "anna"),
        lambda viewer, id: edit.set_everyone(db, viewer, id, True),
        lambda viewer, id: edit.delete(db, viewer, id),
    )
    for viewer in (ben, root):
        for act in acts:
            seen = set()
            for id in (plans.id, "0123456789abcdef", "", "x' or 1=1 --", "\x00"):
                with pytest.raises(NotFound) as error:
                    act(viewer, id)
                seen.add((str(error.value), error.value.hint, error.value.code, error.value.field))
            assert len(seen) == 1
    assert find(db, anna, plans.id) == plans


def test_sharing_to_read_and_to_edit(db, people):
    anna, ben, _ = people
    plans = edit.create(db, anna, "Plans")
    edit.share(db, anna, plans.id, "ben")
    assert (find(db, ben, plans.id).mine, find(db, ben, plans.id).may_edit) == (False, False)
    with pytest.raises(NotFound):
        find(db, ben, plans.id, edit=True)
    edit.share(db, anna, plans.id, "BEN", may_edit=True)
    assert find(db, ben, plans.id, edit=True).may_edit
    with pytest.raises(NotFound):
        find(db, ben, plans.id, own=True)
    assert [(one.user_name, one.may_edit) for one in shares(db, anna, plans.id)] == [("Ben", True)]
    edit.unshare(db, anna, plans.id, "ben")
    with pytest.raises(NotFound):
        find(db, ben, plans.id)


def test_a_person_may_leave_a_shared_collection(db, people):
    anna, ben, _ = people
    plans = edit.create(db, anna, "Plans")
    edit.share(db, anna, plans.id, "ben")
    edit.unshare(db, ben, plans.id, "Ben")
    assert names(db, ben) == []


def test_everyone_reads_and_nobody_else_edits(db, people):
    anna, ben, root = people
    handbook = edit.create(db, anna, "Handbook")
    edit.set_everyone(db, anna, handbook.id, True)
    assert names(db, ben) == names(db, root) == ["Handbook"]
    assert not find(db, root, handbook.id).may_edit
    edit.share(db, anna, handbook.id, "ben", may_edit=True)
    assert find(db, ben, handbook.id, edit=True).everyone
    edit.set_everyone(db, anna, handbook.id, False)
    assert names(db, root) == []


def test_sharing_with_nobody_or_oneself_is_said(db, people):
    anna, _, _ = people
    plans = edit.create(db, anna, "Plans")
    for name in ("nobody", "anna"):
        with pytest.raises(Invalid) as error:
            edit.share(db, anna, plans.id, name)
        assert error.value.field == "user_name"


def test_names_are_ones_own(db, people):
    anna, ben, _ = people
    plans = edit.create(db, anna, "  Plans\u202e\n2026 ")
    assert plans.name == "Plans 2026"
    with pytest.raises(Conflict):
        edit.create(db, anna, "plans 2026")
    other = edit.create(db, ben, "Plans 2026")
    edit.share(db, anna, plans.id, "ben")
    assert find_by_name(db, ben, "PLANS 2026").id == other.id  # one's own first
    assert edit.rename(db, anna, plans.id, "PLANS 2026").name == "PLANS 2026"
    assert find_by_name(db, anna, plans.id).id == plans.id


def test_the_search_gets_ready_contents_of_this_collection_only(db, people):
    anna, ben, _ = people
    plans, other = edit.create(db, anna, "Plans"), edit.create(db, anna, "Other")
    for number, (place, state) in enumerate(
        [(plans, "ready"), (plans, "ready"), (plans, "indexing"), (plans, "refused"), (other, "ready")], start=1
    ):
        db.add(tables.Content(id=number, sha256=str(number), size=1, format="text", state=state))
        db.flush()
        db.add(tables.Document(collection_id=place.id, content_id=number, name=f"{number}.txt"))
    db.flush()
    assert contents_allowed(db, anna, plans.id) == {1, 2}
    with pytest.raises(NotFound):
        contents_allowed(db, ben, plans.id)
