"""run_command before anything runs: what is refused, what is shown, and what the digest covers."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.errors import ToolError
from core.domain.tool import Approval, Proposal
from core.ports import Proposes
from core.tools.command_plan import environment, quoted
from core.tools.run_command import LONGEST_ARGV, RunCommand
from tests.unit.tools.conftest import Room

PLAIN = RunCommand(sandboxed=False)


async def proposed(room: Room, *argv: str, tool: RunCommand = PLAIN, **others: object) -> Proposal:
    return await tool.propose(json.dumps({"argv": argv, **others}), room.context)


async def refused(room: Room, argv: object, tool: RunCommand = PLAIN, **others: object) -> str:
    """Neither shown to anybody nor run."""
    arguments = json.dumps({"argv": argv, **others})
    with pytest.raises(ToolError) as at_proposal:
        await tool.propose(arguments, room.context)
    with pytest.raises(ToolError) as at_run:
        await tool.run(arguments, room.context)
    assert str(at_proposal.value) == str(at_run.value)
    return str(at_proposal.value)


def test_it_always_asks_and_is_never_repeated_unasked() -> None:
    assert isinstance(PLAIN, Proposes)
    assert (PLAIN.spec.approval, PLAIN.spec.replayable) == (Approval.ASK, False)


async def test_a_text_is_no_list_of_words(room: Room) -> None:
    told = await refused(room, "ls -l; rm x")
    assert 'as in ["ls", "-l", "my notes"]' in told
    assert '["sh", "-c", "the text"]' in told


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        ([], "at least 1"),
        ([""], "first word is empty"),
        (["ls", "a\0b"], "NUL"),
        (["ls", "a\ud800"], "surrogate"),
        (["ls", "x" * LONGEST_ARGV], "longer than 100,000 characters"),
        (["no-such-program"], "there is no such program"),
        (["./none"], "there is no program here"),
        (["ls -l"], "each argument as a word of its own"),
        (["rm", "-rf", "/"], "whoever approves it"),
        (["sh", "-c", "cd /; rm -rf *"], "whoever approves it"),
        (["rm", "-rf", "."], "whoever approves it"),
    ],
)
async def test_what_cannot_or_must_not_run_is_not_even_shown(room: Room, argv: list[str], why: str) -> None:
    assert why in await refused(room, argv)


@pytest.mark.parametrize("cwd", ["..", "/etc", "data/../..", "~", "none", "link", "file.txt", "uploads/other"])
async def test_it_runs_in_folders_of_the_workspace_only(room: Room, cwd: str) -> None:
    room.file("file.txt", "x")
    room.file("uploads/other/x", "x")
    (room.root / "link").symlink_to("/etc")
    await refused(room, ["ls"], cwd=cwd)


async def test_its_time_has_a_limit(room: Room) -> None:
    assert "600 seconds that are allowed" in await refused(room, ["ls"], timeout_s=601)
    assert "timeout_s" in await refused(room, ["ls"], timeout_s=0)


async def test_without_a_sandbox_nothing_runs_unless_the_setting_says_so(room: Room) -> None:
    told = await refused(room, ["ls"], tool=RunCommand(bwrap=None))
    assert "bubblewrap (bwrap) is not installed" in told
    assert '[tools.run_command] sandbox = "none"' in told


async def test_a_sandbox_that_does_not_work_is_no_sandbox(room: Room, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no permission for namespaces >&2\nexit 1\n")
    broken.chmod(0o755)
    told = await refused(room, ["ls"], tool=RunCommand(bwrap=str(broken)))
    assert "no permission for namespaces" in told
    assert '[tools.run_command] sandbox = "none"' in told


# --- what a person sees ---


async def test_the_whole_command_is_shown(room: Room) -> None:
    room.file("data/run.py", "print()")
    shown = (await proposed(room, "python3", "run.py", "a b", cwd="data", timeout_s=5)).shown
    first, *rest = shown.splitlines()
    assert first == "python3 run.py 'a b'"
    assert rest[:3] == ["in: data", "at most 5 s, without a sandbox", "program: /usr/bin/python3"]
    assert any(line.startswith("sha256 ") and line.endswith("/data/run.py") for line in rest)


async def test_shell_text_is_shown_line_by_line(room: Room) -> None:
    text = "echo one\necho 'two'  # \u202ethree"
    shown = (await proposed(room, "sh", "-c", text)).shown
    assert "word 3, line by line:\n| echo one\n| echo 'two'  # \\u202ethree" in shown


async def test_a_long_command_is_not_cut(room: Room) -> None:
    words = [f"word{number}" for number in range(900)]
    assert " ".join(words) in (await proposed(room, "echo", *words)).shown


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("plain-word_1.txt", "plain-word_1.txt"),
        ("", "''"),
        ("a b", "'a b'"),
        ("$(x)`y`", "'$(x)`y`'"),
        ("it's", "$'it\\'s'"),
        ("a\nb\tc", "$'a\\nb\\tc'"),
        ("\u202egpj.exe", "$'\\u202egpj.exe'"),
        ("zero\u200bwidth", "$'zero\\u200bwidth'"),
        ("a\\b", "'a\\b'"),
        ("a\\\nb", "$'a\\\\\\nb'"),
        ("“quoted”", "'“quoted”'"),
        ("a\u00a0b", "$'a\\xa0b'"),
    ],
)
def test_a_word_shows_everything_that_is_in_it(word: str, shown: str) -> None:
    assert quoted(word) == shown


# --- what the digest covers ---


async def test_the_same_command_has_the_same_digest(room: Room) -> None:
    room.file("run.py", "print()")
    assert await proposed(room, "python3", "run.py") == await proposed(room, "python3", "run.py")


async def test_everything_that_decides_what_runs_changes_the_digest(room: Room) -> None:
    room.file("data/x", "x")
    (room.root / "more").mkdir()
    variants = [
        await proposed(room, "echo", "a b"),
        await proposed(room, "echo", "a", "b"),
        await proposed(room, "printf", "a b"),
        await proposed(room, "echo", "a b", cwd="data"),
        await proposed(room, "echo", "a b", cwd="more"),
        await proposed(room, "echo", "a b", timeout_s=5),
    ]
    assert len({one.digest for one in variants}) == len(variants)


@pytest.mark.parametrize(
    "argv",
    [
        ("python3", "run.py"),
        ("python3", "./run.py"),
        ("sh", "-c", "true && python3 run.py > out"),
        ("python3", "--script=run.py"),
        ("env", "A=b", "python3", "run.py"),
        ("./run.py",),
    ],
)
async def test_a_script_that_was_changed_has_another_digest(room: Room, argv: tuple[str, ...]) -> None:
    script = room.file("run.py", "#!/usr/bin/python3\nprint(1)\n")
    script.chmod(0o755)
    before = await proposed(room, *argv)
    script.write_text("#!/usr/bin/python3\nprint(2)\n")
    after = await proposed(room, *argv)
    assert before.digest != after.digest
    assert before.shown != after.shown


async def test_a_link_that_leads_elsewhere_now_has_another_digest(room: Room) -> None:
    room.file("one.py", "print(1)")
    room.file("two.py", "print(2)")
    link = room.root / "run.py"
    link.symlink_to("one.py")
    before = await proposed(room, "python3", "run.py")
    link.unlink()
    link.symlink_to("two.py")
    assert (await proposed(room, "python3", "run.py")).digest != before.digest


async def test_a_folder_that_became_a_link_is_refused(room: Room) -> None:
    room.file("site/run.py", "print(1)")
    await proposed(room, "ls", cwd="site")
    (room.root / "site").rename(room.root / "moved")
    (room.root / "site").symlink_to("moved")
    assert "links are not followed" in await refused(room, ["ls"], cwd="site")


async def test_a_file_that_came_to_be_has_another_digest(room: Room) -> None:
    before = await proposed(room, "cat", "late.txt")
    room.file("late.txt", "x")
    assert (await proposed(room, "cat", "late.txt")).digest != before.digest


def hashed(proposal: Proposal) -> list[str]:
    """The names of the files whose contents the digest covers."""
    return [Path(line.split()[2]).name for line in proposal.shown.splitlines() if line.startswith("sha256 ")]


async def test_a_name_with_spaces_is_found_in_shell_text(room: Room) -> None:
    room.file("my script.py", "x")
    for text in ("python3 'my script.py' | cat", 'cat < x; cat "my script.py"', "python3 my\\ script.py"):
        last = (await proposed(room, "sh", "-c", text)).shown.splitlines()[-1]
        assert last.startswith("sha256 ")
        assert last.endswith("/my script.py'")


async def test_a_pipe_is_named_and_nobody_waits_for_it(room: Room) -> None:
    os.mkfifo(room.root / "pipe")
    room.file("a.txt", "x")
    assert hashed(await proposed(room, "cat", "pipe", "a.txt")) == ["cat", "a.txt"]


async def test_files_of_other_chats_are_not_looked_at(room: Room) -> None:
    room.file("uploads/other/secret.txt", "x")
    room.file("uploads/own/mine.txt", "x")
    assert hashed(await proposed(room, "cat", "uploads/other/secret.txt", "uploads/own/mine.txt")) == [
        "cat",
        "mine.txt",
    ]


# --- what a command finds around it ---


def test_the_environment_is_a_list_of_what_is_allowed() -> None:
    given = environment("/w")
    assert set(given) == {"PATH", "HOME", "LANG", "TERM", "TMPDIR", "TZ"}
    assert all(folder.startswith(("/usr/", "/sbin", "/bin")) for folder in given["PATH"].split(":"))


async def test_a_program_of_the_workspace_is_never_found_by_its_name_alone(room: Room) -> None:
    fake = room.file("ls", "#!/bin/sh\n")
    fake.chmod(0o755)
    assert "program: /usr/bin/ls" in (await proposed(room, "ls")).shown
    assert f"program: {quoted(str(fake))}" in (await proposed(room, "./ls")).shown


async def test_in_the_sandbox_only_programs_of_the_system_and_of_the_workspace_are_named(
    room: Room, tmp_path: Path
) -> None:
    outside = tmp_path / "tool"
    outside.write_text("#!/bin/sh\n")
    outside.chmod(0o755)
    assert "there is no program here" in await refused(room, ["../tool"], tool=replace(PLAIN, sandboxed=True))
    assert "there is no program here" in await refused(room, [str(outside)], tool=replace(PLAIN, sandboxed=True))
    assert "program: " in (await proposed(room, str(outside))).shown
