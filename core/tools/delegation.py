"""execute_task and execute_subtask: another agent works on a task, and its last words are the result.

Whether the agent may be asked is decided where the frames are known (`runtime/calls.py`).
"""

from typing import Literal

from pydantic import Field, model_validator

from core.domain.errors import ToolError
from core.domain.tool import Delegate, Effect, Reach
from core.ports import Tool, ToolContext
from core.tools.define import Arguments, define

PROMPT = "everything that the agent has to know: it sees nothing of this conversation"


class SubtaskArguments(Arguments):
    """Who does what."""

    agent_id: str = Field(min_length=1, max_length=64, description="one of the agents that work for others")
    prompt: str = Field(min_length=1, max_length=150_000, description=PROMPT)
    title: str = Field(default="", max_length=200, description="a few words for people who look on")
    description: str = Field(default="", max_length=1_000, description="what is expected")


class TaskArguments(SubtaskArguments):
    """Who does what, and when."""

    mode: Literal["sync", "async", "cron"] = Field(default="sync", description="sync: you wait for the result")
    cron: str = Field(default="", max_length=200, description="when, in mode cron")

    @model_validator(mode="after")
    def _cron_is_for_cron(self) -> "TaskArguments":
        if self.cron and self.mode != "cron":
            raise ValueError("cron is only for mode cron")
        return self


async def _subtask(arguments: SubtaskArguments, context: ToolContext) -> Delegate:
    return Delegate(agent=arguments.agent_id, task=arguments.prompt)


async def _task(arguments: TaskArguments, context: ToolContext) -> Delegate:
    if arguments.mode == "cron":
        raise ToolError("mode cron: schedules come later. Do the task now with mode sync, or tell the person.")
    if arguments.mode == "async":
        raise ToolError("mode async: background tasks come later. Do the task now with mode sync.")
    return await _subtask(arguments, context)


execute_task: Tool = define(
    name="execute_task",
    description="Let another agent do a task and wait for its result. Several calls in one answer go side by side.",
    accepts=TaskArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_task,
    reach=Reach.ROOT,
)

execute_subtask: Tool = define(
    name="execute_subtask",
    description="Let another agent do a part of your task and wait for its result. Several calls go side by side.",
    accepts=SubtaskArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_subtask,
    reach=Reach.ABOVE_THE_LAST,
)
