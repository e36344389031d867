"""write_todos: an agent's own plan, written down anew as it goes on; nobody else sees it."""

from typing import Annotated, Literal

from pydantic import Field

from core.domain.tool import Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define

MARKS = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}


class Todo(Arguments):
    """One task."""

    content: str = Field(min_length=1, max_length=500)
    status: Literal["pending", "in_progress", "completed"] = "pending"


class TodosArguments(Arguments):
    """The whole plan, each time."""

    todos: tuple[Annotated[Todo, Field()], ...] = Field(
        max_length=200, description="all tasks in their order, also those that are done"
    )


async def _perform(arguments: TodosArguments, context: ToolContext) -> ToolResult:
    lines = [f"{MARKS[todo.status]} {todo.content}" for todo in arguments.todos]
    done = sum(todo.status == "completed" for todo in arguments.todos)
    return ToolResult(text="\n".join([*lines, f"{done} of {len(lines)} done"]))


write_todos = define(
    name="write_todos",
    description=(
        "Write down your plan, the whole of it each time, and mark what is done. Private: for what other agents have "
        "to know use update_scratchpad."
    ),
    accepts=TodosArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_perform,
)
