"""The word lists that questions and answers are read with: little words, abbreviations, months, numbers, units."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal


def _set(*lists: str) -> frozenset[str]:
    return frozenset(word for text in lists for word in text.split())


def _by_word(lists: Iterable[tuple[str, str]]) -> dict[str, str]:
    """word -> meaning, from (meaning, its words)."""
    return {word: meaning for meaning, words in lists for word in words.split()}


ENGLISH = _set(
    """
    a an the and or but if then than that this these those there here of in on at by for from to with within
    into onto over under about as is are was were be been being am do does did done has have had having will
    would shall should can could may might must it its they them their he she his her him you your we our us i
    me my who whom whose which what when where why how also just only so such very any some all each every both
    either more most other same own too up out off per via not no nor never none without neither cannot isn aren
    wasn weren don doesn didn won wouldn shouldn couldn hasn haven hadn t s ll re ve d let get gets got
    """,
)
GERMAN = _set(
    """
    der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als dass daß dies diese
    dieser dieses diesem diesen jene es sie er ihn ihm ihr ihre ihrer ihren ihrem ihres sein seine seiner seinen
    seinem seines wir uns unser unsere ich mich mir du dich dir man sich ist sind war waren sein bin bist wird
    werden wurde wurden worden hat haben hatte hatten kann können könnte konnten darf dürfen dürfte muss müssen
    musste soll sollen sollte sollten will wollen möchte mag in im an am auf aus bei beim bis durch für gegen
    hinter mit nach neben ohne über um unter von vom vor zu zum zur zwischen auch nur noch schon sehr so wie was
    wer wen wem wessen wo wann warum welche welcher welches welchem welchen alle alles aller allen jede jeder
    jedes jedem jeden hier dort da daher dabei dafür damit dazu davon daran darauf darin nicht kein keine keinen
    keinem keiner keines nie niemals weder noch nein ja etwa sowie bzw lt laut gemäß
    """,
)
# Words that carry no content; English first, then German.
STOP = ENGLISH | GERMAN
# More words that tell a question's language, though they carry content.
ENGLISH_ASKED = _set("much many long please show list explain give day days often cost costs mean happens allowed need")
GERMAN_ASKED = _set(
    """
    kostet kosten gibt gilt heißt steht wieviel viel viele netto brutto lange hoch bitte zeige nenne erkläre mehr
    weniger tage tagen oft bedeutet passiert erlaubt braucht bekommt bekomme zahlt
    """
)
# What an answer says about its sources, not about the matter.
CONNECTIVE = _set(
    """
    according document documents passage passages text source sources section states state stated mention
    mentioned mentions describe described describes provide provided provides following follows include includes
    included including however therefore thus additionally furthermore moreover overall summary example
    specifically based yes answer question information means mean refer refers dokument dokumente dokumenten
    passage passagen quelle quellen abschnitt angegeben beschrieben erwähnt folgende folgenden folgendes lautet
    beträgt jedoch daher zudem außerdem zusammenfassend beispiel antwort frage enthält enthalten heißt bedeutet
    the
    """,
)
# Words that turn a sentence round.
NEGATORS = _set(
    """
    not no never none neither nor cannot without nobody nothing nowhere nicht kein keine keinen keinem keiner
    keines nie niemals weder ohne niemand nichts nirgends excluded excludes exclude ausgeschlossen unless
    """,
)
# Words that point back to what was said before.
LEANING = _set(
    """
    it its they them their theirs he him his she her hers this that these those there former latter same one
    ones also er ihm ihn sein seine seiner seinen seinem dessen deren ihnen dies diese dieser dieses diesem
    diesen das dort dabei dafür dazu davon daran darauf darin damit dagegen daraus hierfür hierzu solche solcher
    solches genannte genannten auch
    """,
)
# A full stop after these ends no sentence...
ABBREVIATIONS = _set(
    """
    e.g i.e vs etc approx dr mr mrs ms prof st no nos fig figs eq sec ch art pp p vol ed eds al inc ltd co corp
    dept est jan feb mar apr jun jul aug sep sept oct nov dec a.m p.m u.s u.k ph.d z.b d.h u.a o.ä u.ä i.d.r z.t
    v.a s.o s.u z.zt b.z.w m.w o.g u.u i.s.d i.v.m n.chr v.chr bzw usw nr nrn abs ca inkl exkl zzgl ggf evtl
    bspw sog vgl max min mind std tel str hr fr abt anl ziff kap bd hrsg dipl ing jh okt dez mrz ges lt gem art
    s mio mrd tsd zzt wg
    """,
)
# ... after these only when no figure follows, after those also before a capital letter.
ABBREVIATIONS_OF_NUMBERS = _set("no nos nr art fig figs min max sec ch p pp vol gem")
ABBREVIATIONS_AT_ENDS = _set("etc usw a.m p.m inc ltd co corp u.a al")
ARTICLES_BEFORE_ORDINALS = _set(
    "der die das dem den des im am zum zur vom ab bis seit und oder jeder jede jedes jeden ein eine einen einem"
)
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar jan jänner", "february februar feb febr", "march märz mar mrz maerz", "april apr",
            "may mai", "june juni jun", "july juli jul", "august aug", "september sep sept",
            "october oktober oct okt", "november nov", "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
NUMBERS = {
    word: Decimal(value)
    for value, words in {
        0: "zero null", 1: "one eins ein eine einen einem einer eines once einmal", 2: "two zwei twice zweimal",
        3: "three drei dreimal", 4: "four vier viermal", 5: "five fünf", 6: "six sechs", 7: "seven sieben",
        8: "eight acht", 9: "nine neun", 10: "ten zehn", 11: "eleven elf", 12: "twelve zwölf",
        13: "thirteen dreizehn", 14: "fourteen vierzehn", 15: "fifteen fünfzehn", 16: "sixteen sechzehn",
        17: "seventeen siebzehn", 18: "eighteen achtzehn", 19: "nineteen neunzehn", 20: "twenty zwanzig",
        30: "thirty dreißig dreissig", 40: "forty vierzig", 50: "fifty fünfzig", 60: "sixty sechzig",
        70: "seventy siebzig", 80: "eighty achtzig", 90: "ninety neunzig", 100: "hundred hundert",
    }.items()
    for word in words.split()
}  # fmt: skip
# Number words that are often no figure: "one of them", "die acht".
LOOSE_NUMBERS = _set("one ein eine einen einem einer eines once einmal null acht hundred")
SCALES = {
    "thousand": 3, "tausend": 3, "tsd": 3, "k": 3, "million": 6, "millions": 6, "millionen": 6, "mio": 6,
    "billion": 9, "milliarde": 9, "milliarden": 9, "mrd": 9, "bn": 9,
}  # fmt: skip
UNITS = {
    name: unit
    for unit, names in {
        "%": "% percent prozent pct", "EUR": "€ eur euro euros", "USD": "$ usd dollar dollars us$",
        "GBP": "£ gbp pound pounds pfund", "CHF": "chf franken fr", "second": "second seconds sekunde sekunden sec",
        "minute": "minute minutes minuten min", "hour": "hour hours stunde stunden hr hrs",
        "day": "day days tag tage tagen arbeitstage arbeitstagen werktage werktagen kalendertage kalendertagen",
        "week": "week weeks woche wochen", "month": "month months monat monate monaten",
        "quarter": "quarter quarters quartal quartale quartalen", "year": "year years jahr jahre jahren",
        "km": "km kilometer kilometers kilometre kilometres", "m": "m meter meters metre metres metern",
        "cm": "cm centimeter zentimeter", "mm": "mm millimeter", "kg": "kg kilogram kilogramm kilo",
        "g": "g gram grams gramm", "t": "tonne tonnes tonnen", "l": "l liter litre litres liters",
        "kw": "kw", "kwh": "kwh", "w": "watt", "v": "v volt", "bar": "bar", "°c": "°c",
    }.items()
    for name in names.split()
}  # fmt: skip
