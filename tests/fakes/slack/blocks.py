"""What Block Kit accepts: https://docs.slack.dev/reference/block-kit/blocks."""

from collections.abc import Callable, Iterator, Mapping

from tests.fakes.slack.refused import Refused, invalid_blocks
from tests.fakes.wire import Json, at, object_at, objects_at, text_at

MOST_BLOCKS = 50
MOST_MARKDOWN = 12_000
LENGTHS: Mapping[str, int] = {"block_id": 255, "action_id": 255, "value": 2000, "url": 3000}

Check = Callable[[Json], Iterator[str]]


def check_blocks(blocks: list[Json]) -> None:
    """Raises Refused with what is wrong, at the place where it is wrong."""
    if len(blocks) > MOST_BLOCKS:
        raise invalid_blocks(f"no more than {MOST_BLOCKS} items allowed [json-pointer:/blocks]")
    markdown = [text_at(block, "text") for block in blocks if block.get("type") == "markdown"]
    if len("".join(markdown)) > MOST_MARKDOWN:
        raise Refused("msg_too_long")
    if wrong := list(_wrong(blocks)):
        raise invalid_blocks(*wrong)


def _wrong(blocks: list[Json]) -> Iterator[str]:
    for n, block in enumerate(blocks):
        yield from (f"{say} [json-pointer:/blocks/{n}]" for say in _block(block))
    ids = [text_at(block, "block_id") for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        yield "block_id already exists [json-pointer:/blocks]"


def _block(block: Json) -> Iterator[str]:
    check = BLOCKS.get(text_at(block, "type"))
    if check is None:
        yield f"unsupported type: {text_at(block, 'type')}"
        return
    yield from _lengths(block)
    yield from check(block)


def _section(block: Json) -> Iterator[str]:
    fields = objects_at(block, "fields")
    if not fields and not object_at(block, "text"):
        yield "missing required field: text"
    if object_at(block, "text"):
        yield from _text(object_at(block, "text"), 3000)
    if len(fields) > 10:
        yield "no more than 10 items allowed"
    for one in fields:
        yield from _text(one, 2000)
    if object_at(block, "accessory"):
        yield from _element(object_at(block, "accessory"))


def _header(block: Json) -> Iterator[str]:
    yield from _text(object_at(block, "text"), 150, kinds=("plain_text",))


def _context(block: Json) -> Iterator[str]:
    elements = objects_at(block, "elements")
    if not 1 <= len(elements) <= 10:
        yield "between 1 and 10 items allowed"
    for one in elements:
        if one.get("type") != "image":
            yield from _text(one, 3000)


def _actions(block: Json) -> Iterator[str]:
    elements = objects_at(block, "elements")
    if not 1 <= len(elements) <= 25:
        yield "between 1 and 25 items allowed"
    ids = [text_at(one, "action_id") for one in elements]
    if len(ids) != len(set(ids)):
        yield "action_id already exists"
    for one in elements:
        yield from _element(one)


def _element(element: Json) -> Iterator[str]:
    yield from _lengths(element)
    kind = text_at(element, "type")
    if kind == "button":
        yield from _text(object_at(element, "text"), 75, kinds=("plain_text",))
        if at(element, "style") not in (None, "primary", "danger"):
            yield "unsupported style"
    elif kind in ("static_select", "radio_buttons", "checkboxes", "overflow"):
        options = objects_at(element, "options")
        if not 1 <= len(options) <= (100 if kind == "static_select" else 10):
            yield "too many or no options"
        for one in options:
            yield from _text(object_at(one, "text"), 75)
    elif kind not in ("image", "plain_text_input", "users_select", "datepicker"):
        yield f"unsupported type: {kind}"


def _image(block: Json) -> Iterator[str]:
    if not 1 <= len(text_at(block, "alt_text")) <= 2000:
        yield "missing required field: alt_text"


def _input(block: Json) -> Iterator[str]:
    yield from _text(object_at(block, "label"), 2000, kinds=("plain_text",))
    yield from _element(object_at(block, "element"))


def _markdown(block: Json) -> Iterator[str]:
    if not text_at(block, "text"):
        yield "must be more than 0 characters"


def _anything(block: Json) -> Iterator[str]:
    yield from ()


def _text(text: Json, most: int, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")) -> Iterator[str]:
    if text_at(text, "type") not in kinds:
        yield f"must be one of {', '.join(kinds)}"
    if not 1 <= len(text_at(text, "text")) <= most:
        yield f"must be more than 0 and less than {most + 1} characters"


def _lengths(item: Json) -> Iterator[str]:
    for key, most in LENGTHS.items():
        if len(text_at(item, key)) > most:
            yield f"must be less than {most + 1} characters: {key}"


BLOCKS: Mapping[str, Check] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "image": _image,
    "input": _input,
    "markdown": _markdown,
    "divider": _anything,
    "rich_text": _anything,
    "table": _anything,
    "task_card": _anything,
    "plan": _anything,
    "context_actions": _anything,
}
