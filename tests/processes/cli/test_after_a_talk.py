"""The verbs that look into a store, after somebody talked in a real terminal channel."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.cli import run
from tests.processes.cli.commanding import ROOT


@pytest.fixture
def talked(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which one message was said and answered."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(home.parent), "PARLEY_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gateway.cli", "chat", "-m", "dear diary"]
    subprocess.run(command, env=clean, check=True, capture_output=True, timeout=50, stdin=subprocess.DEVNULL)
    monkeypatch.setenv("PARLEY_HOME", str(home))
    return home


def test_one_message_is_seen_from_inbox_to_receipt(talked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def says(*arguments: str) -> str:
        assert run(arguments) == 0
        return capsys.readouterr().out

    assert says("inbox", "list").splitlines()[1].endswith("done   dear diary")
    (line,) = json.loads(says("inbox", "list", "--json"))
    assert json.loads(says("inbox", "show", str(line["id"]), "--json")) == line
    traced = says("trace", line["event_key"])
    assert "model answered" in traced
    assert "reply sent" in traced
    assert "dear diary" not in traced
    (delivery,) = json.loads(says("outbox", "list", "--state", "sent", "--json"))
    assert json.loads(says("trace", str(line["id"]), "--json"))["deliveries"] == [delivery]
    assert f"id          {delivery['id']}" in says("outbox", "show", str(delivery["id"]))
    assert "1 (current)" in says("sessions", "list")
    assert "dear diary" in says("sessions", "show", line["event_key"])
    status = says("status")
    assert "chats     1" in status
    assert "gateway   not running" in status
    assert json.loads(says("status", "--json"))["store"]["dead"] == 0
    for act in ("retry", "drop"):
        assert run(["outbox", act, str(delivery["id"])]) == 1
        assert f"see parley outbox show {delivery['id']}" in capsys.readouterr().err


def test_neither_log_file_holds_what_was_said(talked: Path) -> None:
    logged = [file.read_text() for file in (talked / "logs").iterdir()]
    assert len(logged) == 2
    assert all(logged)
    assert not any("dear diary" in text for text in logged)
