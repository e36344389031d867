"""Agents are folders: read anew when they change, the person's own first, the broken ones named."""

import os
from pathlib import Path

import pytest

from core.catalog.agents import FolderAgents
from core.domain.agent import AgentDefinition
from core.domain.errors import SettingsError
from core.tools.fetch import Fetch
from core.tools.registry import shipped as shipped_tools
from gateway.home import Home
from gateway.resources import agent_folders, agents_folder, shipped, skills_folder
from tests.unit.catalog.shelf import META, Shelf


def test_an_agent_is_its_two_files(shelf: Shelf) -> None:
    shelf.has("main", "\nBe kind.\n\n", model="fast", friendly_description="Your friend.")
    assert shelf.agents().get("main") == AgentDefinition(
        id="main", name="Main", instructions="Be kind.", tools=("read_file",), model="fast"
    )


def test_the_persons_own_agent_takes_the_place_of_one_that_ships(shelf: Shelf) -> None:
    shelf.has("main", "Shipped.", own=False)
    shelf.has("other", "Other.", own=False)
    assert shelf.says() == "Shipped."
    shelf.has("main", "Own.")
    assert shelf.says() == "Own."
    assert shelf.says("other") == "Other."


def test_half_an_own_agent_is_not_filled_up_with_the_shipped_half(shelf: Shelf) -> None:
    shelf.has("main", "Shipped.", own=False)
    shelf.puts("main/meta.json", "{}")
    assert shelf.refuses() == "main/AGENT.md is missing: every agent has meta.json and AGENT.md"


def test_a_change_counts_from_the_next_look_on(shelf: Shelf) -> None:
    shelf.has("main", "<!-- INCLUDE: common/rules.md -->")
    shelf.puts("common/rules.md", "Old.", own=False)
    agents = shelf.agents()
    assert "Old." in agents.get("main").instructions
    shelf.puts("common/rules.md", "New!", own=False)
    assert "New!" in agents.get("main").instructions
    shelf.puts("common/rules.md", "Mine.")
    assert "Mine." in agents.get("main").instructions
    shelf.has("main", "Plain.")
    assert agents.get("main").instructions == "Plain."


def test_a_change_that_keeps_size_and_time_but_replaces_the_file_counts_too(shelf: Shelf) -> None:
    shelf.has("main", "Be kind.")
    agents = shelf.agents()
    agents.get("main")
    file = shelf.own / "main" / "AGENT.md"
    status = file.stat()
    other = shelf.puts("main/other", "Be firm.")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)
    assert agents.get("main").instructions == "Be firm."


def test_nothing_is_read_again_while_nothing_changes(shelf: Shelf) -> None:
    shelf.has("main")
    agents = shelf.agents()
    assert agents.get("main") is agents.get("main")


def test_an_agent_that_breaks_while_it_runs_is_refused_and_mended_again(shelf: Shelf) -> None:
    shelf.has("main")
    agents = shelf.agents()
    agents.get("main")
    shelf.puts("main/meta.json", "{")
    with pytest.raises(SettingsError, match=r"meta\.json:1: not valid JSON"):
        agents.get("main")
    shelf.has("main", "Well again.")
    assert agents.get("main").instructions == "Well again."


def test_an_agent_that_does_not_exist_is_refused_with_the_folder_to_make(shelf: Shelf) -> None:
    shelf.has("helper", own=False)
    assert shelf.refuses("main") == "there is no agent main: make the folder main, or use one of: helper"


@pytest.mark.parametrize("agent_id", ["", "..", "../own", "a/b", "/etc", "Main", "common", "a b", "x\x00", ".git", "é"])
def test_an_id_is_never_a_way_out_of_the_folder(shelf: Shelf, agent_id: str) -> None:
    shelf.has("main")
    assert "an agent's folder is named with lower-case letters" in shelf.refuses(agent_id)


def test_only_a_chat_agent_answers_people(shelf: Shelf) -> None:
    shelf.has("main", type="task")
    assert shelf.refuses() == "main/meta.json: type is 'task', and only a chat agent can answer people"


