"""Lines of an AGENT.md that stand for a list, or for what is known only when a prompt is made."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.catalog.skills import FolderSkills
from core.domain.chat import ChatKey, Principal
from core.domain.history import Exchange, Said
from core.runtime.system import SystemPrompt
from tests.fakes.clock import FakeClock
from tests.unit.catalog.shelf import Shelf

CHAT = ChatKey(channel="fake", account="acme", chat_id="room", thread_id="7")
ANNA = Principal(channel="fake", account="acme", user_id="u1", name="Anna")


def prompt(shelf: Shelf, workspace: Path, *, speaker: Principal = ANNA) -> str:
    """The system message of a turn."""
    skills = FolderSkills([workspace / "skills"], lambda name: None)
    said = Said(inbound=1, sender=speaker, content="hello", at=0)
    current = Exchange(turn=1, said=(said,), steps=(), closed=False)
    _, made = SystemPrompt(shelf.agents(), skills, workspace, FakeClock()).build("main", CHAT, current)
    return made.messages[0].content


def test_the_list_of_agents_names_those_that_work_for_others(shelf: Shelf) -> None:
    shelf.has("main", "Helpers:\n<!-- AGENTS_LIST -->\nEnd.")
    shelf.has("writer", type="task", description="Writes.")
    shelf.has("coder", type="task", description="Codes.", own=False)
    shelf.has("quiet", type="system")
    shelf.puts("broken/meta.json", "{")
    assert shelf.says() == "Helpers:\n- **coder** — Codes.\n- **writer** — Writes.\nEnd."


def test_an_agent_that_is_dropped_in_changed_or_removed_is_listed_at_once(shelf: Shelf) -> None:
    shelf.has("main", "<!-- AGENTS_LIST -->\nEnd.")
    agents = shelf.agents()
    assert agents.get("main").instructions == "End."
    shelf.has("writer", type="task", description="Writes.")
    assert agents.get("main").instructions == "- **writer** — Writes.\nEnd."
    shelf.has("writer", type="task", description="Writes well.")
    assert agents.get("main").instructions == "- **writer** — Writes well.\nEnd."
    (shelf.own / "writer" / "meta.json").unlink()
    assert agents.get("main").instructions == "End."


@pytest.mark.parametrize("directive", ["MCP_LIST", "AGENTS_LIST"])
def test_a_file_that_is_included_for_a_list_that_is_empty_stands_for_nothing(shelf: Shelf, directive: str) -> None:
    shelf.has("main", "First.\n<!-- INCLUDE: common/list.md -->\nLast.")
    shelf.puts("common/list.md", f"# These there are\n\n<!-- {directive} -->\n\nUse them.")
    assert shelf.says() == "First.\n\nLast."


def test_what_is_known_only_later_is_filled_in_for_each_prompt(shelf: Shelf, tmp_path: Path) -> None:
    shelf.has("main", "<!-- CHANNEL -->\n<!-- CHAT -->\n<!-- PERSON -->\n<!-- DATE -->\n<!-- ANYTHING_ELSE -->")
    lines = prompt(shelf, tmp_path).split("\n")
    assert lines[:3] == ["fake", "room, thread 7", "Anna"]
    assert "2027" in lines[3]
    assert lines[4] == "__ANYTHING_ELSE__"


def test_a_persons_name_stands_for_nothing_else(shelf: Shelf, tmp_path: Path) -> None:
    shelf.has("main", "<!-- PERSON -->\n<!-- DATE -->")
    assert prompt(shelf, tmp_path, speaker=replace(ANNA, name="__DATE__")).split("\n")[0] == "__DATE__"


def test_files_of_the_workspace_stand_in_the_prompt_by_the_path_that_tools_know(shelf: Shelf, tmp_path: Path) -> None:
    shelf.has("main", inject_memory=["data/memory/index.md", "$WD/NOTES.md"])
    (tmp_path / "NOTES.md").write_text("Remember the milk.\n")
    text = prompt(shelf, tmp_path)
    assert '<memory_file path="data/memory/index.md">\n(file not created yet)\n</memory_file>' in text
    assert '<memory_file path="NOTES.md">\nRemember the milk.\n</memory_file>' in text


def test_a_link_out_of_the_workspace_is_as_good_as_no_file(shelf: Shelf, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "secret").write_text("canary")
    (workspace / "link.md").symlink_to(tmp_path / "secret")
    shelf.has("main", inject_memory=["link.md"])
    assert '<memory_file path="link.md">\n(file not created yet)\n</memory_file>' in prompt(shelf, workspace)


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../b", "$WD/../b", "", "a//b", "a\\b"])
def test_memory_from_outside_the_workspace_is_refused_by_name(shelf: Shelf, path: str) -> None:
    shelf.has("main", inject_memory=[path])
    assert "inject_memory names" in shelf.refuses()


def test_the_skills_stand_where_the_agent_wants_them_or_at_the_end_or_not_at_all(shelf: Shelf, tmp_path: Path) -> None:
    skill = tmp_path / "skills" / "notes" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: notes\ndescription: Takes notes.\n---\nWrite.\n")
    shelf.has("main", "First.\n<!-- SKILLS_LIST -->\nLast.")
    text = prompt(shelf, tmp_path)
    assert text.index("First.") < text.index("- **notes** — Takes notes.") < text.index("Last.")
    assert text.count("<skills_index>") == 1
    shelf.has("main", "First.\nLast.")
    text = prompt(shelf, tmp_path)
    assert text.index("Last.") < text.index("<skills_index>")
    shelf.has("main", "First.", inject_skills=False)
    assert "<skills_index>" not in prompt(shelf, tmp_path)


def test_client_and_model_say_the_same_and_only_one_of_them_is_given(shelf: Shelf) -> None:
    shelf.has("main", client="fast")
    assert shelf.agents().get("main").model == "fast"
    shelf.has("main", model="fast")
    assert shelf.agents().get("main").model == "fast"
    shelf.has("main", model="fast", client="fast")
    assert "model is given beside client" in shelf.refuses()


def test_what_a_model_has_to_be_able_to_is_part_of_the_definition(shelf: Shelf) -> None:
    shelf.has("main", scope="coding", strength="high")
    definition = shelf.agents().get("main")
    assert (definition.scope, definition.strength) == ("coding", "high")
    shelf.has("main", strength="huge")
    assert "strength must be" in shelf.refuses()
