"""`meta.json`: what an agent is called, what it may use and who may call it."""

import json
import re
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from core.domain.errors import SettingsError
from core.validation import Problem, first_problem, printable, wrong_key

Strength = Literal["very_low", "low", "average", "high", "very_high"]
ToolName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class Meta(BaseModel):
    """The keys of `meta.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(min_length=1, max_length=80, description="shown to people", examples=["Main"])
    type: Literal["chat", "task", "system"] = Field(
        description="chat answers people, task works for other agents, system is used by Parley itself",
        examples=["chat"],
    )
    description: str = Field(
        min_length=1,
        max_length=1_000,
        description="what it is for, as models and people read it",
        examples=["Plans trips"],
    )
    friendly_description: str | None = Field(
        default=None, min_length=1, max_length=1_000, description="what it is for, in words for people only"
    )
    tools: list[ToolName] = Field(
        description="names of the tools it may use; [] for none", examples=[["read_file", "current_time"]]
    )
    instructions: str | None = Field(
        default=None,
        min_length=1,
        max_length=1_000,
        description="how to phrase a task for it, for a calling model",
    )
    client: str | None = Field(
        default=None, min_length=1, description="name of the one model it uses", examples=["fast"]
    )
    scope: str | None = Field(
        default=None, min_length=1, max_length=40, description="what its model has to be good for", examples=["coding"]
    )
    strength: Strength | None = Field(
        default=None, description="the least that its model has to be able to", examples=["high"]
    )
    inject_memory: list[str] = Field(
        default_factory=list,
        max_length=20,
        description="files of the workspace that stand in its prompt; $WD is the workspace",
        examples=[["data/memory/index.md"]],
    )
    inject_skills: bool = Field(default=True, description="false: it knows of no skills")
    icon: str | None = Field(default=None, min_length=1, max_length=200, description="a picture in its folder")

    @model_validator(mode="before")
    @classmethod
    def _older_name(cls, value: object) -> object:
        """`model` says the same as `client`."""
        if not isinstance(value, dict) or "model" not in value:
            return value
        if "client" in value:
            raise wrong_key("model", "is given beside client, which says the same: keep one of them")
        return {("client" if key == "model" else key): given for key, given in value.items()}

    @field_validator("inject_memory")
    @classmethod
    def _in_the_workspace(cls, paths: list[str]) -> list[str]:
        for path in paths:
            parts = path.removeprefix("$WD/").split("/")
            if not path or not all(parts) or {"..", "."} & set(parts) or "\\" in path or "\0" in path:
                raise wrong_key(
                    "inject_memory", f"names {path!r}: name a file of the workspace, as data/memory/index.md"
                )
        return paths


NAME: Final = "meta.json"


def parse_meta(path: Path, text: str) -> Meta:
    """Raises SettingsError: the file, the line where it is known, the key and the right form."""
    try:
        table: object = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise SettingsError(f"{path}:{error.lineno}: not valid JSON, {error.msg}: mend this line") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: {printable(str(error), 120)}: mend it") from error
    if not isinstance(table, dict):
        raise SettingsError(f'{path}: must be an object, as in {{"name": "Main", "type": "chat", ...}}')
    try:
        return Meta.model_validate(table)
    except ValidationError as error:
        raise SettingsError(_sentence(path, text, first_problem(error, Meta))) from None


def _sentence(path: Path, text: str, problem: Problem) -> str:
    top = problem.path[0] if problem.path else ""
    found = re.search(rf"{re.escape(json.dumps(top))}\s*:", text)
    place = f"{path}:{text.count(chr(10), 0, found.start()) + 1}" if found else str(path)
    example = f', for example "{top}": {json.dumps(problem.example)}' if problem.example is not None else ""
    return f"{place}: {problem.key} {problem.text}{example}"


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A key given twice is a mistake that JSON itself passes over."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{printable(twice)} is given twice, keep one")
    return table
