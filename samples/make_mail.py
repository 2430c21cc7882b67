"""The mail sample: German, quoted-printable, with a small CSV attached."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

TEXT = """\
Guten Tag Frau Thomsen,

leider können wir Ihre Bestellung 4500-28817 über 1.200 Rillenkugellager 6204-2RS nicht zum vereinbarten Termin am
28. September 2026 liefern. Nach einem Schaden an unserer Härteanlage läuft die Fertigung seit Montag nur einschichtig.

Wir liefern in zwei Teilen: 450 Stück verlassen unser Werk am 2. Oktober 2026, die restlichen 750 Stück am
19. Oktober 2026. Die Mehrkosten für die zweite Anlieferung tragen selbstverständlich wir; außerdem schreiben wir
Ihnen als Entgegenkommen 3,5 Prozent des Auftragswerts gut.

Sollte Ihre Montage früher Ware brauchen, rufen Sie mich bitte direkt an. Die Typen 6203 und 6205 sind nicht betroffen.

Mit freundlichen Grüßen
Jörg Hallmann
Geschäftsführer
Hallmann Wälzlager GmbH, Schweinfurt
"""
PLAN = "Teillieferung;Menge;Versand;Spedition\r\n1;450;2026-10-02;Elbfracht\r\n2;750;2026-10-19;Elbfracht\r\n"


def delay(path: Path) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Lieferverzug Bestellung 4500-28817 (Kugellager 6204-2RS)"
    mail["From"] = "Jörg Hallmann <j.hallmann@hallmann-waelzlager.example>"
    mail["To"] = "Wiebke Thomsen <w.thomsen@nordlicht-werkzeuge.example>"
    mail["Cc"] = "Einkauf <einkauf@nordlicht-werkzeuge.example>"
    mail["Date"] = "Thu, 17 Sep 2026 08:42:00 +0200"
    mail["Message-ID"] = "<20260917.0842.4500-28817@hallmann-waelzlager.example>"
    mail.set_content(TEXT, cte="quoted-printable")
    mail.add_attachment(PLAN, subtype="csv", filename="teillieferungen-4500-28817.csv")
    mail.set_boundary("=_nordlicht_beispiel")
    path.write_bytes(mail.as_bytes())