WRONG_META = {
    "a misspelt key": ('{\n "nme": "x"\n}', "main/meta.json:2: nme is not known here; did you mean name?"),
    "a missing key": (
        '{"name": "x", "type": "chat", "description": "y"}',
        'main/meta.json: tools is missing, for example "tools": ["read_file", "current_time"]',
    ),
    "an unknown type": (
        '{"name": "x",\n\n "type": "boss", "description": "y", "tools": []}',
        'main/meta.json:3: type must be "chat", "task" or "system", for example "type": "chat"',
    ),
    "one tool where a list belongs": (
        '{"name": "x", "type": "chat", "description": "y",\n "tools": "read_file"}',
        'main/meta.json:2: tools must be a list, for example "tools": ["read_file", "current_time"]',
    ),
    "a tool name that cannot be one": (
        '{"name": "x", "type": "chat", "description": "y",\n "tools": ["read file"]}',
        'main/meta.json:2: tools[0] is not of the right form, for example "tools": ["read_file", "current_time"]',
    ),
    "an empty name": (
        '{"name": "", "type": "chat", "description": "y", "tools": []}',
        'main/meta.json:1: name must not be empty, for example "name": "Main"',
    ),
    "a number for a word": (
        '{"name": 5, "type": "chat", "description": "y", "tools": []}',
        'main/meta.json:1: name must be text, for example "name": "Main"',
    ),
    "no object": ("[]", 'main/meta.json: must be an object, as in {"name": "Main", "type": "chat", ...}'),
    "broken JSON": ('{\n "name": "x",\n}', "main/meta.json:3: not valid JSON"),
    "a key given twice": ('{"name": "x", "name": "y"}', "main/meta.json: name is given twice, keep one: mend it"),
    "nothing": ("", "main/meta.json:1: not valid JSON"),
}


@pytest.mark.parametrize("case", WRONG_META)
def test_a_wrong_meta_file_is_one_line_with_place_key_and_right_form(shelf: Shelf, case: str) -> None:
    text, line = WRONG_META[case]
    shelf.has("main")
    shelf.puts("main/meta.json", text)
    assert shelf.refuses().startswith(line)


def test_a_file_that_is_none_or_no_text_is_refused(shelf: Shelf) -> None:
    shelf.has("main")
    file = shelf.own / "main" / "AGENT.md"
    file.write_bytes(b"\xff\xfe")
    assert shelf.refuses() == "main/AGENT.md is not UTF-8 text (byte 0): save it as UTF-8"
    file.write_text("x" * 256_001)
    assert shelf.refuses() == "main/AGENT.md is larger than 256 kB: shorten it"
    file.write_text(" \n")
    assert shelf.refuses() == "main/AGENT.md is empty: write the agent's instructions there"
    file.unlink()
    os.mkfifo(file)
    assert shelf.refuses() == "main/AGENT.md is not a file: put a text file there"
    file.unlink()
    file.mkdir()
    assert shelf.refuses() == "main/AGENT.md is not a file: put a text file there"


def test_the_list_has_every_agent_and_what_is_wrong_with_the_broken_ones(shelf: Shelf) -> None:
    shelf.has("main", own=False)
    shelf.has("helper", type="task")
    shelf.puts("broken/meta.json", "{")
    shelf.puts("Odd/AGENT.md", "x")
    shelf.puts("common/rules.md", "x")
    shelf.puts(".git/config", "x")
    shelf.puts("README.md", "x")
    listed = {one.id: one for one in shelf.agents().list()}
    assert list(listed) == ["Odd", "broken", "helper", "main"]
    assert (listed["main"].folder, listed["main"].problem) == (shelf.shipped / "main", None)
    assert listed["helper"].meta is not None
    assert listed["helper"].meta.type == "task"
    assert "AGENT.md is missing" in str(listed["broken"].problem)
    assert "lower-case letters" in str(listed["Odd"].problem)


def test_folders_that_are_not_there_hold_no_agents(tmp_path: Path) -> None:
    agents = FolderAgents([tmp_path / "a", tmp_path / "b"])
    assert agents.list() == ()
    with pytest.raises(SettingsError, match="use one of: none"):
        agents.get("main")


def test_the_agents_that_ship_are_right_and_use_tools_that_exist(tmp_path: Path) -> None:
    agents = FolderAgents(agent_folders(Home(path=tmp_path)))
    assert "main" in {one.id for one in agents.list()}
    for one in agents.list():
        assert one.problem is None
        assert one.meta is not None
        assert set(one.meta.tools) <= set(shipped_tools(Fetch()))
    instructions = agents.get("main").instructions
    assert '<included_file path="agents/common/core_rules.md">' in instructions
    assert "INCLUDE" not in instructions
    assert len(instructions) < 8_000  # a small local model must still have room for the conversation


def test_what_ships_is_taken_from_the_package_or_from_the_checkout(tmp_path: Path) -> None:
    bundled, checkout = tmp_path / "bundled", tmp_path / "checkout"
    assert shipped("agents", bundled=bundled, checkout=checkout) == checkout / "agents"
    (bundled / "agents").mkdir(parents=True)
    assert shipped("agents", bundled=bundled, checkout=checkout) == bundled / "agents"
    assert agents_folder().is_dir()
    assert skills_folder().is_dir()


def test_the_example_of_a_meta_file_has_every_required_key(shelf: Shelf) -> None:
    for key in META:
        shelf.has("main")
        shelf.puts("main/meta.json", str({k: v for k, v in META.items() if k != key}).replace("'", '"'))
        assert shelf.refuses().startswith(f"main/meta.json: {key} is missing")
