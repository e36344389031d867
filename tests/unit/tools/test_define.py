"""What a model writes as arguments, and what it is told when that is wrong."""

import pytest
from pydantic import Field

from core.domain.errors import ToolError
from core.domain.tool import Effect, ToolResult
from core.ports import Tool, ToolContext
from core.tools.define import Arguments, define
from tests.unit.tools.conftest import Room


class GreetArguments(Arguments):
    name: str = Field(description="who is greeted")
    times: int = Field(default=1, ge=1, le=3, description="how often")


class NoArguments(Arguments):
    pass


async def _greet(arguments: GreetArguments, context: ToolContext) -> ToolResult:
    return ToolResult(text=" ".join([f"hello {arguments.name}"] * arguments.times))


async def _nothing(arguments: NoArguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="done")


greet: Tool = define(
    name="greet", description="Greets.", accepts=GreetArguments, effect=Effect.READS, replayable=True, perform=_greet
)
nothing: Tool = define(
    name="nothing", description="-", accepts=NoArguments, effect=Effect.READS, replayable=True, perform=_nothing
)


async def told(room: Room, tool: Tool, text: str) -> str:
    with pytest.raises(ToolError) as caught:
        await tool.run(text, room.context)
    message = str(caught.value)
    assert "\n" not in message
    return message


async def test_valid_arguments_reach_the_tool(room: Room) -> None:
    assert (await room.raw(greet, '{"name": "Ada", "times": 2}')).text == "hello Ada hello Ada"


@pytest.mark.parametrize("text", ["", "  \n", "null", "{}"])
async def test_no_text_and_null_count_as_no_arguments(room: Room, text: str) -> None:
    assert (await room.raw(nothing, text)).text == "done"
    assert "name: is missing" in await told(room, greet, text)


async def test_null_for_an_optional_field_leaves_it_at_its_default(room: Room) -> None:
    assert (await room.raw(greet, '{"name": "Ada", "times": null}')).text == "hello Ada"


async def test_null_for_a_needed_field_counts_as_missing(room: Room) -> None:
    assert "name: is missing; expected: string (who is greeted)" in await told(room, greet, '{"name": null}')


@pytest.mark.parametrize(
    "text", ['{"name": "Ada"', "name=Ada", "{'name': 'Ada'}", '{"name": "Ada"} {}', "```json\n{}\n```"]
)
async def test_text_that_is_not_json_is_told_with_its_place_and_the_form(room: Room, text: str) -> None:
    message = await told(room, greet, text)
    assert "not valid JSON" in message
    assert "line 1" in message
    assert "fields name, times" in message


@pytest.mark.parametrize(
    ("text", "kind"), [('["Ada"]', "array"), ('"Ada"', "string"), ("7", "number"), ("true", "boolean")]
)
async def test_json_that_is_not_an_object_is_told_by_its_kind(room: Room, text: str, kind: str) -> None:
    assert f"a JSON {kind}, not an object" in await told(room, greet, text)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 10_000])
async def test_json_made_to_break_the_parser_is_a_told_error(room: Room, text: str) -> None:
    assert "nested too deeply" in await told(room, greet, text)


async def test_an_unknown_field_is_named_with_the_fields_that_exist(room: Room) -> None:
    message = await told(room, greet, '{"name": "Ada", "volume": 11}')
    assert "volume: is not a field of this tool, which takes name, times" in message


async def test_a_wrong_value_is_told_with_the_problem_and_the_expected_form(room: Room) -> None:
    message = await told(room, greet, '{"name": "Ada", "times": "often"}')
    assert "times: 'often' is wrong" in message
    assert "expected: integer (how often)" in message


async def test_a_value_out_of_range_is_refused_at_the_limit_and_one_past_it(room: Room) -> None:
    assert await greet.run('{"name": "Ada", "times": 3}', room.context)
    assert "less than or equal to 3" in await told(room, greet, '{"name": "Ada", "times": 4}')


async def test_every_problem_is_told_at_once_but_not_without_end(room: Room) -> None:
    assert "name: is missing" in await told(room, greet, '{"times": 0}')
    many = "{" + ", ".join(f'"x{n}": 1' for n in range(50)) + "}"
    message = await told(room, greet, many)
    assert "46 more problems" in message
    assert len(message) < 1_000


async def test_a_long_wrong_value_is_not_repeated_whole(room: Room) -> None:
    assert len(await told(room, greet, '{"name": ["%s"]}' % ("x" * 10_000))) < 500


def test_the_schema_says_what_is_needed_and_that_nothing_else_is_taken() -> None:
    assert greet.spec.schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "who is greeted"},
            "times": {"type": "integer", "default": 1, "minimum": 1, "maximum": 3, "description": "how often"},
        },
        "required": ["name"],
        "additionalProperties": False,
    }
