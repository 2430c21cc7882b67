"""The kinds of file we know: by which bytes or names to tell them, and what to say of those that cannot be read."""

from __future__ import annotations

READABLE = (
    "pdf",
    "docx",
    "pptx",
    "xlsx",
    "odt",
    "ods",
    "odp",
    "rtf",
    "doc",
    "xls",
    "xlsb",
    "ppt",
    "csv",
    "html",
    "markdown",
    "text",
    "eml",
    "epub",
    "json",
    "ipynb",
    "msg",
    "image",
    "zip",
    "mbox",
    "xml",
    "mhtml",
    "calendar",
    "spreadsheetml",
)

SETS = ("zip", "mbox")  # nothing but files, each to become a document of its own

DAMAGED = "The file is damaged. Open it in the program it was made with, save it again and upload the new file."
DAMAGED_ZIP = "The file is damaged: its archive cannot be opened. Save it again and upload the new file."
EMPTY = "The file is empty (0 bytes). Check the original and upload it again."
ENCRYPTED = "The file is password protected. Remove the password in the program it was made with and upload it again."
TOO_MANY_MEMBERS = "The archive lists more files than can be handled. Upload the documents one by one."
NO_MAIL = "The file is named like a mail but holds no mail. Export the mail again and upload the new file."
UNKNOWN = (
    "The content is of no kind that can be read. "
    "Upload PDF, Office or OpenDocument files, mail, web pages, text, pictures or a ZIP archive of such files."
)

NOT_YET = {
    "ole": "Old office files of this kind cannot be read yet. Save it as .docx, .xlsx, .pptx or PDF and upload that.",
    "drawing": "Pictures of this kind cannot be read. Save it as PNG, JPEG or PDF and upload that.",
    "package": "Files of this program cannot be read. Save or export it as PDF and upload that.",
    "archive": "Archives of this kind cannot be read, only .zip. Unpack it and upload the documents in it.",
    "media": "Sound and video cannot be read. Upload a transcript.",
    "program": "Programs cannot be read. Upload documents, mail, pictures or text.",
}

MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"{\\rtf", "rtf"),
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"\x00\x00\x01\x00", "drawing"),
    (b"8BPS", "drawing"),
    (b"\x1f\x8b", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!\x1a\x07", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ\x00", "archive"),
    (b"\x28\xb5\x2f\xfd", "archive"),
    (b"ID3", "media"),
    (b"OggS", "media"),
    (b"fLaC", "media"),
    (b"\x1aE\xdf\xa3", "media"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
)

OLE_STREAMS = (
    ("EncryptedPackage", "encrypted"),
    ("EncryptionInfo", "encrypted"),
    ("__properties_version1.0", "msg"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)

ODF = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-master": "odt",
    "application/vnd.oasis.opendocument.text-web": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.graphics": "odp",
    "application/epub+zip": "epub",
}

# Members by which to tell a program's own file from an archive that people packed
PACKAGED = (".iwa", "meta-inf/manifest.mf", "androidmanifest.xml", "designmap.xml", "fixeddocumentsequence.fdseq")

TEXT_NAMES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".eml": "eml",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".ipynb": "ipynb",
    ".xml": "xml",
    ".mbox": "mbox",
    ".mht": "mhtml",
    ".mhtml": "mhtml",
    ".ics": "calendar",
    ".svg": "drawing",
    ".xls": "csv",  # many programs write a CSV or HTML table and call it .xls
}

BINARY_NAMES = {".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".doc", ".ppt", ".msg", ".zip", ".epub"}
