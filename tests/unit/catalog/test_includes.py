"""An include stands for its file: nested, never in a circle, never from outside the agents folders."""

import pytest

from tests.unit.catalog.shelf import Shelf


def test_an_include_stands_for_its_file_and_says_which_it_was(shelf: Shelf) -> None:
    shelf.has("main", "First.\n  <!-- INCLUDE: common/rules.md -->  \nLast.")
    shelf.puts("common/rules.md", "\nRule.\n")
    assert shelf.says() == 'First.\n<included_file path="agents/common/rules.md">\nRule.\n</included_file>\nLast.'


def test_an_included_file_includes_others_and_may_be_used_twice(shelf: Shelf) -> None:
    shelf.has("main", "<!-- INCLUDE: common/a.md -->\n<!-- INCLUDE: common/b.md -->")
    shelf.puts("common/a.md", "A\n<!-- INCLUDE: common/b.md -->")
    shelf.puts("common/b.md", "B", own=False)
    assert shelf.says().count("B\n") == 2


def test_the_persons_own_include_wins(shelf: Shelf) -> None:
    shelf.has("main", "<!-- INCLUDE: common/rules.md -->", own=False)
    shelf.puts("common/rules.md", "Shipped.", own=False)
    shelf.puts("common/rules.md", "Own.")
    assert "Own." in shelf.says()
    assert "Shipped." not in shelf.says()


def test_only_a_line_of_its_own_is_an_include(shelf: Shelf) -> None:
    shelf.has("main", "Write <!-- INCLUDE: common/none.md --> so.\n<!-- a note -->")
    assert shelf.says() == "Write <!-- INCLUDE: common/none.md --> so.\n<!-- a note -->"


@pytest.mark.parametrize(
    "line", ["<!-- INCLUDE common/a.md -->", "<!-- include: common/a.md -->", "<!--INCLUDE: common/a.md --> and more"]
)
def test_what_was_meant_as_an_include_is_not_passed_over(shelf: Shelf, line: str) -> None:
    shelf.has("main", f"First.\n{line}")
    assert shelf.refuses() == "main/AGENT.md:2: write it as <!-- INCLUDE: common/core_rules.md -->"


def test_a_missing_file_is_named_with_the_line_that_wants_it(shelf: Shelf) -> None:
    shelf.has("main", "<!-- INCLUDE: common/a.md -->")
    shelf.puts("common/a.md", "\n\n<!-- INCLUDE: common/none.md -->")
    line = shelf.refuses()
    assert line.startswith("common/a.md:3: INCLUDE 'common/none.md': there is no such file in ")
    assert line.endswith("make it, or remove this line")


def test_a_circle_is_refused_with_all_that_are_in_it(shelf: Shelf) -> None:
    shelf.has("main", "<!-- INCLUDE: common/a.md -->")
    shelf.puts("common/a.md", "<!-- INCLUDE: common/b.md -->")
    shelf.puts("common/b.md", "<!-- INCLUDE: common/a.md -->")
    circle = "common/a.md -> common/b.md -> common/a.md"
    assert shelf.refuses() == f"common/b.md:1: INCLUDE goes in a circle ({circle}): remove one of them"


def test_an_agent_that_includes_itself_is_refused(shelf: Shelf) -> None:
    shelf.has("main", "<!-- INCLUDE: main/AGENT.md -->")
    assert "INCLUDE goes in a circle" in shelf.refuses()


@pytest.mark.parametrize(
    "name",
    ["../parley.toml", "common/../../parley.toml", "/etc/passwd", "common\\..\\x.md", "./common/a.md", "a//b", ""],
)
def test_an_include_never_leaves_the_folder(shelf: Shelf, name: str) -> None:
    shelf.puts("../parley.toml", "canary")
    shelf.has("main", f"<!-- INCLUDE: {name} -->")
    assert "must be a path inside the agents folder" in shelf.refuses()


def test_a_link_out_of_the_folder_is_refused(shelf: Shelf) -> None:
    secret = shelf.puts("../secret.md", "canary")
    shelf.has("main", "<!-- INCLUDE: common/link.md -->")
    (shelf.own / "common").mkdir()
    (shelf.own / "common" / "link.md").symlink_to(secret)
    assert "common/link.md is a link out of " in shelf.refuses()


def test_a_linked_agent_folder_is_refused_too(shelf: Shelf) -> None:
    shelf.has("main", own=False)
    (shelf.own / "main").symlink_to(shelf.shipped / "main")
    assert shelf.refuses().startswith("main is a link out of ")


def test_includes_that_multiply_are_stopped(shelf: Shelf) -> None:
    for number in range(12):
        shelf.puts(f"common/{number}.md", f"<!-- INCLUDE: common/{number + 1}.md -->\n" * 2)
    shelf.puts("common/12.md", "x")
    shelf.has("main", "<!-- INCLUDE: common/0.md -->")
    assert "more than 100 includes in one agent" in shelf.refuses()
