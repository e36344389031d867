"""The words of a mail as they are handed on. Pure."""

from channels.email.body import Body
from channels.email.looking import Reading
from channels.email.trimming import Trimmed
from channels.email.where import Manner

LONGEST_ANSWER = 100


def content(said: Trimmed, body: Body, reading: Reading, manner: Manner) -> str:
    """The author's words; a command or the answer to a question alone, when that is the first line."""
    visible = said.visible.strip()
    first = visible.split("\n", 1)[0].strip()
    if _is_command(first, manner):
        return first
    if reading.answers_question and _is_answer(first, visible[len(first) :]):
        visible = first
    words = "\n\n".join(piece for piece in (visible, body.events) if piece)
    return words or ("" if body.files else reading.subject)


def _is_answer(first: str, below: str) -> bool:
    return 0 < len(first) <= LONGEST_ANSWER and _is_closing(below)


def _is_command(line: str, manner: Manner) -> bool:
    word = line.split(" ", 1)[0]
    return line[:1] in ("/", "!") and word[1:].lower() in manner.commands


def _is_closing(below: str) -> bool:
    """Whether only a greeting and a name follow."""
    lines = [line.strip() for line in below.splitlines() if line.strip()]
    return len(lines) <= 4 and all(len(line) <= 40 and not line.endswith((".", "?", ":", ";")) for line in lines)
