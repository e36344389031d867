"""`parley render`: the exact parameters of each message, and clear words about what cannot be."""

import json
from pathlib import Path

import pytest

from gateway.cli import MISCONFIGURED, run


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "reply.md"
    path.write_text("The **valve** is open.\n\n![map](https://example.com/secret.png)\n")
    return str(path)


def rendered(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    """The messages."""
    assert run(["render", *arguments]) == 0
    parts: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return parts


@pytest.mark.parametrize(
    ("channel", "keys", "text"),
    [
        ("slack", {"text", "blocks"}, "The *valve* is open.\n\nmap (`https://example.com…`)"),
        ("telegram", {"text", "parse_mode"}, "The <b>valve</b> is open.\n\nmap (<code>https://example.com…</code>)"),
        ("discord", {"content"}, "The **valve** is open.\n\nmap (`https://example.com…`)"),
        ("email", {"text", "html"}, "The valve is open.\n\nmap (https://example.com/secret.png)"),
        ("terminal", {"text"}, "The valve is open.\n\nmap (https://example.com/secret.png)"),
    ],
)
def test_each_channel_has_its_own_parameters(
    channel: str, keys: set[str], text: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (part,) = rendered(capsys, "--to", channel, file)
    assert set(part) == keys
    assert part.get("text", part.get("content")) == text


def test_another_limit_gives_more_messages(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(rendered(capsys, "--to", "discord", "--limits", '{"text": 50}', file)) == 2


@pytest.mark.parametrize("limits", ["{", "[50]", '{"text": 7}', '{"text": true}', '{"words": 9}', '{"text": "50"}'])
def test_limits_that_are_none_are_named(limits: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", "--to", "discord", "--limits", limits, file]) == MISCONFIGURED
    assert "--limits" in capsys.readouterr().err


def test_a_channel_that_does_not_exist_is_named(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", "--to", "slck", file]) == MISCONFIGURED
    assert "Did you mean" in capsys.readouterr().err
