"""read_file, write_file, edit_file, list_files and send_file as a model uses them."""

import asyncio
import os
import time

import pytest

from core.domain.errors import ToolError
from core.domain.message import OutgoingFile
from core.tools.edit_file import MOST_DIFF_LINES, EditFileArguments, edit_file, edited
from core.tools.list_files import MOST_SHOWN, list_files
from core.tools.read_file import MOST_CHARACTERS, MOST_LINES, read_file
from core.tools.send_file import send_file
from core.tools.workspace import FILE_LIMIT
from core.tools.write_file import write_file
from tests.unit.tools.conftest import Room


async def test_a_file_that_was_written_is_read_with_line_numbers(room: Room) -> None:
    done = await room.text(write_file, path="notes/plan.md", content="one\ntwo\n")
    assert done == "Wrote the new file notes/plan.md: 2 lines, 8 bytes."
    assert await room.text(read_file, path="notes/plan.md") == (
        "notes/plan.md, lines 1 to 2 of 2.\n     1\tone\n     2\ttwo"
    )
    assert (await room.text(write_file, path="notes/plan.md", content="")).startswith("Replaced notes/plan.md: 0 lines")
    assert await room.text(read_file, path="notes/plan.md") == "notes/plan.md is empty."


async def test_a_part_of_a_file_is_read(room: Room) -> None:
    room.file("a.txt", "\n".join(f"line {n}" for n in range(1, 11)))
    text = await room.text(read_file, path="a.txt", start_line=3, end_line=4)
    assert text == "a.txt, lines 3 to 4 of 10. Go on with start_line=5.\n     3\tline 3\n     4\tline 4"
    assert "lines 9 to 10 of 10.\n" in await room.text(read_file, path="a.txt", start_line=9, end_line=99)


async def test_a_long_file_is_read_up_to_the_line_limit_and_says_where_to_go_on(room: Room) -> None:
    room.file("a.txt", "x\n" * (MOST_LINES + 1))
    text = await room.text(read_file, path="a.txt")
    assert f"lines 1 to {MOST_LINES} of {MOST_LINES + 1}. Go on with start_line={MOST_LINES + 1}." in text
    room.file("a.txt", "x\n" * MOST_LINES)
    assert "Go on" not in await room.text(read_file, path="a.txt")


async def test_long_lines_are_cut_and_do_not_crowd_out_the_bound(room: Room) -> None:
    room.file("a.txt", ("y" * 3_000 + "\n") * 100)
    text = await room.text(read_file, path="a.txt")
    assert "(1,000 more characters)" in text
    assert len(text) < MOST_CHARACTERS + 200
    assert "Go on with start_line=10" in text


async def test_lines_that_are_not_there_are_told_with_those_that_are(room: Room) -> None:
    room.file("a.txt", "one\ntwo")
    assert "Ask for a line from 1 to 2" in await room.refusal(read_file, path="a.txt", start_line=3)
    assert "before start_line" in await room.refusal(read_file, path="a.txt", start_line=2, end_line=1)
    assert "start_line" in await room.refusal(read_file, path="a.txt", start_line=0)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0", b"PK\x03\x04\0\0", bytes(range(1, 32)) * 10])
async def test_a_binary_file_is_named_and_not_dumped(room: Room, content: bytes) -> None:
    room.file("photo.png", content)
    text = await room.text(read_file, path="photo.png")
    assert text == f"photo.png is not text: image/png, {len(content)} bytes. Its content is not shown."


@pytest.mark.parametrize(
    "content", ["größe".encode(), "größe".encode("utf-8-sig"), "größe".encode("utf-16"), "größe".encode("latin-1")]
)
async def test_text_is_read_in_the_encodings_people_use(room: Room, content: bytes) -> None:
    room.file("a.txt", content)
    assert (await room.text(read_file, path="a.txt")).endswith("     1\tgröße")


async def test_windows_line_ends_and_odd_separators_count_as_editors_count_them(room: Room) -> None:
    room.file("a.txt", "one\r\ntwo\x0cstill two\u2028and here\r\n")
    assert await room.text(read_file, path="a.txt") == (
        "a.txt, lines 1 to 2 of 2.\n     1\tone\n     2\ttwo\x0cstill two\u2028and here"
    )


