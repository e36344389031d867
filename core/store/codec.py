"""Domain values as JSON text and back. Unions are told apart by their `kind`."""

import json
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter
from pydantic_core import PydanticSerializationError

from core.domain.delivery import Receipt
from core.domain.message import Attachment, Reply
from core.domain.step import Asked, CallId, Delegated, ModelAnswered, Nudged, Steered, Step, ToolFinished, ToolStarted
from core.domain.text import well_formed
from core.domain.turn import ModelChoice
from core.domain.wait import Question

ValueT = TypeVar("ValueT")

_STEP: TypeAdapter[Step] = TypeAdapter(
    Annotated[
        ModelAnswered | ToolStarted | Asked | Delegated | ToolFinished | Nudged | Steered, Field(discriminator="kind")
    ]
)
_REPLY = TypeAdapter(Reply)
_ATTACHMENTS = TypeAdapter(tuple[Attachment, ...])
_CHOICE = TypeAdapter(ModelChoice)
_RECEIPT = TypeAdapter(Receipt)
_QUESTION = TypeAdapter(Question)
_PART: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])


def _json(adapter: TypeAdapter[ValueT], value: ValueT) -> str:
    try:
        return adapter.dump_json(value).decode()
    except PydanticSerializationError:
        # A model or a person wrote half a surrogate pair: it is replaced, the rest is kept.
        return json.dumps(_well_formed(adapter.dump_python(value)))


def _well_formed(value: object) -> object:
    match value:
        case str():
            return well_formed(value)
        case dict():
            return {well_formed(str(key)): _well_formed(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_well_formed(inner) for inner in value]
        case _:
            return value


def step_text(step: Step) -> str:
    """A step as JSON."""
    return _json(_STEP, step)


def step_value(text: str) -> Step:
    """The step that `step_text` wrote."""
    return _STEP.validate_json(text)


def call_of(step: Step) -> CallId | None:
    """The call that a step is about; it stands in columns of its own, for the unique keys."""
    return step.call if isinstance(step, ToolStarted | Asked | Delegated | ToolFinished) else None


def reply_text(reply: Reply) -> str:
    """A reply as JSON."""
    return _json(_REPLY, reply)


def reply_value(text: str) -> Reply:
    """The reply that `reply_text` wrote."""
    return _REPLY.validate_json(text)


def attachments_text(attachments: tuple[Attachment, ...]) -> str | None:
    """Attachments as JSON; none for none."""
    return _json(_ATTACHMENTS, attachments) if attachments else None


def attachments_value(text: str | None) -> tuple[Attachment, ...]:
    """The attachments that `attachments_text` wrote."""
    return _ATTACHMENTS.validate_json(text) if text else ()


def choice_text(choice: ModelChoice) -> str:
    """A model choice as JSON."""
    return _CHOICE.dump_json(choice).decode()


def choice_value(text: str) -> ModelChoice:
    """The choice that `choice_text` wrote."""
    return _CHOICE.validate_json(text)


def receipt_text(receipt: Receipt) -> str:
    """A receipt as JSON."""
    return _json(_RECEIPT, receipt)


def receipt_value(text: str) -> Receipt:
    """The receipt that `receipt_text` wrote."""
    return _RECEIPT.validate_json(text)


def question_text(question: Question) -> str:
    """A question as JSON."""
    return _json(_QUESTION, question)


def question_value(text: str) -> Question:
    """The question that `question_text` wrote."""
    return _QUESTION.validate_json(text)


def part_text(part: dict[str, object]) -> str:
    """A rendered part as JSON."""
    return _json(_PART, part)


def part_value(text: str) -> dict[str, object]:
    """The part that `part_text` wrote."""
    return _PART.validate_json(text)
