"""Languages of texts of the length of a paragraph; nothing where a guess would be worth nothing."""

from __future__ import annotations

import pytest

from ingestion.language import detect, guess

TEXTS = {
    "de": "Der Antrag ist vor Beginn der Reise schriftlich bei der zuständigen Abteilung zu stellen. "
    "Er nennt Ziel, Dauer und Zweck der Reise. Nachträglich gestellte Anträge werden nur selten bewilligt.",
    "en": "Employees are entitled to thirty days of paid leave each year. "
    "Requests should be made at least two weeks ahead and are approved by the head of the department.",
    "fr": "Le présent contrat est conclu entre les deux parties pour une durée de deux ans. "
    "Il peut être résilié par écrit avec un préavis de trois mois avant la fin de chaque année.",
    "es": "Los empleados tienen derecho a treinta días de vacaciones al año. "
    "Las solicitudes deben presentarse con dos semanas de antelación al jefe del departamento.",
    "nl": "Uw verzoek is in behandeling genomen door onze afdeling en wij antwoorden binnen twee weken. "
    "Neem bij vragen contact op met de medewerkers van de klantenservice.",
    "pl": "Wniosek należy złożyć na piśmie przed rozpoczęciem podróży. "
    "Wniosek powinien zawierać cel i czas trwania podróży.",
    "el": "Οι εργαζόμενοι δικαιούνται τριάντα ημέρες άδειας κάθε χρόνο "
    "και οι αιτήσεις υποβάλλονται δύο εβδομάδες πριν.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages(language: str) -> None:
    assert detect(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "Hallo", "12345 6789 " * 50, "SKU-8847 A-12 450 B-07\n" * 3, "\x00\ud800 " * 30])
def test_no_guess(text: str) -> None:
    assert detect(text) == ""


def test_a_long_text_is_looked_at_in_parts() -> None:
    assert detect(TEXTS["de"] * 20_000) == "de"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How many days of leave do I have?", "en"),
        ("Wie viele Tage Urlaub habe ich?", "de"),
        ("¿Cuántos días de vacaciones tengo?", "es"),
        ("Combien de jours de congé ai-je ?", "fr"),
        ("Câte zile de concediu am?", "ro"),
        ("Πόσες ημέρες άδειας έχω;", "el"),
        ("Kündigungsfrist", "de"),
        ("PPR-9087", ""),
        ("9087?", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_question_is_guessed(question: str, language: str) -> None:
    assert guess(question) == language
