"""What may stand in a log: no secret, no control character, no end of text. Pure, and linear in the text's length."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Final
from urllib.parse import quote

from core.domain.chat import ChatKey
from core.domain.secret import MASK, Secret

LONGEST_TEXT: Final = 4_000
LONGEST_READ: Final = 64_000
MOST_ITEMS: Final = 50
DEEPEST: Final = 6

# Keys whose values are what people and models said. They are logged by their length only.
SPOKEN: Final = frozenset(
    {"text", "content", "body", "prompt", "message_text", "caption", "arguments", "result", "reply", "draft"}
)

_KEY: Final = r"(?:api[_-]?key|token|secret|password|passwd|authorization)"
_QUOTE: Final = r"(?:\\?[\"'])?"

# What looks like a token; `keep` is what may stay. Two runs of one class never meet unless something outside the class
# must stand before the first, so a search cannot become slow on any text.
PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<keep>://)[^\s/\\\"'<>]+(?=@)",
        r"(?i)(?P<keep>bearer )[\w.~+/=-]{6,}",
        r"(?i)(?P<keep>basic )[\w+/=-]{8,}",
        r"\bxox[a-z]-[\w-]{6,}",
        r"\bxapp-[\w-]{6,}",
        r"(?<![\w-])(?P<keep>bot)?\d{6,12}:[\w-]{30,}",
        r"(?<![\w-])[MNO][\w-]{22,28}\.[\w-]{6,7}\.[\w-]{27,}",
        r"\bsk-[\w-]{8,}",
        r"\b(?:AIza|ghp_|gho_|github_pat_|glpat-|hf_|gsk_|AKIA)[\w-]{12,}",
        r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}",
        r"(?P<keep>[?&](?:key|sig)=)[^\s&\"'<>]{4,}",
        rf"(?i)(?P<keep>{_KEY}{_QUOTE}\s{{0,4}}[=:]\s{{0,4}}{_QUOTE})(?!bearer |basic )[^\s\\\"'&,;<>)}}\]*]{{4,}}",
    )
)


class Redactor:
    """Masks the given secrets and whatever looks like a token. Built once: the values become one search."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        # Longest first: a secret that begins with another one is masked as a whole.
        forms = sorted({form for secret in secrets for form in _forms(secret)}, key=len, reverse=True)
        self._longest = len(forms[0]) if forms else 0
        self._secrets = re.compile("|".join(re.escape(form) for form in forms)) if forms else None

    def text(self, text: str, length: int = LONGEST_TEXT) -> str:
        """The text without secrets; more than `length` characters lose their middle, after the masking."""
        shown = text[:LONGEST_READ]
        if self._secrets:
            shown = self._secrets.sub(MASK, shown)
        for pattern in PATTERNS:
            shown = pattern.sub(_masked, shown)
        if len(text) > LONGEST_READ:
            # The cut may have gone through a secret: what could be a part of one goes too.
            shown = shown[: max(0, len(shown) - self._longest)]
        elif len(shown) <= length:
            return shown
        half = length // 2
        tail = shown[-half:] if len(shown) > length else ""
        return f"{shown[: length - len(tail)]} ... ({len(text)} characters) ... {tail}"

    def known(self, text: str) -> str:
        """The text without the given secrets; what only looks like a token stays."""
        return self._secrets.sub(MASK, text) if self._secrets else text

    def value(self, value: object, depth: int = 0) -> object:
        """The value as plain JSON values, every text in it masked, every list and depth bounded."""
        match value:
            case None | bool() | int() | float():
                return value
            case str():
                return self.text(value)
            case Secret():
                return MASK
            case ChatKey():
                return self.fields(asdict(value), depth + 1)
            case bytes() | bytearray():
                return f"({len(value)} bytes)"
            case Mapping() | Sequence() | set() | frozenset() if depth >= DEEPEST:
                return f"({type(value).__name__})"
            case Mapping():
                return self.fields(value, depth + 1)
            case Sequence() | set() | frozenset():
                return [self.value(item, depth + 1) for item in list(value)[:MOST_ITEMS]]
            case _:
                return self.text(str(value))

    def fields(self, fields: Mapping[str, object], depth: int = 0) -> dict[str, object]:
        """A record: what was said is shown by its length only."""
        shown: dict[str, object] = {}
        for name, value in list(fields.items())[:MOST_ITEMS]:
            key = self.text(str(name), 100)
            shown[key] = _length(value) if key in SPOKEN else self.value(value, depth)
        return shown


def redact(text: str, secrets: Iterable[Secret]) -> str:
    """The text without these secrets, in any form that they take in a URL, and without whatever looks like a token."""
    return Redactor(secrets).text(text)


def _forms(secret: Secret) -> set[str]:
    """The secret as it is, as a URL writes it and as JSON does."""
    value = secret.reveal()
    if not value.strip():
        return set()
    in_json = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    return {value, quote(value, safe="", errors="replace"), quote(value, errors="replace"), *in_json}


def _masked(found: re.Match[str]) -> str:
    kept = found.groupdict().get("keep")
    return f"{kept or ''}{MASK}"


def _length(value: object) -> object:
    return f"({len(value)} characters)" if isinstance(value, str) else f"({type(value).__name__})"
