"""A message or a button meets an open question."""

from collections.abc import Sequence

from core.decide.approval import VERDICTS
from core.decide.decisions import Answer, Drop
from core.decide.gate import may_approve
from core.decide.view import Answerers, ChatView, Rules
from core.decide.waits import ALWAYS, by_text, by_token, by_verdict, closed_card
from core.domain.command import CommandCall
from core.domain.message import Inbound
from core.domain.wait import Given, Wait, WaitKind

# The verdict that a command stands for when it names none.
DECIDING = {"approve": "once", "deny": "deny"}
_LONGEST_ID = 18


def answer(inbound: Inbound, said: str, chat: ChatView, rules: Rules) -> Answer | Drop | None:
    """The next text of the person asked, in the chat where they were asked, is the answer; a reply to the card of a
    question is an answer to that one. Nobody else's text is, unless the operator let others answer too.
    """
    found = _meant(inbound, [wait for wait in chat.waits if _takes_words(wait) and _may_answer(inbound, wait, rules)])
    if len(found) > 1:
        return Drop(reason="which_question", notice=rules.texts.say("which_question"), kept=True)
    given = by_text(found[0].question, _with_files(inbound, said)) if found else None
    if given is None:
        return None
    return Answer(wait=found[0], given=given, card=closed_card(found[0].question, given, inbound.sender, rules.texts))


def _meant(inbound: Inbound, shown: Sequence[Wait]) -> Sequence[Wait]:
    """The question whose card is replied to; else the sender's own; else all that the sender may answer."""
    replied = [wait for wait in shown if inbound.reply_to is not None and wait.card == inbound.reply_to]
    return replied or [wait for wait in shown if wait.question.asked.user_id == inbound.sender.user_id] or shown


def _takes_words(wait: Wait) -> bool:
    return wait.deadline is not None and wait.question.kind is WaitKind.QUESTION


def _may_answer(inbound: Inbound, wait: Wait, rules: Rules) -> bool:
    if wait.question.asked.user_id == inbound.sender.user_id:
        return True
    match rules.answerers(inbound.chat):
        case Answerers.ASKER:
            return False
        case Answerers.MEMBERS:
            return True
        case Answerers.CHAT_ADMINS:
            return inbound.admin


def _with_files(inbound: Inbound, said: str) -> str:
    """What was said, and the files that came with it: they travel with the answer."""
    files = [f"[file: {file.name}, {file.path or 'not stored'}]" for file in inbound.attachments]
    return "\n".join([said, *files] if said.strip() else files)


def press(inbound: Inbound, chat: ChatView, rules: Rules) -> Answer | Drop:
    """A button closes the question that it belongs to, if it was the person asked who pressed it."""
    found = by_token(chat.waits, inbound.content)
    if found is None:
        return Drop(reason="question_closed", notice=rules.texts.say("question_closed"))
    wait, given = found
    if wait.question.kind is WaitKind.APPROVAL:
        return _decided(inbound, wait, given, chat, rules)
    if not _may_answer(inbound, wait, rules):
        asked = wait.question.asked
        return Drop(
            reason="wrong_person", notice=rules.texts.say("question_not_yours", name=asked.name or asked.user_id)
        )
    return Answer(wait=wait, given=given, card=closed_card(wait.question, given, inbound.sender, rules.texts))


def verdict(inbound: Inbound, call: CommandCall, chat: ChatView, rules: Rules) -> Answer | Drop:
    """`/approve ID [once|always|deny]` and `/deny ID`: only the number of an approval that is open in this chat."""
    wait_id, _, word = call.arguments.partition(" ")
    said = word.strip().lower() or DECIDING[call.name]
    if not (wait_id.isascii() and wait_id.isdigit()) or said not in VERDICTS or len(wait_id) > _LONGEST_ID:
        return Drop(reason="approval_usage", notice=rules.texts.say("approval_usage"))
    place = VERDICTS.index("deny" if call.name == "deny" else said)
    found = by_verdict(chat.waits, int(wait_id), place)
    if found is None:
        return Drop(reason="question_closed", notice=rules.texts.say("question_closed"))
    return _decided(inbound, *found, chat, rules)


def _decided(inbound: Inbound, wait: Wait, given: Given, chat: ChatView, rules: Rules) -> Answer | Drop:
    if not may_approve(inbound, rules.policy, chat.known):
        return Drop(reason="not_an_approver", notice=rules.texts.say("approval_not_yours"))
    card = closed_card(wait.question, given, inbound.sender, rules.texts)
    return Answer(wait=wait, given=given, card=card, for_good=given.choice == ALWAYS)