@pytest.mark.parametrize(
    "path", ["../out.txt", "/etc/passwd", "a/%2e%2e/%2e%2e/x", "~/.ssh/id", "a\\..\\b", "a\0b", "x" * 4096]
)
async def test_every_file_tool_refuses_a_path_that_leads_out(room: Room, path: str) -> None:
    for tool, arguments in (
        (read_file, {}),
        (write_file, {"content": "x"}),
        (edit_file, {"old_text": "a", "new_text": "b"}),
        (list_files, {}),
        (send_file, {}),
    ):
        assert "relative to the workspace" in await room.refusal(tool, path=path, **arguments)
    assert list(room.root.iterdir()) == []


async def test_the_process_and_device_files_of_the_system_cannot_be_read(room: Room) -> None:
    (room.root / "env").symlink_to("/proc/self/environ")
    (room.root / "dev").symlink_to("/dev")
    for path in ("/proc/self/environ", "/dev/zero", "env", "dev/zero", "proc/self/environ"):
        assert await room.refusal(read_file, path=path)
        assert await room.refusal(send_file, path=path)


async def test_half_a_character_cannot_be_written_and_is_told_by_place(room: Room) -> None:
    assert "content: character 3" in await room.refusal(write_file, path="a.txt", content="ab\ud800")


async def test_an_edit_replaces_the_one_place_and_shows_the_change(room: Room) -> None:
    place = room.file("a.txt", "one\ntwo\nthree\nfour\nfive\n")
    text = await room.text(edit_file, path="a.txt", old_text="three", new_text="3\n3.5")
    assert place.read_text() == "one\ntwo\n3\n3.5\nfour\nfive\n"
    assert text == "Edited a.txt in one place.\n@@ line 3 @@\n one\n two\n-three\n+3\n+3.5\n four\n five"


async def test_text_that_occurs_twice_is_not_replaced_unless_all_are_meant(room: Room) -> None:
    place = room.file("a.txt", "a\nb\na\n")
    told = await room.refusal(edit_file, path="a.txt", old_text="a", new_text="c")
    assert "2 times in a.txt, at lines 1, 3" in told
    assert "replace_all" in told
    assert place.read_text() == "a\nb\na\n"
    assert "in 2 places" in await room.text(edit_file, path="a.txt", old_text="a", new_text="c", replace_all=True)
    assert place.read_text() == "c\nb\nc\n"


async def test_text_that_is_not_there_is_told_and_why_when_only_spaces_differ(room: Room) -> None:
    room.file("a.txt", "if x:\n    go()\n")
    assert "does not occur" in await room.refusal(edit_file, path="a.txt", old_text="stop()", new_text="")
    told = await room.refusal(edit_file, path="a.txt", old_text="if x:\n  go()", new_text="")
    assert "other spaces or line ends" in told


async def test_an_edit_without_a_change_or_without_text_is_refused(room: Room) -> None:
    room.file("a.txt", "a")
    assert "same as old_text" in await room.refusal(edit_file, path="a.txt", old_text="a", new_text="a")
    assert "old_text" in await room.refusal(edit_file, path="a.txt", old_text="", new_text="a")
    room.file("b.bin", b"\xff\xfe\xff")
    assert "not UTF-8" in await room.refusal(edit_file, path="b.bin", old_text="a", new_text="b")


