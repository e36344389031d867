"""What to do with something that came in: one decision, made while the chat's row is locked."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.decide.commands import Misspelt, parse
from core.decide.gate import Policy, Refused, authorize
from core.decide.sessions import REWINDS, Rewinding
from core.decide.waits import by_text, by_token, closed_card
from core.domain.command import CommandCall, CommandSpec
from core.domain.message import Inbound, InboundKind
from core.domain.texts import Texts
from core.domain.wait import Given, Wait, of_person

# Applied in the intake's own commit, so that no crash can lie between taking a stop and stopping.
_CANCELS = {"stop": False, "new": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatView:
    """The chat as intake finds it: how many turns are live, whether one may run or runs, and what it asks people."""

    live: int
    running: bool
    waits: Sequence[Wait] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the operator set, for all chats alike."""

    policy: Policy
    commands: Sequence[CommandSpec]
    texts: Texts
    queued_chat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueue:
    """Becomes a turn: at once when the chat is idle, else after those before it.

    `waits_for` is somebody else whose answer comes first; the person is told so once.
    """

    waits_for: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Closes a question, and its turn goes on."""

    wait: Wait
    given: Given
    card: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Ends every live turn of the chat; with `cut` a new conversation starts after them."""

    call: CommandCall
    cut: bool
    notice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewind:
    """Changes the history of the chat, and stops what runs as far as that touches it."""

    call: CommandCall
    to: Rewinding


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Is performed beside the running turn."""

    call: CommandCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Starts nothing. With `notice` the person is told why."""

    reason: str
    notice: str | None = None


Decision = Enqueue | Answer | Cancel | Rewind | Command | Drop


def decide(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    """The gate first, then commands, then the queue's bound."""
    role = authorize(inbound.sender, rules.policy)
    if isinstance(role, Refused):
        return Drop(reason=role.reason)
    if inbound.kind is InboundKind.BUTTON:
        return _press(inbound, chat, rules)
    if inbound.kind in (InboundKind.EDIT, InboundKind.DELETE):
        return Drop(reason=f"{inbound.kind}_of_nothing_open")
    call = parse(inbound.content, rules.commands)
    match call:
        case CommandCall(name=name) if name in _CANCELS:
            return Cancel(call=call, cut=_CANCELS[name], notice=_stop_notice(_CANCELS[name], chat, rules.texts))
        case CommandCall(name=name) if name in REWINDS:
            return Rewind(call=call, to=REWINDS[name])
        case CommandCall():
            return Command(call=call)
        case Misspelt(written=written, nearest=nearest):
            notice = rules.texts.say("unknown_command", command=written, nearest=nearest)
            return Drop(reason="unknown_command", notice=notice)
        case None:
            return _answer(inbound, chat, rules) or _enqueue(inbound, chat, rules)


def _answer(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision | None:
    """The next text of the person asked, in the chat where they were asked, is the answer. Nobody else's is."""
    wait = of_person(chat.waits, inbound.sender.user_id)
    given = by_text(wait.question, _with_files(inbound)) if wait else None
    if wait is None or given is None:
        return None
    return Answer(wait=wait, given=given, card=closed_card(wait.question, given, inbound.sender, rules.texts))


def _with_files(inbound: Inbound) -> str:
    """What was said, and the files that came with it: they travel with the answer."""
    files = [f"[file: {file.name}, {file.path or 'not stored'}]" for file in inbound.attachments]
    return "\n".join([inbound.content, *files] if inbound.content.strip() else files)


def _press(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    found = by_token(chat.waits, inbound.content)
    if found is None:
        return Drop(reason="question_closed", notice=rules.texts.say("question_closed"))
    wait, given = found
    asked = wait.question.asked
    if asked.user_id != inbound.sender.user_id:
        return Drop(
            reason="wrong_person", notice=rules.texts.say("question_not_yours", name=asked.name or asked.user_id)
        )
    return Answer(wait=wait, given=given, card=closed_card(wait.question, given, inbound.sender, rules.texts))


def _enqueue(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    if not inbound.content.strip() and not inbound.attachments:
        return Drop(reason="empty")
    waiting = chat.live - chat.running
    if waiting >= rules.queued_chat:
        return Drop(reason="queue_full", notice=rules.texts.say("queue_full", n=waiting))
    first = next(iter(chat.waits), None)
    asked = first.question.asked if first else None
    return Enqueue(waits_for=(asked.name or asked.user_id) if asked else None)


def _stop_notice(cut: bool, chat: ChatView, texts: Texts) -> str:
    if cut:
        return texts.say("new")
    if not chat.live:
        return texts.say("nothing_runs")
    waiting = chat.live - 1
    return texts.say("stopped_dropped", n=waiting) if waiting else texts.say("stopped")
