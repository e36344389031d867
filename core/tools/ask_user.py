"""Asks the person and waits: for minutes or days, also over a restart, without holding anything up meanwhile."""

from typing import Annotated

from pydantic import Field, model_validator

from core.decide.waits import LONGEST, MOST_CHOICES, SECOND, SHORTEST
from core.domain.tool import Effect
from core.domain.wait import Ask
from core.ports import ToolContext
from core.tools.define import Arguments, define


class AskUserArguments(Arguments):
    """What is asked, and how long the answer may take."""

    question: str = Field(min_length=1, max_length=2_000, description="One question, in the person's language.")
    choices: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(
        default=(), max_length=MOST_CHOICES, description="Answers to choose from; other words may come all the same."
    )
    deadline: int = Field(
        default=0,
        ge=0,
        le=LONGEST // SECOND,
        description="Seconds to wait, at least 10; 0 is the usual: a day, in a shared chat an hour.",
    )
    default: str = Field(default="", max_length=500, description="The answer if none comes in time; empty for none.")
    allow_empty: bool = Field(default=False, description="Whether an empty message is an answer.")

    @model_validator(mode="after")
    def _choices_differ(self) -> "AskUserArguments":
        if len({choice.casefold() for choice in self.choices}) < len(self.choices):
            raise ValueError("choices holds the same answer twice")
        if 0 < self.deadline < SHORTEST // SECOND:
            raise ValueError("deadline must be 0 or at least 10 seconds")
        return self


async def _perform(arguments: AskUserArguments, context: ToolContext) -> Ask:
    return Ask(
        question=arguments.question,
        choices=arguments.choices,
        lasts=arguments.deadline * SECOND if arguments.deadline else None,
        default=arguments.default or None,
        allow_empty=arguments.allow_empty,
    )


ask_user = define(
    name="ask_user",
    description=(
        "Ask the person you work for one question and wait for the answer. Use it when you cannot go on well without "
        "it, not for what you can find out yourself."
    ),
    accepts=AskUserArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_perform,
)
