"""A message or a button meets an open question."""

from core.decide.decisions import Answer, Drop
from core.decide.view import ChatView, Rules
from core.decide.waits import by_text, by_token, closed_card
from core.domain.message import Inbound
from core.domain.wait import of_person


def answer(inbound: Inbound, said: str, chat: ChatView, rules: Rules) -> Answer | None:
    """The next text of the person asked, in the chat where they were asked, is the answer. Nobody else's is."""
    wait = of_person(chat.waits, inbound.sender.user_id)
    given = by_text(wait.question, _with_files(inbound, said)) if wait else None
    if wait is None or given is None:
        return None
    return Answer(wait=wait, given=given, card=closed_card(wait.question, given, inbound.sender, rules.texts))


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
    asked = wait.question.asked
    if asked.user_id != inbound.sender.user_id:
        return Drop(
            reason="wrong_person", notice=rules.texts.say("question_not_yours", name=asked.name or asked.user_id)
        )
    return Answer(wait=wait, given=given, card=closed_card(wait.question, given, inbound.sender, rules.texts))
