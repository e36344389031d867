"""What exactly a command would be: found out before it is approved, and again before it runs.

All of it blocks: call it in a thread.
"""

import json
import os
import posixpath
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from core.decide.shell_text import read_shell
from core.domain.errors import ToolError
from core.domain.tool import Proposal
from core.tools.paths import Parts, Sight, shown

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
HASHED = 64_000_000  # bytes of one file; a larger one is known by its size and times
MOST_FILES = 200
_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+", re.ASCII)
_TOKEN = re.compile(r"[^\s;|&<>()'\"`$=,@]+")
_SHELL_FLAG = re.compile(r"-\w*c\w*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that decides what will run. `files` are the contents that it names, by path."""

    argv: tuple[str, ...]
    executable: str
    folder: Parts
    workspace: str
    env: Mapping[str, str]
    seconds: int
    sandbox: str
    files: tuple[tuple[str, str], ...]

    @property
    def cwd(self) -> str:
        """The folder that it runs in, as the command sees it."""
        return posixpath.join(self.workspace, *self.folder)


def environment(workspace: str) -> Mapping[str, str]:
    """All that a command finds in its environment: nothing of the gateway's own is passed on."""
    return {"PATH": SYSTEM_PATH, "HOME": workspace, "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": "/tmp", "TZ": "UTC"}  # noqa: S108 - the sandbox has one of its own


def plan(argv: Sequence[str], folder: Parts, seconds: int, workspace: Path, sight: Sight, sandbox: str) -> Plan:
    """Find the program and read what it names. Raises ToolError when there is nothing that could run."""
    root = os.path.realpath(workspace)
    finder = _Finder(root=root, cwd=posixpath.join(root, *folder), sight=sight, inside=sandbox != "none")
    executable = finder.executable(argv[0])
    return Plan(
        argv=tuple(argv),
        executable=executable,
        folder=folder,
        workspace=root,
        env=environment(root),
        seconds=seconds,
        sandbox=sandbox,
        files=tuple(finder.contents([executable, *argv])),
    )


def proposal(made: Plan) -> Proposal:
    """The whole plan for a person, and a digest over all of it."""
    facts = {
        "argv": made.argv,
        "executable": made.executable,
        "cwd": made.cwd,
        "env": dict(made.env),
        "seconds": made.seconds,
        "sandbox": made.sandbox,
        "files": made.files,
    }
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True)
    return Proposal(shown="\n".join(_lines(made)), digest=sha256(text.encode()).hexdigest())


def _lines(made: Plan) -> Iterator[str]:
    yield " ".join(quoted(word) for word in made.argv)
    yield f"in: {quoted(posixpath.join(*made.folder)) if made.folder else 'the workspace'}"
    network = "without a sandbox" if made.sandbox == "none" else "without network, only the workspace can be changed"
    yield f"at most {made.seconds} s, {network}"
    yield f"program: {quoted(made.executable)}"
    for number, word in enumerate(made.argv):
        if number > 1 and "\n" in word and _SHELL_FLAG.fullmatch(made.argv[number - 1]):
            yield f"word {number + 1}, line by line:"
            yield from (f"| {_escaped(line)}" for line in word.split("\n"))
    for path, digest in made.files:
        yield f"sha256 {digest[:16]} {quoted(path)}"


def quoted(word: str) -> str:
    """A word as a shell would have to be given it; nothing in it is invisible, and no two words look the same."""
    if _SAFE.fullmatch(word):
        return word
    if word.isprintable() and "'" not in word:
        return f"'{word}'"
    return "$'" + _escaped(word).replace("'", "\\'") + "'"


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finder:
    """Looks at files as the command would: `inside` a sandbox it sees the system and the workspace only."""

    root: str
    cwd: str
    sight: Sight
    inside: bool

    def executable(self, name: str) -> str:
        """The program's path."""
        if "/" in name:
            path = posixpath.normpath(posixpath.join(self.cwd, name))
            if self._sees(path) and _is_program(path):
                return path
            raise ToolError(
                f"{shown(name)}: there is no program here. Name one of the system such as python3, or an executable "
                f"file of the workspace; a script that is not executable is run by its interpreter."
            )
        for folder in SYSTEM_PATH.split(":"):
            if _is_program(found := f"{folder}/{name}"):
                return found
        raise ToolError(
            f"{shown(name)}: there is no such program. Give the program and each argument as a word of its own; for "
            f'shell text give ["sh", "-c", "the text"].'
        )

    def contents(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each file that a word names, or a part of a word, with what tells its content from any other."""
        paths = dict.fromkeys(
            posixpath.normpath(posixpath.join(self.cwd, part))
            for word in words
            for part in _parts(word)
            if part and "\0" not in part
        )
        count = 0
        for path in paths:
            digest = self._digest(path)
            if digest is not None:
                count += 1
                yield path, digest
            if count > MOST_FILES:
                raise ToolError(f"It names more than {MOST_FILES} files. Name a folder, or a file that lists them.")

    def _sees(self, path: str) -> bool:
        real = os.path.realpath(path)
        if real == self.root or real.startswith(f"{self.root}/"):
            return self.sight.sees(tuple(part for part in real[len(self.root) :].split("/") if part))
        return not self.inside or real.startswith(tuple(f"{folder}/" for folder in SYSTEM_FOLDERS))

    def _digest(self, path: str) -> str | None:
        if not self._sees(path):
            return None
        try:
            file = os.open(os.path.realpath(path), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            facts = os.fstat(file)
            return _content(file, facts) if stat.S_ISREG(facts.st_mode) else None
        finally:
            os.close(file)


def _parts(word: str) -> Iterator[str]:
    """All that could name a file: the word, what stands between signs in it, and its words if it is shell text."""
    yield word
    yield from _TOKEN.findall(word)
    for pipeline in read_shell(word):
        for stage in pipeline:
            yield from stage.words


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _content(file: int, facts: os.stat_result) -> str:
    digest = sha256()
    if facts.st_size > HASHED:
        known = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
        digest.update(repr(known).encode())
    else:
        while chunk := os.read(file, 1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
