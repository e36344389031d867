"""From a reply to the messages that Discord takes. Pure."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from channels.discord.interactions import WRITE
from channels.discord.where import CHANNEL
from channels.markup import discord as markup
from channels.markup.controls import strip_controls
from core.domain.message import Choice, Mention, OutgoingFile, Reply, Text

MOST_TEXT = 2000
MOST_FILES = 10
MOST_LABEL = 80
MOST_OPTION = 100
MOST_BUTTONS = 25
IN_A_ROW = 5
# What stands where Discord wants a text and there is none.
BLANK = "\u200b"
SUPPRESS_EMBEDS = 1 << 2
PEN = "\u270f\ufe0f"


class PartFile(TypedDict):
    """A file of the workspace, named by its path there."""

    path: str
    name: str
    caption: str


class PartChoice(TypedDict):
    """One answer to a question."""

    label: str
    token: str


class DiscordPart(TypedDict):
    """One message. `people` are the ids of those whom it may notify: nobody else is, whatever the text says.

    `answers` is the event that it is the direct answer to.
    """

    text: str
    files: list[PartFile]
    choices: list[PartChoice]
    people: NotRequired[list[str]]
    answers: NotRequired[str]


def render(reply: Reply) -> list[DiscordPart]:
    """Texts of at most 2,000 characters; up to ten files with the last of them, more of them after it; then choices."""
    drawn = markup.parts((*reply.fragments, *_numbered(reply.choices)), MOST_TEXT)
    parts = [_part(str(one.payload["content"])) for one in drawn]
    files = [_file(file) for file in reply.files]
    parts[-1]["files"] = files[:MOST_FILES]
    for start in range(MOST_FILES, len(files), MOST_FILES):
        parts.append({**_part(""), "files": files[start : start + MOST_FILES]})
    parts[-1]["choices"] = [PartChoice(label=_line(one.label), token=one.token) for one in reply.choices]
    people = [one.principal.user_id for one in reply.fragments if isinstance(one, Mention) and _is_id(one)]
    return [_addressed(part, people, reply.answers) for part in parts]


def _part(text: str) -> DiscordPart:
    return DiscordPart(text=text, files=[], choices=[])


def _addressed(part: DiscordPart, people: list[str], answers: str | None) -> DiscordPart:
    if people:
        part["people"] = people
    if answers is not None:
        part["answers"] = answers
    return part


def body(part: DiscordPart, notes: Sequence[str] = ()) -> dict[str, object]:
    """The message as the API takes it, without its files and its nonce. `notes` are lines about files left out."""
    text = "\n".join(line for line in [part["text"], *notes] if line)
    shown = text[:MOST_TEXT] or ("" if part["files"] else BLANK)
    content: dict[str, object] = {
        "content": shown,
        "allowed_mentions": {"parse": [], "users": part.get("people", []), "replied_user": False},
        "flags": SUPPRESS_EMBEDS,
    }
    if part["choices"]:
        content["components"] = components(part["choices"])
    return content


def changed_body(part: DiscordPart, notes: Sequence[str] = ()) -> dict[str, object]:
    """The message as it is from now on: what it had of buttons goes, unless the part has some."""
    content = body(part, notes)
    return {"components": [], **content}


def components(choices: Sequence[PartChoice]) -> list[dict[str, object]]:
    """Buttons, or a menu where a label is too long for one; then a button that opens a form for other words."""
    if any(len(one["label"]) > MOST_LABEL for one in choices) or len(choices) > MOST_BUTTONS - IN_A_ROW:
        rows = [_row([_menu(choices[:MOST_BUTTONS])])]
    else:
        buttons = [_button(one) for one in choices]
        rows = [_row(buttons[start : start + IN_A_ROW]) for start in range(0, len(buttons), IN_A_ROW)]
    return [*rows, _row([{"type": 2, "style": 2, "emoji": {"name": PEN}, "custom_id": WRITE}])]


def form(question: str) -> dict[str, object]:
    """What opens for an answer in words."""
    field: dict[str, object] = {"type": 4, "custom_id": "words", "style": 2, "label": PEN, "required": True}
    title = _line(question)[:45] or PEN
    return {"type": 9, "data": {"custom_id": WRITE, "title": title, "components": [_row([field])]}}


def _row(items: Sequence[dict[str, object]]) -> dict[str, object]:
    return {"type": 1, "components": list(items)}


def _button(choice: PartChoice) -> dict[str, object]:
    return {"type": 2, "style": 2, "label": choice["label"] or BLANK, "custom_id": choice["token"]}


def _menu(choices: Sequence[PartChoice]) -> dict[str, object]:
    options = [
        {"label": f"{number}. {one['label']}"[:MOST_OPTION], "value": one["token"]}
        for number, one in enumerate(choices, 1)
    ]
    return {"type": 3, "custom_id": "choose", "options": options}


def _numbered(choices: Sequence[Choice]) -> tuple[Text, ...]:
    """The choices as lines, as an answer in words may name their numbers."""
    lines = [f"\n{number}. {_line(one.label)}" for number, one in enumerate(choices, 1)]
    return (Text(text="".join(lines)),) if lines else ()


def _is_id(mention: Mention) -> bool:
    return mention.principal.channel == CHANNEL and mention.principal.user_id.isdigit()


def _file(file: OutgoingFile) -> PartFile:
    return PartFile(path=_line(file.path), name=_line(file.name), caption=_line(file.caption))


def _line(text: str) -> str:
    return " ".join(strip_controls(text).split())
