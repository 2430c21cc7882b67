"""Words that count as the same."""

from hypothesis import given
from hypothesis import strategies as st

from app.questions.words import Stems, content_stems, related, stem

WORDS = st.lists(st.text("aeinrst", min_size=1, max_size=12), max_size=12)


@given(WORDS, st.text("aeinrst", min_size=1, max_size=12))
def test_kin_are_all_that_are_related(stems, wanted):
    assert Stems(stems).kin(wanted) == {one for one in stems if related(wanted, one)}


def test_forms_and_compounds_are_kin():
    stems = Stems(content_stems("Reisekosten, Hotelrechnungen und Erstattungen; the approved amounts"))
    assert stems.kin(stem("Rechnung"))
    assert stems.kin("approv")
    assert not stems.kin("urlaub")
