"""The control words of RTF that matter for its text (Rich Text Format 1.9.1)."""

from __future__ import annotations

SIGNS = {
    "tab": " ",
    "line": "\n",
    "lbr": "\n",
    "softline": " ",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "zwj": "\u200d",
    "zwnj": "\u200c",
}
BREAKS = frozenset({"par", "sect", "page", "column"})
MARGINS = {f"{kind}{side}": kind for kind in ("header", "footer") for side in ("", "l", "r", "f")}
# groups whose text nobody sees
_SKIPPED = (
    "colortbl filetbl revtbl listtable listoverridetable pict objclass objname nonshppict nonesttables "
    "themedata colorschememapping datastore latentstyles xmlnstbl mmathPr sp xe tc txe rxe bkmkstart bkmkend "
    "author operator company manager category keywords comment subject doccomm hlinkbase creatim revtim printim buptim "
    "atnid atnref atntime atndate atnparent atnicon ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn template private "
    "generator falt panose fontemb fontfile pn pntxta pntxtb picprop"
)
SKIPPED = frozenset(_SKIPPED.split())
# groups for newer programs that are read all the same; all other starred ones are passed over
KEPT_STARRED = frozenset(
    {
        "shpinst",
        "do",
        "fldinst",
        "annotation",
        "atnauthor",
        "ud",
        "objdata",
        "shppict",
        "nesttableprops",
        "footnote",
        "shptxt",
    }
)
PAGE_FIELDS = (["PAGE"], ["NUMPAGES"], ["SECTIONPAGES"], ["TOC"], ["INDEX"])
