"""What a failed call means: facts about it in, one of our errors out. Pure; knows no library's classes.

The status decides first: it is the provider's own word. 500 is no word at all, the library also uses it for whatever
it could not make sense of, so there the kinds of the errors behind it decide.
"""

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from core.domain.errors import ContextTooLong, ModelBroken, ModelError, ModelRefused, ModelUnreachable
from core.domain.secret import MASK, Secret

MAX_REASON = 300
MAX_READ = 4_000
MAX_RETRY_IN = 86_400.0

TOO_LONG = (
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "context limit",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "input too long",
    "too many tokens",
    "maximum input length",
    "exceeds the maximum number of tokens",
    "input tokens exceed",
    "reduce the length of the messages",
)
NOT_AN_ANSWER = (
    "empty or invalid response",
    "with no 'choices'",
    "'choices' that is not a list",
    "invalid response object",
)
PASSING = frozenset({408, 409, 425, 429})
TRANSPORT = frozenset({"APIConnectionError", "TransportError", "OSError", "TimeoutError", "ClientError"})
GARBLED = frozenset({"ValueError", "LookupError", "AttributeError", "TypeError"})
_PREFIX = re.compile(r"^(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?::| -)\s+")
_INNER = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.)+)"')
_TOKEN = re.compile(r"\b(?:sk|pk|rk|key|gsk|xai)-[A-Za-z0-9_-]{8,}|(?<=Bearer )\S{8,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a failed call.

    `kinds` are the class names, with those of their bases, of all errors behind the library's own one. `library` says
    that the library itself raised it as one of its errors. Header values are the provider's, as text.
    """

    message: str
    status: int | None = None
    code: str = ""
    kinds: frozenset[str] = frozenset()
    library: bool = True
    too_long: bool = False
    retry_after: str | None = None
    date: str | None = None


def failure(name: str, facts: Facts, key: Secret | None) -> ModelError:
    """The error that tells the engine what to do next. Its message is one line and never holds the key."""
    reason = readable(facts.message, key)
    status = facts.status
    if _too_long(facts):
        return ContextTooLong(f"{name}: the prompt is longer than the model can read ({reason})")
    if status is not None and status != 500:
        return _by_status(name, status, reason, facts)
    return _by_cause(name, reason, facts)


def retry_in(facts: Facts) -> float | None:
    """How long the provider asked us to wait, in seconds. A date is measured by the provider's own clock."""
    asked = (facts.retry_after or "").strip()
    if not asked:
        return None
    try:
        seconds = float(asked)
    except ValueError:
        seconds = _seconds_until(asked, facts.date)
    return min(max(seconds, 0.0), MAX_RETRY_IN) if seconds == seconds else None


def readable(message: str, key: Secret | None) -> str:
    """One line of plain words: without key, class names and line breaks, cut to a length that fits a status line.

    Of an error in JSON only its own message is taken.
    """
    hidden = (message.replace(key.reveal(), MASK) if key else message)[:MAX_READ]
    inner = _INNER.search(hidden)
    line = " ".join(_TOKEN.sub(MASK, inner.group(1) if inner else hidden).split())
    while (shorter := _PREFIX.sub("", line)) != line:
        line = shorter
    return line if len(line) <= MAX_REASON else f"{line[:MAX_REASON]}..."


def _by_status(name: str, status: int, reason: str, facts: Facts) -> ModelError:
    where = f"[models.{name}]"
    if status in PASSING or status > 500:
        return ModelUnreachable(f"{name}: the provider answers {status} ({reason})", retry_in=retry_in(facts))
    if status in {401, 403}:
        return ModelRefused(f"{name}: the provider does not accept the key, change api_key in {where} ({reason})")
    if status == 402:
        return ModelRefused(f"{name}: the provider wants to be paid first, see its account page ({reason})")
    if status == 404:
        return ModelRefused(f"{name}: no such model there, change model or api_base in {where} ({reason})")
    return ModelRefused(f"{name}: the provider refuses the request with {status}, see {where} ({reason})")


def _by_cause(name: str, reason: str, facts: Facts) -> ModelError:
    if facts.kinds & TRANSPORT:
        return ModelUnreachable(f"{name}: no connection to the provider ({reason})")
    if "ImportError" in facts.kinds:
        return ModelRefused(f"{name}: the model library lacks a package for this provider, install it ({reason})")
    if facts.kinds & GARBLED or any(words in facts.message.lower() for words in NOT_AN_ANSWER):
        return ModelBroken(f"{name}: what came back is not in the protocol; check api_base ({reason})")
    if facts.status == 500 or facts.library:
        return ModelUnreachable(f"{name}: the provider failed ({reason})", retry_in=retry_in(facts))
    return ModelBroken(f"{name}: what came back cannot be used ({reason})")


def _too_long(facts: Facts) -> bool:
    if facts.too_long or facts.code == "context_length_exceeded" or facts.status == 413:
        return True
    words = facts.message.lower()
    return facts.status in {None, 400, 422, 500} and any(phrase in words for phrase in TOO_LONG)


def _seconds_until(date: str, now: str | None) -> float:
    try:
        return (parsedate_to_datetime(date) - parsedate_to_datetime(now or "")).total_seconds()
    except (ValueError, TypeError):
        return float("nan")
