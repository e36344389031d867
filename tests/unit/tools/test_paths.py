"""Which paths may be named, what a chat sees, and which paths a pattern means."""

import os.path
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.errors import ToolError
from core.tools.paths import Parts, Sight, glob_of, parts_of, shown, sight

quick = settings(max_examples=200, deadline=None, database=None)

REFUSED = {
    "parent step": ["..", "../x", "a/../../x", "a/..", "./../x", "a/.. /x", " ../x"],
    "encoded parent step": ["%2e%2e/x", "%2E%2e%2fx", "..%2fx", "..%5cx", "%252e%252e%252fx", "a/%2e%2e"],
    "doubled parent step": ["....//x", "..././x", "a/..../x", "...", "..//..//x"],
    "mixed slashes": ["..\\x", "a\\..\\x", "..\\/x", "a/..\\..\\x", "\\x", "a\\b"],
    "another root": ["/etc/passwd", "//etc/passwd", "/", "~", "~/x", "~root/x", "C:/x", "c:x"],
    "NUL and controls": ["a\0", "\0", "a%00.txt", "a\nb", "a\x1b[2J", "a\x7f", "a\u2028b", "a\u202eb", "\ud800"],
    "too long": ["x" * 4_096, "x" * 256, "é" * 128, "a/" * 33 + "x", ("y" * 200 + "/") * 6 + "x"],
    "overlong and broken codes": ["%c0%ae%c0%ae/x", "%c0%af", "a/%ff%fe"],
    "wide forms": ["\uff0e\uff0e/x", "a/\uff0e\uff0e\uff0fx", "\u2024\u2024/x"],
    "encoded separator": ["a%2fb", "a%252fb", "a%5cb", "%25252525252e"],
    "nothing": ["", " ", "\t"],
}


@pytest.mark.parametrize(("kind", "path"), [(kind, path) for kind, paths in REFUSED.items() for path in paths])
def test_a_path_that_could_mean_another_place_is_refused(kind: str, path: str) -> None:
    with pytest.raises(ToolError, match="relative to the workspace"):
        parts_of(path)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        (".", ()),
        ("./a.txt", ("a.txt",)),
        ("a/b/c.txt", ("a", "b", "c.txt")),
        ("a//b/", ("a", "b")),
        (".hidden/x", (".hidden", "x")),
        ("a..b/c...txt", ("a..b", "c...txt")),
        ("100%.txt", ("100%.txt",)),
        ("a%20b.txt", ("a%20b.txt",)),
        ("notes~", ("notes~",)),
        ("Größe/日本.md", ("Größe", "日本.md")),
        ("a b/c d", ("a b", "c d")),
        ("x" * 255, ("x" * 255,)),
        ("wait….txt", ("wait….txt",)),
        ("file:///etc/passwd", ("file:", "etc", "passwd")),  # a strange name, but one below the workspace
    ],
)
def test_an_ordinary_path_gives_its_names(path: str, parts: Parts) -> None:
    assert parts_of(path) == parts


pieces = st.sampled_from(
    [
        "..",
        ".",
        "/",
        "\\",
        "%2e",
        "%2f",
        "%5c",
        "%25",
        "%00",
        "~",
        "\0",
        "a",
        " ",
        "\uff0e",
        "\uff0f",
        "C:",
        "....",
        "\n",
    ]
)


@quick
@given(st.one_of(st.text(), st.lists(pieces, max_size=8).map("".join)))
def test_what_is_not_refused_stays_below_the_root_however_it_is_read(path: str) -> None:
    with suppress(ToolError):
        parts = parts_of(path)
        assert all(part not in ("", ".", "..") and "/" not in part and "\0" not in part for part in parts)
        assert os.path.normpath("/top/" + path + "/end").startswith("/top/")


@quick
@given(st.text())
def test_whatever_the_path_it_is_shown_in_one_printable_line(path: str) -> None:
    assert shown(path).isprintable()


def test_controls_in_a_refused_path_are_shown_as_codes_and_a_long_one_is_cut() -> None:
    assert shown("a\nb\x1b[2J\ud800") == "a\\nb\\x1b[2J\\ud800"
    assert len(shown("x" * 5_000)) < 250


ROOT = Path("/srv/parley")


def test_a_chat_sees_the_workspace_and_of_the_uploads_only_its_own() -> None:
    own = sight(ROOT, ROOT / "uploads" / "h1")
    assert own.sees(("notes", "a.md"))
    assert own.sees(("uploads",))
    assert own.sees(("uploads", "h1"))
    assert own.sees(("uploads", "h1", "a.pdf"))
    assert not own.sees(("uploads", "h2"))
    assert not own.sees(("uploads", "h2", "a.pdf"))
    assert not own.sees(("uploads", "h11"))
    assert own.sees(("data", "uploads", "h2"))


def test_another_spelling_of_the_uploads_folder_shows_nothing() -> None:
    own = sight(ROOT, ROOT / "uploads" / "h1")
    assert not own.sees(("Uploads", "h2"))
    assert not own.sees(("UPLOADS", "h1"))
    assert not own.sees(("uploadſ", "h2"))


def test_one_who_may_see_all_uploads_has_the_whole_folder_as_own() -> None:
    assert sight(ROOT, ROOT / "uploads").sees(("uploads", "h2", "a.pdf"))


def test_without_a_folder_of_its_own_in_this_workspace_a_chat_sees_no_upload() -> None:
    assert sight(ROOT, Path("/elsewhere/uploads/h1")) == Sight(own=None)
    assert not Sight(own=None).sees(("uploads", "h1"))


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "a.md", True),
        ("*.md", "x/y/a.md", True),
        ("x/*.md", "x/a.md", True),
        ("x/*.md", "x/y/a.md", False),
        ("x/**/*.md", "x/a.md", True),
        ("x/**/*.md", "x/y/z/a.md", True),
        ("**/y/*", "x/y/a", True),
        ("**", "x/y/a", True),
        ("./x/?.md", "x/a.md", True),
        ("x/[ab].md", "x/c.md", False),
        ("*.MD", "a.md", False),
        ("/x/*.md", "x/a.md", True),
        ("/a.md", "x/a.md", False),
    ],
)
def test_a_pattern_means_these_paths(pattern: str, path: str, fits: bool) -> None:
    assert glob_of(pattern).matches(tuple(path.split("/"))) is fits


def test_a_pattern_made_to_be_slow_is_not() -> None:
    path = tuple("a" * 100 for _ in range(32))
    start = time.perf_counter()
    assert not glob_of("**/" * 60 + "b").matches(path)
    assert not glob_of("*a" * 100 + "b").matches(path)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("pattern", ["", "/", "x" * 257])
def test_a_pattern_that_means_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError, match="pattern"):
        glob_of(pattern)
