"""Passwords: argon2id (RFC 9106, the second recommended setting), at most two at a time because each takes 64 MiB."""

from __future__ import annotations

import threading
from functools import lru_cache

from argon2 import PasswordHasher, profiles
from argon2.exceptions import InvalidHashError, VerificationError

from app.errors import Invalid

SHORTEST = 10
LONGEST = 1000
_hasher = PasswordHasher.from_parameters(profiles.RFC_9106_LOW_MEMORY)
_turn = threading.BoundedSemaphore(2)


def check_new(password: str) -> str:
    """The password, if it is long enough. No other rule: length is what helps (NIST SP 800-63B). Errors: Invalid."""
    if len(password) < SHORTEST:
        raise Invalid(
            "A password needs at least %(least)s characters.",
            "Choose a longer one; a few words in a row are easy to remember.",
            field="password",
            least=SHORTEST,
        )
    if len(password) > LONGEST:
        raise Invalid("That password is too long.", "Use up to %(most)s characters.", field="password", most=LONGEST)
    return password


def hash_password(password: str) -> str:
    with _turn:
        return _hasher.hash(password)


def matches(hashed: str, password: str) -> bool:
    """Whether the password is the one. Takes as long when `hashed` is empty (nobody of that name, no password
    yet)."""
    with _turn:
        try:
            right = _hasher.verify(hashed or _nobody(), password[: LONGEST + 1])
        except (VerificationError, InvalidHashError):
            return False
    return right and bool(hashed)


def needs_rehash(hashed: str) -> bool:
    """Whether it was made with weaker parameters than today's."""
    return _hasher.check_needs_rehash(hashed)


@lru_cache(maxsize=1)
def _nobody() -> str:
    return _hasher.hash("nobody has this password")
