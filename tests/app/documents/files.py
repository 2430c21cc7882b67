"""Files made for tests."""

from email import message_from_bytes, policy
from email.message import EmailMessage


def mail(*files, text="See the attached plans.", subject="Plans"):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "anna@example.com", "ben@example.com", subject
    message["Date"], message["Message-ID"] = "Mon, 02 Nov 2026 10:00:00 +0100", "<1@example.com>"
    message.set_content(text)
    for name, data in files:
        kind, sub = ("message", "rfc822") if name.endswith(".eml") else ("application", "octet-stream")
        if kind == "message":
            message.add_attachment(message_from_bytes(data, policy=policy.default))
        else:
            message.add_attachment(data, maintype=kind, subtype=sub, filename=name)
    return message.as_bytes()
