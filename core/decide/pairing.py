"""Codes by which the owner lets somebody in: one an hour, few a day, and few people at once."""

import base64
import hashlib
from typing import Final

HOUR_MS: Final = 3600 * 1000
DAY_MS: Final = 24 * HOUR_MS
CODES_A_DAY: Final = 3
WAITING: Final = 20


def code_of(key: str) -> str:
    """26 small letters and digits, which hold the 128 random bits of `key` and do not tell it."""
    digest = hashlib.sha256(b"pairing\0" + key.encode()).digest()
    return base64.b32encode(digest[:16]).decode().rstrip("=").lower()


def fingerprint(code: str) -> str:
    """What is kept of a code."""
    return hashlib.sha256(code.strip().lower().encode()).hexdigest()


def may_have_one(now: int, *, asked_at: int, first_at: int, codes: int) -> bool:
    """Whether somebody who has asked before gets a new code."""
    if now < asked_at + HOUR_MS:
        return False
    return codes < CODES_A_DAY or now >= first_at + DAY_MS