async def test_an_edit_keeps_windows_line_ends_and_the_byte_order_mark(room: Room) -> None:
    place = room.file("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    await room.text(edit_file, path="a.txt", old_text="one\ntwo", new_text="1\n2\n2.5")
    assert place.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n2.5\r\nthree\r\n"


async def test_lines_can_be_deleted_and_the_diff_shows_only_them(room: Room) -> None:
    place = room.file("a.txt", "one\ntwo\nthree\n")
    text = await room.text(edit_file, path="a.txt", old_text="two\n", new_text="")
    assert place.read_text() == "one\nthree\n"
    assert text.split("\n", 1)[1] == "@@ line 2 @@\n one\n-two\n three"


async def test_two_edits_of_one_round_both_take_place(room: Room) -> None:
    place = room.file("a.txt", "".join(f"<{n}>\n" for n in range(10)))
    async with asyncio.TaskGroup() as group:
        for n in range(10):
            group.create_task(room.call(edit_file, path="a.txt", old_text=f"<{n}>", new_text=f"[{n}]"))
    assert place.read_text() == "".join(f"[{n}]\n" for n in range(10))


def test_the_diff_of_a_huge_edit_is_short_and_quick() -> None:
    arguments = EditFileArguments(path="a.txt", old_text="x", new_text="y", replace_all=True)
    start = time.perf_counter()
    done = edited(arguments, b"x\n" * 500_000)
    assert time.perf_counter() - start < 5
    assert done.count == 500_000
    assert len(done.diff.split("\n")) <= MOST_DIFF_LINES + 1
    assert "more" in done.diff
    one = edited(EditFileArguments(path="a", old_text="x", new_text="y\n" * 1_000), b"x")
    assert len(one.diff.split("\n")) == MOST_DIFF_LINES + 1


async def test_a_folder_is_listed_with_sizes_and_kinds_in_order(room: Room) -> None:
    room.file("b.txt", "12345")
    room.file("a/deep.txt", "1")
    (room.root / "c").symlink_to("/etc")
    os.mkfifo(room.root / "d")
    assert await room.text(list_files) == ("a/\nb.txt  5 bytes\nc  (a link, not followed)\nd  (not a regular file)")
    assert await room.text(list_files, path="a") == "a/deep.txt  1 bytes"
    assert "link" in await room.refusal(list_files, path="c")
    assert "is a file or a link" in await room.refusal(list_files, path="b.txt")


async def test_a_pattern_finds_files_below_the_folder(room: Room) -> None:
    for path in ("x/a.md", "x/y/b.md", "x/y/c.txt", "d.md", "node_modules/m.md"):
        room.file(path)
    assert await room.text(list_files, pattern="*.md") == "d.md  0 bytes\nx/a.md  0 bytes\nx/y/b.md  0 bytes"
    assert await room.text(list_files, path="x", pattern="y/*") == "x/y/b.md  0 bytes\nx/y/c.txt  0 bytes"
    assert await room.text(list_files, path="node_modules", pattern="*") == "node_modules/m.md  0 bytes"
    assert await room.text(list_files, path="x", pattern="*.py") == "Nothing was found in x."


async def test_a_listing_is_shown_up_to_its_limit(room: Room) -> None:
    for number in range(MOST_SHOWN + 1):
        room.file(f"{number:04}")
    text = await room.text(list_files)
    assert text.endswith("0499  0 bytes\n(1 more; use a narrower path or pattern)")
    (room.root / "0500").unlink()
    assert (await room.text(list_files)).endswith("0499  0 bytes")


async def test_a_file_name_with_a_line_break_takes_one_line(room: Room) -> None:
    (room.root / "a\nb\x1b[2J").touch()
    assert await room.text(list_files) == "a\\nb\\x1b[2J  0 bytes"


async def test_tools_show_no_upload_of_another_chat(room: Room) -> None:
    room.file("uploads/own/mine.txt", "mine")
    room.file("uploads/other/theirs.txt", "theirs")
    assert await room.text(list_files, path="uploads") == "uploads/own/"
    assert await room.text(list_files, pattern="*.txt") == "uploads/own/mine.txt  4 bytes"
    for tool in (read_file, send_file):
        assert "mine.txt" in await room.text(tool, path="uploads/own/mine.txt")
        assert "no such file" in await room.refusal(tool, path="uploads/other/theirs.txt")
    assert "no such file" in await room.refusal(list_files, path="uploads/other")


async def test_a_file_goes_out_with_the_reply(room: Room) -> None:
    room.file("out/report.pdf", b"%PDF")
    result = await room.call(send_file, path="./out//report.pdf", caption="The report")
    assert result.files == (OutgoingFile(path="out/report.pdf", name="report.pdf", caption="The report"),)
    assert result.text == "out/report.pdf (4 bytes) goes out with your reply."


async def test_an_attachment_that_is_no_plain_file_is_refused(room: Room) -> None:
    (room.root / "link").symlink_to("/etc/passwd")
    os.mkfifo(room.root / "pipe")
    (room.root / "folder").mkdir()
    secret = room.root.parent / "secret"
    secret.write_text("secret")
    os.link(secret, room.root / "hard")
    for path, told in (
        ("link", "link"),
        ("pipe", "pipe"),
        ("folder", "folder"),
        ("hard", "hard link"),
        ("none", "no such"),
    ):
        assert told in await room.refusal(send_file, path=path)


async def test_an_attachment_is_taken_at_the_limit_and_refused_one_byte_past_it(room: Room) -> None:
    place = room.file("big.bin")
    os.truncate(place, FILE_LIMIT)
    assert (await room.call(send_file, path="big.bin")).files
    os.truncate(place, FILE_LIMIT + 1)
    assert "25,000,000 bytes" in await room.refusal(send_file, path="big.bin")


async def test_a_name_with_separators_never_becomes_the_name_of_an_attachment(room: Room) -> None:
    (room.root / "..\\..\\evil.exe").touch()
    for path in ("..\\..\\evil.exe", "..%2f..%2fevil.exe", "..%5c..%5cevil.exe"):
        with pytest.raises(ToolError):
            await room.call(send_file, path=path)
