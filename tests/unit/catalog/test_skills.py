"""Skills are folders: what is missing is named, what is broken is passed over, what changes counts at once."""

from pathlib import Path

import pytest

from core.catalog.skills import FolderSkills, excess
from core.decide.skills import LONGEST_INDEX, skills_block
from core.domain.errors import ToolError
from core.domain.skill import Skill

FRONT = "---\nname: {name}\ndescription: {description}\n{more}---\n\n{body}\n"


class Rack:
    """Two folders of skills; the own one wins."""

    def __init__(self, folder: Path) -> None:
        self.own, self.shipped = folder / "own", folder / "shipped"
        self.env: dict[str, str] = {}
        self.skills = FolderSkills([self.own, self.shipped], self.env.get)

    def has(
        self, name: str, body: str = "Do it well.", *, more: str = "", description: str = "Helps.", own: bool = True
    ) -> Path:
        """Put a skill there."""
        return self.puts(name, FRONT.format(name=name, description=description, more=more, body=body), own=own)

    def puts(self, name: str, text: str, *, own: bool = True) -> Path:
        """Put any text there as one."""
        file = (self.own if own else self.shipped) / name / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def problem(self, name: str) -> str:
        """Why it is passed over, the folder left out."""
        (listed,) = [one for one in self.skills.list() if one.name == name]
        assert listed.skill is None
        assert name not in [skill.name for skill in self.skills.all()]
        return (listed.problem or "").replace(f"{self.own}/", "")


@pytest.fixture
def rack(tmp_path: Path) -> Rack:
    return Rack(tmp_path)


def test_a_skill_is_loaded_whole_without_its_head(rack: Rack) -> None:
    rack.has("notes", "# Steps\n\n---\n\nWrite.")
    assert rack.skills.load("notes") == Skill(name="notes", description="Helps.", body="# Steps\n\n---\n\nWrite.")


def test_what_a_skill_needs_and_is_not_there_is_named_and_it_is_not_loaded(rack: Rack) -> None:
    rack.has("wiki", more="requires:\n  bins: [sh, no-such-program]\n  env: [WIKI_TOKEN]\n")
    with pytest.raises(ToolError, match=r"^\[❌ UNAVAILABLE MISSING no-such-program, WIKI_TOKEN\]$"):
        rack.skills.load("wiki")
    rack.env["WIKI_TOKEN"] = "set"
    with pytest.raises(ToolError, match=r"^\[❌ UNAVAILABLE MISSING no-such-program\]$"):
        rack.skills.load("wiki")


def test_a_skill_that_is_dropped_in_changed_or_removed_counts_at_once(rack: Rack) -> None:
    assert rack.skills.all() == ()
    file = rack.has("notes", "Old.")
    assert rack.skills.load("notes").body == "Old."
    rack.has("notes", "Newer.")
    assert rack.skills.load("notes").body == "Newer."
    file.unlink()
    with pytest.raises(ToolError, match=r"cannot be read: .*SKILL\.md is missing"):
        rack.skills.load("notes")


def test_an_own_skill_takes_the_place_of_one_that_ships_and_says_so(rack: Rack) -> None:
    rack.has("notes", "Shipped.", own=False)
    rack.has("notes", "Own.")
    (listed,) = rack.skills.list()
    assert (listed.skill and listed.skill.body) == "Own."
    assert listed.notes == (f"takes the place of {rack.shipped / 'notes'}",)


def test_a_name_that_nobody_has_is_answered_with_the_nearest(rack: Rack) -> None:
    rack.has("code-review")
    with pytest.raises(ToolError, match="did you mean code-review"):
        rack.skills.load("code-revew")
    with pytest.raises(ToolError, match="there are: code-review"):
        rack.skills.load("../../etc/passwd")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no head", "notes/SKILL.md: must begin with a line ---"),
        ("---\nname: [\n---\nx", "notes/SKILL.md: the lines between the two --- are no YAML"),
        ("---\n- a\n---\nx", "notes/SKILL.md: between the two --- stand lines such as name: notes"),
        ("---\nname: notes\n---\nx", "notes/SKILL.md: description is missing"),
        ("---\nname: notes\ndescription: d\nalways: 3\n---\nx", "notes/SKILL.md: always must be"),
        ("---\nname: notes\ndescription: d\nalwys: true\n---\nx", "notes/SKILL.md: alwys is not known here"),
        ("---\nname: notes\ndescription: d\nrequires: {bins: [rm -rf]}\n---\nx", "notes/SKILL.md: requires.bins"),
        ("---\nname: other\ndescription: d\n---\nx", "notes/SKILL.md: name is other, and its folder notes"),
        ("---\nname: notes\ndescription: d\n---\n\n", "notes/SKILL.md has no instructions below its second ---"),
        ("---\nname: notes\ndescription: !!python/object:os.system x\n---\nx", "notes/SKILL.md: the lines between"),
    ],
)
def test_a_broken_skill_is_passed_over_with_what_to_change(rack: Rack, text: str, problem: str) -> None:
    rack.puts("notes", text)
    rack.has("other")
    assert rack.problem("notes").startswith(problem)
    assert [skill.name for skill in rack.skills.all()] == ["other"]


def test_a_link_out_of_the_folder_is_refused(rack: Rack, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text(FRONT.format(name="notes", description="d", more="", body="secret"))
    (rack.own / "notes").mkdir(parents=True)
    (rack.own / "notes" / "SKILL.md").symlink_to(secret)
    assert "is a link out of" in rack.problem("notes")


def test_whoever_checks_is_told_of_links_and_of_too_many_files(rack: Rack) -> None:
    folder = rack.has("notes").parent
    assert list(excess(folder)) == []
    (folder / "link").symlink_to("/etc/hosts")
    for number in range(500):
        (folder / f"f{number}").touch()
    assert [line.partition(" ")[2][:12] for line in excess(folder)] == ["is a link: p", "has 502 file"]


def test_the_index_names_each_with_when_to_use_it_and_what_it_misses() -> None:
    skills = [
        Skill(name="a", description="When\nneeded.", body="Body."),
        Skill(name="b", description="x" * 300, body="Body.", missing=("gh", "TOKEN")),
    ]
    assert skills_block(skills).split("\n")[2:-1] == [
        "- **a** — When needed.",
        f"- **b** — {'x' * 199}… [❌ UNAVAILABLE MISSING gh, TOKEN]",
    ]


def test_a_skill_that_always_counts_stands_in_the_prompt_unless_it_misses_something() -> None:
    always = Skill(name="a", description="d", body="Always this.", always=True)
    assert skills_block([always]).endswith('</skills_index>\n\n<skill name="a">\nAlways this.\n</skill>')
    assert "Always this." not in skills_block([Skill(name="a", description="d", body="Always this.", missing=("gh",))])
    assert skills_block([]) == ""


def test_an_index_that_would_be_too_long_says_how_many_are_left_out() -> None:
    skills = [Skill(name=f"s{number:03}", description="x" * 200, body="b") for number in range(100)]
    text = skills_block(skills)
    assert len(text) < LONGEST_INDEX + 300
    assert text.split("\n")[-2] == f"[{100 - text.count('- **')} more skills omitted]"
