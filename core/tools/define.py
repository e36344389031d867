"""How a tool is made: a pydantic model of its arguments and one coroutine that performs the call."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails

from core.domain.errors import ToolError
from core.domain.tool import Approval, Effect, Reach, ToolOutcome, ToolSpec
from core.ports import ToolContext

MOST_PROBLEMS = 5
SHOWN_VALUE = 60


class Arguments(BaseModel):
    """Base of all argument models: a field that is not declared is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _null_means_absent(cls, value: object) -> object:
        # Models write null for what they leave out; the default, or "is missing", then decides.
        if isinstance(value, Mapping):
            return {name: given for name, given in value.items() if given is not None}
        return value


A = TypeVar("A", bound=Arguments)
Perform = Callable[[A, ToolContext], Awaitable[ToolOutcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedTool(Generic[A]):
    """A tool as the engine calls it."""

    spec: ToolSpec
    accepts: type[A]
    perform: Perform[A]

    async def run(self, arguments: str, context: ToolContext) -> ToolOutcome:
        """Raises ToolError when the text is not valid arguments, before anything was done."""
        return await self.perform(parse(arguments, self.accepts, self.spec), context)


def define(
    *,
    name: str,
    description: str,
    accepts: type[A],
    effect: Effect,
    replayable: bool,
    perform: Perform[A],
    approval: Approval = Approval.NEVER,
    reach: Reach = Reach.EVERYWHERE,
) -> DefinedTool[A]:
    """A tool whose schema is that of `accepts`."""
    spec = ToolSpec(
        name=name,
        description=description,
        schema=schema_of(accepts),
        effect=effect,
        replayable=replayable,
        approval=approval,
        reach=reach,
    )
    return DefinedTool(spec=spec, accepts=accepts, perform=perform)


def schema_of(accepts: type[Arguments]) -> Mapping[str, object]:
    """The JSON schema without the titles that pydantic derives from names: they cost tokens and say nothing.

    What is defined apart stands where it is used: not every provider follows references.
    """
    schema = accepts.model_json_schema()
    parts = schema.get("$defs", {})
    fields = {name: _plain(field, parts) for name, field in schema.get("properties", {}).items()}
    return {
        "type": "object",
        "properties": fields,
        "required": list(schema.get("required", [])),
        "additionalProperties": False,
    }


def _plain(part: object, parts: Mapping[str, object], *, names: bool = False) -> object:
    """`names`: the keys are those of fields, and one of them may be called title."""
    if isinstance(part, list):
        return [_plain(one, parts) for one in part]
    if not isinstance(part, Mapping):
        return part
    if isinstance(reference := part.get("$ref"), str):
        return _plain(parts[reference.rpartition("/")[2]], parts)
    kept = {key: value for key, value in part.items() if names or key != "title"}
    return {key: _plain(value, parts, names=key == "properties") for key, value in kept.items()}


def parse(text: str, accepts: type[A], spec: ToolSpec) -> A:
    """A model's own text as arguments. Nothing at all and null count as no arguments.

    Raises ToolError with one paragraph: what is wrong with which field, and what is expected there.
    """
    given = _decoded(text, spec)
    try:
        return accepts.model_validate(given)
    except ValidationError as exc:
        raise ToolError(_advice(exc, spec)) from exc


def _decoded(text: str, spec: ToolSpec) -> dict[str, object]:
    if not text.strip():
        return {}
    try:
        given = json.loads(text)
    except json.JSONDecodeError as exc:
        raise ToolError(
            f"The arguments of {spec.name} are not valid JSON: {exc.msg} at line {exc.lineno}, column {exc.colno}. "
            f"{_form(spec)} Send the call again with corrected JSON."
        ) from exc
    except (RecursionError, ValueError) as exc:
        raise ToolError(
            f"The arguments of {spec.name} cannot be read: they are nested too deeply or hold a number that is too "
            f"long. {_form(spec)} Send the call again in that form."
        ) from exc
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ToolError(
            f"The arguments of {spec.name} are a JSON {_json_kind(given)}, not an object. {_form(spec)} "
            f"Send the call again in that form."
        )
    return given


def _json_kind(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "number"


def _fields(spec: ToolSpec) -> Mapping[str, Mapping[str, object]]:
    fields = spec.schema.get("properties")
    return fields if isinstance(fields, dict) else {}


def _form(spec: ToolSpec) -> str:
    fields = _fields(spec)
    if not fields:
        return "Expected is {}: it takes no arguments."
    return f"Expected is a JSON object with the fields {', '.join(fields)}."


def _advice(error: ValidationError, spec: ToolSpec) -> str:
    problems = error.errors(include_url=False, include_context=False)
    told = [_problem(problem, spec) for problem in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        told.append(f"There are {len(problems) - MOST_PROBLEMS} more problems.")
    return f"The arguments of {spec.name} were not accepted. {' '.join(told)} Correct this and call it again."


def _problem(problem: ErrorDetails, spec: ToolSpec) -> str:
    where = ".".join(str(part) for part in problem["loc"]) or "arguments"
    if problem["type"] == "extra_forbidden":
        taken = ", ".join(_fields(spec)) or "no fields"
        return f"{_cut(where)}: is not a field of this tool, which takes {taken}."
    expected = _expected(_fields(spec).get(str(problem["loc"][0])) if problem["loc"] else None)
    if problem["type"] == "missing":
        return f"{where}: is missing{expected}."
    return f"{where}: {_cut(repr(problem['input']))} is wrong: {problem['msg']}{expected}."


def _expected(field: Mapping[str, object] | None) -> str:
    if field is None:
        return ""
    words = " ".join(_words(field))
    return f"; expected: {words}" if words else ""


def _words(field: Mapping[str, object]) -> Iterator[str]:
    if isinstance(kind := field.get("type"), str):
        yield kind
    if isinstance(description := field.get("description"), str):
        yield f"({description.rstrip('.')})"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_VALUE else text[:SHOWN_VALUE] + "..."
