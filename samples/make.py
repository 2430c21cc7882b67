"""Makes the sample documents that are not written by hand: `python samples/make.py` (needs the `dev` extra).

The firm, its people and its figures are invented. Telephone numbers are from the range the German regulator keeps
free for films, addresses end in `.example`.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path

import make_mail
import make_office
import make_pdf

HERE = Path(__file__).resolve().parent

SUPPLIERS = """\
Lieferantennr.;Firma;Ort;Land;Ansprechpartner;Telefon;Warengruppe;Zahlungsziel (Tage);Bewertung;Letztes Audit
L-1004;Hallmann Wälzlager GmbH;Schweinfurt;DE;Jörg Hallmann;+49 40 66969 204;Kugellager;30;B;2025-11-18
L-1011;Stahlhandel Küster KG;Duisburg;DE;Britta Küster;+49 40 66969 211;Werkzeugstahl;45;A;2026-02-03
L-1017;Ferretti Molle S.r.l.;Brescia;IT;Paolo Ferretti;+49 40 66969 217;Druckfedern;60;A;2025-09-24
L-1023;Öberg Precision AB;Västerås;SE;Annika Öberg;+49 40 66969 223;Drehteile;30;A;2026-04-15
L-1029;Plastopol Sp. z o.o.;Gdynia;PL;Marek Wiśniewski;+49 40 66969 229;Kunststoffgriffe;45;C;2026-05-20
L-1032;Gießerei Brömmel GmbH;Olpe;DE;Susanne Brömmel;+49 40 66969 232;Aluminiumguss;30;B;2025-12-09
L-1040;Van der Meer Coatings B.V.;Eindhoven;NL;Joost van der Meer;+49 40 66969 240;Beschichtungen;14;A;2026-03-11
L-1046;Dichtungstechnik Rösch;Weinheim;DE;Tobias Rösch;+49 40 66969 246;O-Ringe und Dichtungen;30;A;2026-01-27
L-1051;Nováček Elektronika s.r.o.;Brno;CZ;Lenka Nováčková;+49 40 66969 251;Steuerplatinen;30;B;2026-06-02
L-1058;Kartonagen Lüttich & Sohn;Bremen;DE;Heinz Lüttich;+49 40 66969 258;Verpackung;21;A;2025-10-14
L-1063;Sächsische Schmierstoffe AG;Chemnitz;DE;Ines Vogel;+49 40 66969 263;Öle und Fette;30;A;2026-02-19
L-1070;Aarhus Kalibrering ApS;Aarhus;DK;Mette Sørensen;+49 40 66969 270;Kalibrierung;14;A;2026-04-29
"""


def main() -> None:
    make_pdf.travel_policy(HERE / "travel-policy.pdf")
    make_pdf.fire_rules(HERE / "brandschutzordnung.pdf")
    make_office.handbook(HERE / "mitarbeiterhandbuch-urlaub-homeoffice.docx")
    make_office.price_list(HERE / "preisliste-2026.xlsx")
    make_office.board_update(HERE / "board-update-q3-2026.pptx")
    make_mail.delay(HERE / "lieferverzug-hallmann.eml")
    suppliers(HERE / "lieferanten.csv")
    for path in (*HERE.glob("*.docx"), *HERE.glob("*.pptx"), *HERE.glob("*.xlsx")):
        path.write_bytes(undated(path.read_bytes()))


def suppliers(path: Path) -> None:
    """As a German Excel exports it: semicolons, Windows-1252, CRLF. Polish and Czech letters do not survive there."""
    rows = [line.split(";") for line in SUPPLIERS.splitlines()]
    plain = str.maketrans("śńčáě", "sncae")
    with path.open("w", encoding="cp1252", newline="") as file:
        csv.writer(file, delimiter=";").writerows([cell.translate(plain) for cell in row] for row in rows)


def undated(data: bytes) -> bytes:
    """The zip file with fixed dates on its members and in its properties: the same text makes the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = undated(old.read(name)) if name.endswith(".xlsx") else old.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2026-09-01T00:00:00Z", content)
            new.writestr(zipfile.ZipInfo(name, (2026, 9, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


if __name__ == "__main__":
    main()
