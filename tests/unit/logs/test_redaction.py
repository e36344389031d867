"""No secret in a log, in any form, and no text that makes the search slow."""

import json
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.chat import ChatKey
from core.domain.secret import Secret
from gateway.redaction import LONGEST_READ, LONGEST_TEXT, Redactor, redact

TOKENS = (
    "xoxb-17-42-canarycanary",
    "xapp-1-canarycanary",
    "123456789:AAEcanarycanarycanarycanarycanary012",
    "MTIzNDU2Nzg5MDEyMzQ1Njc4.GcanaX.canarycanarycanarycanarycanary",
    "sk-proj-canarycanary",
    "sk-ant-canary-canary",
    "ghp_canarycanarycanary",
    "AIzacanarycanarycanary",
    "eyJcanarycanary.eyJcanarycanary.canary",
)

secrets = st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=40).filter(
    lambda text: len(set(text.strip())) > 3 and "*" not in text
)


@pytest.mark.parametrize("token", TOKENS)
def test_what_looks_like_a_token_is_masked_wherever_it_stands(token: str) -> None:
    for text in (token, f"got {token}, sorry", f"https://api.test/{token}/send", json.dumps({"x": token})):
        assert "canary" not in redact(text, [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic ***"),
        ("https://user:p@ss:w@rd@host.test/a?b=1", "https://***@host.test/a?b=1"),
        ("https://host.test/a@b", "https://host.test/a@b"),
        ("/bot123456789:AAEabcabcabcabcabcabcabcabcabcabc/getMe", "/bot***/getMe"),
        ("GET /x?key=abcdef&page=2", "GET /x?key=***&page=2"),
        ("{'token': 'abcdef', 'page': 2}", "{'token': '***', 'page': 2}"),
        (r"{\"api_key\": \"abcdef\"}", r"{\"api_key\": \"***\"}"),
        ("password = hunter22 next", "password = *** next"),
        ("max_tokens: 4096, prompt_tokens=12", "max_tokens: 4096, prompt_tokens=12"),
    ],
)
def test_the_words_around_a_token_stay(text: str, shown: str) -> None:
    assert redact(text, []) == shown


@given(secrets, st.text(max_size=30), st.text(max_size=30))
def test_a_known_secret_is_masked_in_every_form(secret: str, before: str, after: str) -> None:
    forms = (secret, quote(secret, safe=""), json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    for form in forms:
        assert form not in redact(f"{before}{form}{after}", [Secret(secret)]).replace("***", "\0")


def test_a_secret_that_begins_with_another_is_masked_as_a_whole() -> None:
    assert redact("canary-1-longer", [Secret("canary-1"), Secret("canary-1-longer")]) == "***"


def test_a_long_text_loses_its_middle_and_says_how_long_it_was() -> None:
    shown = redact("a" * 5_000 + "z" * 5_000, [])
    assert shown.startswith("aaa")
    assert shown.endswith("zzz")
    assert "(10000 characters)" in shown
    assert len(shown) < LONGEST_TEXT + 100


def test_a_secret_on_the_edge_of_what_is_read_leaves_no_half() -> None:
    secret = "canary-" * 300
    for before in range(LONGEST_READ - len(secret), LONGEST_READ + 1, 150):
        assert "canary" not in redact("." * before + secret, [Secret(secret)])
    assert "canary" not in redact(secret * 60, [Secret(secret)])


def test_what_people_said_is_shown_by_its_length_only() -> None:
    shown = Redactor([]).fields({"text": "dear diary", "data": {"content": ["dear"], "n": 3}, "event": "x"})
    assert shown == {"text": "(10 characters)", "data": {"content": "(list)", "n": 3}, "event": "x"}


def test_any_value_becomes_plain_json_without_its_secrets() -> None:
    redactor = Redactor([Secret("canary-1")])
    chat = ChatKey(channel="a", account="b", chat_id="c")
    value = {
        "s": Secret("canary-2"),
        "l": ("canary-1", {1}),
        "b": b"canary-1",
        "o": [object],
        "chat": chat,
        "canary-1": None,
    }
    shown = redactor.value(value)
    text = json.dumps(shown)
    assert "canary" not in text
    assert '"chat_id": "c"' in text


def test_depth_and_number_of_items_are_bounded() -> None:
    deep: object = "end"
    for _ in range(5_000):
        deep = [deep]
    assert len(json.dumps(Redactor([]).value([deep, list(range(1_000))]))) < 10_000


@pytest.mark.parametrize(
    "piece", ["a", "eyJ-", "://", "://a", "@", "token", "bearer ", "M", "M..", "1", "token = ", "'\"", "eyJa."]
)
def test_no_text_makes_the_search_slow(piece: str) -> None:
    redactor = Redactor([Secret("canary-1")])
    text = piece * (LONGEST_READ // len(piece))
    started = time.process_time()
    redactor.text(text)
    assert time.process_time() - started < 0.6  # 100 ms for each 10,000 characters; it takes about 2
