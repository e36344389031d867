"""What the store remembers, as text for people and as JSON for programs. Pure: rows in, text out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, tzinfo
from typing import Final, assert_never

from core.domain.chat import ChatKey
from core.domain.step import Asked, Delegated, ModelAnswered, Nudged, Steered, Step, ToolFinished, ToolStarted
from core.store.listing import InboxLine, OutboxLine, Overview, PartLine, StepLine, Trace
from core.store.session import Line
from core.store.session_listing import SessionLine
from core.validation import printable
from gateway.cli.output import table

WORDS: Final = 60
LONGEST_FACT: Final = 10_000
TIMES: Final = frozenset({"at", "received_at", "created_at", "closed_at", "not_before", "began", "last"})


def chat_name(chat: ChatKey) -> str:
    """A conversation in one word."""
    return "/".join(part for part in (chat.channel, chat.account, chat.chat_id, chat.thread_id) if part)


def moment(at: int | None, zone: tzinfo | None) -> str:
    """A time as a person reads it; `zone` None is the machine's own."""
    return "" if at is None else datetime.fromtimestamp(at / 1000, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def age(since: int | None, now: int) -> str:
    """How long ago, in its largest unit."""
    if since is None:
        return ""
    seconds = max(0, (now - since) // 1000)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def record(row: InboxLine | OutboxLine | PartLine | StepLine | SessionLine | Line) -> dict[str, object]:
    """A row for programs: times in ISO 8601, UTC."""
    return {name: _time(value) if name in TIMES else value for name, value in asdict(row).items()}


def inbox_text(lines: Sequence[InboxLine], zone: tzinfo | None) -> str:
    """What came in, newest first."""
    header = ("id", "received", "chat", "from", "state", "text")
    return table(header, [(*_inbox_row(line, zone), printable(line.content, WORDS)) for line in lines])


def outbox_text(lines: Sequence[OutboxLine], zone: tzinfo | None) -> str:
    """What goes out, newest first."""
    header = ("id", "made", "chat", "state", "part", "attempt", "error", "text")
    rows = [
        (
            line.id,
            moment(line.created_at, zone),
            chat_name(line.chat),
            line.state,
            line.part,
            line.attempt,
            line.error,
            printable(line.text, WORDS),
        )
        for line in lines
    ]
    return table(header, rows)


def facts(values: Mapping[str, object]) -> str:
    """One row in full, a line for each thing that is known."""
    known = {name: printable(_words(value), LONGEST_FACT) for name, value in values.items() if value is not None}
    width = max((len(name) for name in known), default=0)
    return "\n".join(f"{name.ljust(width)}  {words}" for name, words in known.items())


def trace_text(trace: Trace, zone: tzinfo | None) -> str:
    """The life of a message in the order in which it happened."""
    happened = sorted(_happened(trace), key=lambda event: event[0])
    lines = [(moment(at, zone), what, printable(detail, 200)) for at, what, detail in happened]
    states = ", ".join(dict.fromkeys(_state(line) for line in trace.said))
    return f"{table(('when', 'what', ''), lines)}\n\nnow: {states}"


def trace_record(trace: Trace) -> dict[str, object]:
    """The same for programs, complete."""
    return {
        "said": [record(line) for line in trace.said],
        "steps": [{"seq": line.stamped.seq, "at": _time(line.at), **asdict(line.stamped.step)} for line in trace.steps],
        "deliveries": [record(line) for line in trace.deliveries],
        "parts": [record(line) for line in trace.parts],
    }


def overview_text(overview: Overview, now: int, zone: tzinfo | None) -> str:
    """The store on one screen."""
    live = f"{overview.running} running, {overview.queued} queued, {overview.waiting} waiting for an answer"
    if overview.oldest_live is not None:
        live += f"; the oldest for {age(overview.oldest_live, now)}"
    lines = [f"chats     {overview.chats}", f"turns     {live}", f"replies   {going_text(overview, now)}"]
    header = ("id", "since", "chat", "why")
    if overview.broken:
        failed = [(one.id, moment(one.received_at, zone), chat_name(one.chat), one.cause) for one in overview.broken]
        lines += ["", "Not answered (parley trace ID):", table(header, failed)]
    if overview.dead_letters:
        dead = [(one.id, moment(one.created_at, zone), chat_name(one.chat), one.error) for one in overview.dead_letters]
        lines += ["", "Not delivered (parley outbox show ID):", table(header, dead)]
    return "\n".join(lines)


def going_text(overview: Overview, now: int) -> str:
    """How the replies are doing, in one line."""
    going = f"{overview.undelivered} on their way, {overview.dead} given up"
    if overview.repeated:
        going += f", {overview.repeated} messages perhaps sent twice"
    if overview.oldest_undelivered is not None:
        going += f"; the oldest for {age(overview.oldest_undelivered, now)}"
    return going


def overview_record(overview: Overview) -> dict[str, object]:
    """The same for programs."""
    return {
        "chats": overview.chats,
        "queued": overview.queued,
        "running": overview.running,
        "waiting": overview.waiting,
        "undelivered": overview.undelivered,
        "dead": overview.dead,
        "repeated": overview.repeated,
        "oldest_live": _time(overview.oldest_live),
        "oldest_undelivered": _time(overview.oldest_undelivered),
        "broken": [record(line) for line in overview.broken],
        "dead_letters": [record(line) for line in overview.dead_letters],
    }


def step_words(step: Step) -> tuple[str, str]:
    """A step as what happened and what to know of it; no text of the conversation."""
    match step:
        case ModelAnswered():
            return "model answered", _answer_words(step)
        case ToolStarted():
            return "tool started", f"call {step.call.step}.{step.call.index}"
        case ToolFinished():
            outcome = "failed" if step.failed else "done"
            return "tool finished", f"call {step.call.step}.{step.call.index} {outcome}, {len(step.result)} characters"
        case Asked():
            return "question asked", f"call {step.call.step}.{step.call.index}"
        case Delegated():
            return "delegated", f"call {step.call.step}.{step.call.index}, frame {step.frame}"
        case Steered():
            return "said meanwhile", f"inbound {step.inbound}"
        case Nudged():
            return "model nudged", f"{len(step.text)} characters"
        case _:
            assert_never(step)


def _answer_words(step: ModelAnswered) -> str:
    calls = f", calls {', '.join(call.name for call in step.calls)}" if step.calls else ""
    cut = ", cut by the output limit" if step.cut else ""
    usage = f"{step.usage.prompt_tokens} tokens read, {step.usage.completion_tokens} written"
    return f"{step.model or 'model'}: {usage}{calls}{cut}"


def _happened(trace: Trace) -> Iterator[tuple[int, str, str]]:
    for line in trace.said:
        who = line.sender_name or line.sender
        yield line.received_at, "received", f"{line.id} from {who} in {chat_name(line.chat)}, event {line.event_key}"
    for step in trace.steps:
        yield (step.at, *step_words(step.stamped.step))
    for one in trace.deliveries:
        yield one.created_at, "reply made", f"delivery {one.id}, {len(one.text)} characters"
        if one.closed_at is not None:
            end = f"receipt {one.receipt}" if one.receipt else one.error or ""
            yield one.closed_at, f"reply {one.state}", f"delivery {one.id}, attempt {one.attempt}, {end}"


def _inbox_row(line: InboxLine, zone: tzinfo | None) -> tuple[object, ...]:
    who = line.sender_name or line.sender
    return (line.id, moment(line.received_at, zone), chat_name(line.chat), who, _state(line))


def _state(line: InboxLine) -> str:
    why = line.drop_reason or line.cause
    return f"{line.state} ({why})" if why else line.state


def _time(at: object) -> object:
    if at == 0:
        return None
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds") if isinstance(at, int) else at


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return "/".join(str(part) for part in value.values() if part)
    return str(value)
