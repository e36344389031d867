"""The skills of some folders: `NAME/SKILL.md`, read anew whenever one of them changed."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.catalog.files import Reading, Stamp, stamp
from core.domain.errors import SettingsError, ToolError
from core.domain.skill import Skill
from core.validation import first_problem, nearest, printable

FILE: Final = "SKILL.md"
FENCE: Final = "---"
MOST_FILES: Final = 500
MOST_BYTES: Final = 8 * 1024 * 1024

Need = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$")]


class Requires(BaseModel):
    """What has to be there."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    bins: list[Need] = Field(default_factory=list, description="programs on the PATH", examples=[["pandoc"]])
    env: list[Need] = Field(default_factory=list, description="environment variables", examples=[["WIKI_TOKEN"]])


class Front(BaseModel):
    """The lines between the two `---` at the top of a `SKILL.md`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$", description="as the folder", examples=["code-review"])
    description: str = Field(
        min_length=1, max_length=1_000, description="when to use it", examples=["Reviews a change before it is merged."]
    )
    always: bool = Field(default=False, description="its text stands in every prompt")
    requires: Requires = Field(default_factory=Requires)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSkill:
    """A skill as listings show it: what it is, or the `problem` because of which it is passed over.

    `notes` are what an operator should know and nothing refuses: another folder of the same name, for example.
    """

    name: str
    folder: Path
    skill: Skill | None = None
    problem: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    front: Front
    body: str
    seen: Mapping[Path, Stamp | None]

    def holds(self) -> bool:
        return all(stamp(path) == was for path, was in self.seen.items())


class FolderSkills:
    """Folders given earlier win. A look costs a few `stat` calls a skill while nothing changes.

    `env` looks a variable up; only whether it is set counts, its value goes nowhere.
    """

    def __init__(self, folders: Sequence[Path], env: Callable[[str], str | None]) -> None:
        self._folders = tuple(folders)
        self._env = env
        self._loaded: dict[Path, _Loaded] = {}

    def all(self) -> Sequence[Skill]:
        """Those that can be read, by name."""
        return tuple(one.skill for one in self.list() if one.skill is not None)

    def load(self, name: str) -> Skill:
        """Raises ToolError for one that there is not, that cannot be read, or that misses something."""
        found = {one.name: one for one in self.list()}
        listed = found.get(name)
        if listed is None:
            meant = nearest(name, found)
            known = f"did you mean {meant}?" if meant else f"there are: {', '.join(sorted(found)) or 'none'}"
            raise ToolError(f"there is no skill {printable(name, 80)}: {known}")
        if listed.skill is None:
            raise ToolError(f"the skill {name} cannot be read: {listed.problem}")
        if listed.skill.missing:
            raise ToolError(listed.skill.unavailable)
        return listed.skill

    def list(self) -> Sequence[ListedSkill]:
        """All folders by name, the broken ones with their problem."""
        own: dict[str, list[Path]] = {}
        for folder in self._folders:
            for path in _subfolders(folder):
                own.setdefault(path.name, []).append(path)
        return tuple(self._listed(paths[0], hidden=paths[1:]) for _, paths in sorted(own.items()))

    def _listed(self, folder: Path, hidden: Sequence[Path]) -> ListedSkill:
        notes = [f"takes the place of {path}" for path in hidden]
        try:
            loaded = self._read(folder)
        except SettingsError as error:
            return ListedSkill(name=folder.name, folder=folder, problem=str(error), notes=tuple(notes))
        front = loaded.front
        skill = Skill(
            name=front.name,
            description=front.description,
            body=loaded.body,
            always=front.always,
            missing=tuple(self._missing(front.requires)),
        )
        return ListedSkill(name=folder.name, folder=folder, skill=skill, notes=tuple(notes))

    def _missing(self, needs: Requires) -> Iterator[str]:
        yield from (name for name in needs.bins if shutil.which(name) is None)
        yield from (name for name in needs.env if not self._env(name))

    def _read(self, folder: Path) -> _Loaded:
        known = self._loaded.get(folder)
        if known is not None and known.holds():
            return known
        reading = Reading([folder.parent])
        path = reading.find(f"{folder.name}/{FILE}")
        if path is None:
            raise SettingsError(f"{folder / FILE} is missing: every skill has one")
        front, body = parse_skill(path, reading.read(path))
        if front.name != folder.name:
            raise SettingsError(f"{path}: name is {front.name}, and its folder {folder.name}: give both one name")
        loaded = self._loaded[folder] = _Loaded(front=front, body=body, seen=dict(reading.seen))
        return loaded


def parse_skill(path: Path, text: str) -> tuple[Front, str]:
    """The front matter and the instructions. Raises SettingsError with the file, the key and the right form."""
    head, body = _halves(path, text)
    try:
        front = Front.model_validate(_table(path, head))
    except ValidationError as error:
        problem = first_problem(error, Front)
        example = f", for example {problem.example}" if problem.example is not None else ""
        raise SettingsError(f"{path}: {problem.key} {problem.text}{example}") from None
    if not body:
        raise SettingsError(f"{path} has no instructions below its second ---: write them there")
    return front, body


def _halves(path: Path, text: str) -> tuple[str, str]:
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.rstrip() == FENCE]
    if ends[:1] != [0] or not ends[1:]:
        raise SettingsError(f"{path}: must begin with a line ---, then name and description, then a line ---")
    return "\n".join(lines[1 : ends[1]]), "\n".join(lines[ends[1] + 1 :]).strip()


def _table(path: Path, head: str) -> dict[object, object]:
    try:
        table: object = yaml.safe_load(head)
    except yaml.YAMLError as error:
        reason = re.sub(r"\s+", " ", str(error))
        raise SettingsError(f"{path}: the lines between the two --- are no YAML, {printable(reason, 160)}") from None
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: between the two --- stand lines such as name: {path.parent.name}")
    return table


def excess(folder: Path) -> Iterator[str]:
    """In what a folder is more than a skill should be. It walks through the whole of it: for whoever checks."""
    files = [path for path in folder.rglob("*") if path.is_symlink() or path.is_file()]
    size = sum(path.lstat().st_size for path in files)
    yield from (f"{path} is a link: put the file itself there" for path in files if path.is_symlink())
    if len(files) > MOST_FILES:
        yield f"{folder} has {len(files)} files, more than {MOST_FILES}: take some out"
    if size > MOST_BYTES:
        yield f"{folder} has {size} bytes, more than {MOST_BYTES}: take something out"


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    except OSError:
        return []
