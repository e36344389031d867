"""One escaped, bounded line for each event; ids on it, secrets and words of people not."""

import io
import json
import logging
import warnings
from collections.abc import Sequence

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.chat import ChatKey
from core.domain.secret import Secret
from gateway.home import Home
from gateway.logs import LONGEST_LINE, LONGEST_SHORT_LINE, logging_to
from gateway.redaction import Redactor
from gateway.sections import LogSettings

CANARY = "canary-1-canary"
REDACTOR = Redactor([Secret(CANARY)])
PLAIN = LogSettings()


def raw(home: Home) -> str:
    """All that was logged."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(home.logs.glob("parley.log*")))


def events(home: Home) -> Sequence[dict[str, object]]:
    """All that was logged, as records."""
    return [json.loads(line) for line in raw(home).splitlines()]


def test_an_event_carries_its_ids_and_what_was_bound(home: Home) -> None:
    chat = ChatKey(channel="fake", account="a", chat_id="c")
    with logging_to(home, PLAIN, REDACTOR), structlog.contextvars.bound_contextvars(chat=chat, turn=4):
        structlog.get_logger("core.x").info("delivery.sent", delivery=7)
        logging.getLogger("core.y").warning("delivery.%s", "late", extra={"delivery": 8})
    first, second = events(home)
    assert (first["event"], first["level"], first["logger"], first["turn"], first["delivery"]) == (
        "delivery.sent",
        "info",
        "core.x",
        4,
        7,
    )
    assert first["chat"] == {"channel": "fake", "account": "a", "chat_id": "c", "thread_id": None}
    assert (second["event"], second["level"], second["turn"], second["delivery"]) == ("delivery.late", "warning", 4, 8)


def test_an_error_keeps_its_traceback_on_the_same_line(home: Home) -> None:
    with logging_to(home, PLAIN, REDACTOR):
        try:
            raise ValueError(f"no\nluck with {CANARY}")
        except ValueError:
            structlog.get_logger("core.x").exception("turn.failed")
            logging.getLogger("sdk").exception("it failed")
    for event in events(home):
        assert "Traceback" in str(event["exception"])
        assert "luck with ***" in str(event["exception"])
    assert len(events(home)) == 2


def test_a_token_in_the_url_of_an_exception_and_a_header_in_an_answer_are_masked(home: Home) -> None:
    with logging_to(home, PLAIN, REDACTOR):
        log = logging.getLogger("core.x")
        try:
            raise OSError("https://api.test/bot123456789:AAEcanarycanarycanarycanarycanary/send failed")
        except OSError:
            log.exception("send.failed")
        log.error("provider said %s", {"headers": {"Authorization": "Bearer canary-header"}})
    assert "canary" not in raw(home)


def test_what_sdks_say_below_a_warning_is_left_out_even_when_we_debug(home: Home) -> None:
    with logging_to(home, LogSettings(level="debug"), REDACTOR):
        logging.getLogger("some_sdk").debug("payload: dear diary")
        logging.getLogger("some_sdk").info("connected")
        logging.getLogger("channels.fake").debug("ours")
    assert [event["event"] for event in events(home)] == ["connected", "ours"]


def test_what_sdks_say_below_a_warning_is_left_out_in_general(home: Home) -> None:
    with logging_to(home, PLAIN, REDACTOR):
        logging.getLogger("some_sdk").info("connected")
        logging.getLogger("some_sdk").warning("odd")
        logging.getLogger("core.x").debug("detail")
        structlog.get_logger("core.x").debug("detail")
    assert [event["event"] for event in events(home)] == ["odd"]


def test_warnings_of_python_become_events(home: Home) -> None:
    with logging_to(home, PLAIN, REDACTOR), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"old {CANARY}", DeprecationWarning, stacklevel=1)
    (event,) = events(home)
    assert "old ***" in str(event["event"])


def test_a_record_that_cannot_be_formatted_or_written_stops_nothing_and_prints_nothing(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(home, PLAIN, REDACTOR):
        logging.getLogger("core.x").info("%d messages", CANARY)
        home.logs.joinpath("parley.log").unlink(missing_ok=True)
        home.logs.rmdir()
        logging.getLogger("core.x").info("nowhere to go %s", CANARY)
    assert capsys.readouterr() == ("", "")


def test_a_line_is_bounded_and_keeps_its_ids(home: Home) -> None:
    with logging_to(home, PLAIN, REDACTOR):
        many = {f"key{number}": "x" * 100_000 for number in range(40)}
        structlog.get_logger("core.x").info("name.odd", turn=3, **many)
    (event,) = events(home)
    assert len(raw(home)) <= LONGEST_LINE
    assert (event["event"], event["turn"]) == ("name.odd", 3)


def test_the_terminal_gets_one_short_line_for_a_warning_and_none_for_the_rest(home: Home) -> None:
    terminal = io.StringIO()
    with logging_to(home, PLAIN, REDACTOR, terminal):
        log = structlog.get_logger("core.x")
        log.info("all.well")
        log.warning("store.slow", chat="a\nb\x1b[2J", why="x" * 10_000, key=CANARY)
        try:
            raise ValueError("bad")
        except ValueError:
            log.exception("turn.failed", turn=4)
    first, second = terminal.getvalue().splitlines()
    assert first.startswith("warning: store.slow")
    assert len(first) <= LONGEST_SHORT_LINE + 3
    assert first.isprintable()
    assert CANARY not in first
    assert second == "error: turn.failed logger=core.x turn=4"


def test_what_was_set_up_before_is_back_afterwards(home: Home) -> None:
    root = logging.getLogger()
    before = (root.handlers[:], root.level, logging.raiseExceptions, structlog.is_configured())
    with logging_to(home, PLAIN, REDACTOR):
        pass
    assert (root.handlers[:], root.level, logging.raiseExceptions, structlog.is_configured()) == before


hostile = st.text(max_size=60) | st.sampled_from(
    [
        'anna\r\n{"event": "owner.added", "level": "info"}',
        "\x1b]52;c;Y2FuYXJ5\x07\x1b[31m",
        "a" * 1_000_000,
        "\u2028\u2029\x85\x0b\x0c\x1c",
        "\udc80\ud800",
        "\u202eexe.txt",
        "\x00",
    ]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hostile, hostile, st.booleans())
def test_whatever_a_name_holds_it_is_one_printable_line_without_secrets(
    home: Home, name: str, event: str, structured: bool
) -> None:
    for path in home.logs.iterdir():
        path.unlink()
    with logging_to(home, PLAIN, REDACTOR):
        if structured:
            structlog.get_logger("core.x").info(event + CANARY, name=f"{name}{CANARY}", nested=[{name: CANARY}])
        else:
            logging.getLogger("sdk").error("%s said %s", name, f"{event}{CANARY}", extra={"who": name + CANARY})
    text = raw(home)
    assert text.count("\n") == 1
    assert text[:-1].isascii()
    assert text[:-1].isprintable()
    assert len(text) <= LONGEST_LINE
    assert CANARY not in text
    assert json.loads(text)["level"] in {"info", "error"}
