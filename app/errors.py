"""The error tree. Every error a person can meet says what happened and what to do next; `web/errors.py` renders it.

    BelegError
    ├── SignInRequired      401  no session, no key, or it ended
    ├── Forbidden           403  signed in, but only an administrator may do this
    ├── NotFound            404  does not exist, or is not yours: the two look the same
    ├── Conflict            409  the name is taken, the state does not allow it
    ├── TooLarge            413  more bytes than the limit
    ├── UnsupportedType     415  the content is of no kind that can be read
    ├── Invalid             422  a value that cannot be accepted; `field` says which
    ├── TooMany             429  too many tries; `retry_after` seconds
    ├── EngineFailed        502  the engine stopped while answering
    ├── NotReady            503  the engine or index is still starting
    └── OutOfSpace          507  the disk is full

`message` and `hint` are English templates filled from `values`; they are the keys of the message catalogue, so the
pages can show them in the reader's language. `code` is stable and meant for programs.
"""

from __future__ import annotations


class BelegError(Exception):
    """Base of all errors that are shown to people."""

    status = 500
    code = "internal"

    def __init__(self, message: str, hint: str = "", *, code: str = "", field: str = "", **values: str | int) -> None:
        super().__init__(message % values if values else message)
        self.message = message
        self.hint = hint
        self.field = field
        self.values = values
        self.code = code or type(self).code


class SignInRequired(BelegError):
    status, code = 401, "sign_in_required"


class Forbidden(BelegError):
    status, code = 403, "forbidden"


class NotFound(BelegError):
    status, code = 404, "not_found"


class Conflict(BelegError):
    status, code = 409, "conflict"


class TooLarge(BelegError):
    status, code = 413, "too_large"


class UnsupportedType(BelegError):
    status, code = 415, "unsupported_type"


class Invalid(BelegError):
    status, code = 422, "invalid"


class TooMany(BelegError):
    status, code = 429, "too_many"
    retry_after = 60


class EngineFailed(BelegError):
    status, code = 502, "engine_failed"


class NotReady(BelegError):
    status, code = 503, "not_ready"
    retry_after = 5


class OutOfSpace(BelegError):
    status, code = 507, "out_of_space"
