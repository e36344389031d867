"""What the facts of a failed call mean, where no provider in the tests tells them."""

import pytest

from core.domain.errors import ModelBroken, ModelError, ModelRefused, ModelUnreachable
from core.domain.secret import Secret
from core.models.failures import Facts, failure, readable, retry_in


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (Facts(message="boom", kinds=frozenset({"OSError"})), ModelUnreachable),
        (Facts(message="boom", status=500, kinds=frozenset({"LookupError"})), ModelBroken),
        (Facts(message="boom", status=400, kinds=frozenset({"LookupError"})), ModelRefused),
        (Facts(message="no boto3", kinds=frozenset({"ImportError"}), library=False), ModelRefused),
        (Facts(message="boom"), ModelUnreachable),
        (Facts(message="boom", library=False), ModelBroken),
        (Facts(message="moved", status=302), ModelRefused),
        (Facts(message="too early", status=425), ModelUnreachable),
        (Facts(message="cloudflare", status=522), ModelUnreachable),
    ],
)
def test_what_decides_is_the_status_then_the_cause(facts: Facts, expected: type[ModelError]) -> None:
    assert type(failure("main", facts, None)) is expected


def test_a_date_to_wait_for_is_measured_by_the_provider_s_own_clock() -> None:
    facts = Facts(
        message="", retry_after="Wed, 21 Oct 2015 07:28:30 GMT", date="Wed, 21 Oct 2015 07:28:00 GMT", status=429
    )
    assert retry_in(facts) == 30.0


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("0", 0.0), ("1.5", 1.5), ("-3", 0.0), ("1e99", 86_400.0), ("nan", None), ("inf", 86_400.0), ("  ", None)],
)
def test_the_time_to_wait_is_always_a_sensible_number(asked: str, expected: float | None) -> None:
    assert retry_in(Facts(message="", retry_after=asked)) == expected


def test_a_reason_is_one_short_line_without_class_names() -> None:
    words = readable("litellm.RateLimitError: RateLimitError: OpenAIException - slow\n\n  down", None)
    assert words == "slow down"


def test_of_an_error_in_json_only_its_message_is_shown() -> None:
    body = 'AnthropicException - {"type": "error", "error": {"type": "overloaded_error", "message": "Too busy"}}'
    assert readable(body, None) == "Too busy"


@pytest.mark.parametrize(
    "message",
    ["wrong key my-own-key.9!", "header Bearer my-own-key.9! sent", "keys sk-proj-AbCdEf012345 and gsk-0123456789abc"],
)
def test_a_reason_shows_no_key(message: str) -> None:
    words = readable(message, Secret("my-own-key.9!"))
    assert "my-own-key" not in words
    assert "AbCdEf012345" not in words
    assert "0123456789abc" not in words
    assert "***" in words


def test_an_empty_key_hides_nothing() -> None:
    assert readable("plain words", Secret("")) == "plain words"
