"""What no text of the repository may hold: paths of one machine, hosts of package indexes, numbers of a tracker."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.checks.source import Finding, Module

# Put together here, so that this file does not hold what it looks for.
_HOMES = "|".join(("work", "root", r"home/\w+", r"Users/\w+"))
_HOSTS = "|".join(
    (r"pypi\.org", r"pythonhosted\.org", r"registry\.npmjs\.org", r"deb\.debian\.org", r"pypi\.python\.org")
)

ANYWHERE: Mapping[str, re.Pattern[str]] = {
    "a path of one machine: use a relative one, or ~": re.compile(rf"(?<![\w.~$}}/\])])/(?:{_HOMES})(?![\w.-])"),
    "the host of a package index: every installation has its own": re.compile(_HOSTS),
    "an index in a lock: every installation has its own": re.compile(
        r"^--(extra-)?index-url|^--find-links", re.MULTILINE
    ),
    "what a merge left: choose a side": re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE),
}
TRACKER = re.compile(r"\b(?:issue|ticket|PR|pull request)s? #?\d+|(?<![\w&])#\d+\b|\bGH-\d+", re.IGNORECASE)

FOLDERS = ("gateway", "channels", "core", "agents", "skills", "tests", "deploy", ".ci")


def leaks(root: Path) -> Iterator[Finding]:
    """Places in any text file of the repository."""
    for path in files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # not a text, or deleted and not committed yet
        yield from leaks_of(path, text)


def leaks_of(path: str, text: str) -> Iterator[Finding]:
    """Places in one text."""
    for say, pattern in ANYWHERE.items():
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield Finding(rule="leaks", path=path, line=line, say=f"{found.group()!r} is {say}")


def tracker_numbers(module: Module) -> Iterator[Finding]:
    """Comments that send the reader to a tracker instead of saying why."""
    if TRACKER.search(module.text):
        for line, comment in module.comments():
            if TRACKER.search(comment[1:]):
                say = "the number of an issue: write what it says"
                yield Finding(rule="tracker numbers", path=module.path, line=line, say=say)


def files(root: Path) -> list[str]:
    """What is or will be in the repository; in a source archive, which has none, what lies in its folders."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            capture_output=True,
            check=True,
            text=True,
        )
    except (FileNotFoundError, subprocess.CalledProcessError):
        found = [*root.glob("*.*"), *(file for folder in FOLDERS for file in (root / folder).rglob("*"))]
        return sorted(file.relative_to(root).as_posix() for file in found if file.is_file())
    return sorted(set(listed.stdout.split("\0")) - {""})
