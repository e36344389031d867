"""`parley read`: one JSON line an event, and clear words about what cannot be read."""

import json
from pathlib import Path

import pytest

from gateway.cli import MISCONFIGURED, run


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """What was printed, a document a line."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_event_of_a_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "typed.txt"
    file.write_text("hello\n\n/stop now\n")
    assert run(["read", "--from", "terminal", "--self", '{"user": "ann"}', str(file)]) == 0
    said, noise, stop = lines(capsys)
    assert said["inbound"] == {
        "chat": {"channel": "terminal", "account": "ann", "chat_id": "default", "thread_id": None},
        "sender": {"id": "ann", "name": "ann", "kind": "person"},
        "kind": "message",
        "text": "hello",
        "command": None,
        "args": None,
        "attachments": [],
        "event_key": "line.1",
        "reply_to": None,
        "addressed": True,
        "at": 0,
    }
    assert noise == {"dropped": "noise"}
    assert isinstance(stop["inbound"], dict)
    assert (stop["inbound"]["kind"], stop["inbound"]["command"], stop["inbound"]["args"]) == ("command", "stop", "now")


@pytest.mark.parametrize("told", ["[1]", "{", "7"])
def test_a_self_that_is_no_json_object_is_named(told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "typed.txt"
    file.write_text("hello")
    assert run(["read", "--from", "terminal", "--self", told, str(file)]) == MISCONFIGURED
    assert "--self" in capsys.readouterr().err


def test_a_channel_that_does_not_exist_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "typed.txt"
    file.write_text("hello")
    assert run(["read", "--from", "terminl", str(file)]) == MISCONFIGURED
    assert "Did you mean" in capsys.readouterr().err
