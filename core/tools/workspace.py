"""The guarded access to the files of the workspace: every tool that touches a file goes through here.

Nothing is checked by name and then opened by name. A path is walked one name at a time, each opened relative to the
descriptor of the folder before it and never through a link, and what is judged is the descriptor that is then read. So
it does not matter what another process swaps in between.

All of it blocks: call it in a thread.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from core.domain.errors import ToolError
from core.ports import ToolContext
from core.tools.paths import DEEPEST, OUR_PREFIX, OUR_SUFFIX, UPLOADS, Parts, Sight, is_ours, parts_of, shown, sight

FILE_LIMIT = 25_000_000  # bytes: what may be written, read or sent as one file
MOST_ENTRIES = 20_000  # visited by one walk
LOCK_PATIENCE_S = 5.0
LOCK_PAUSE_S = 0.005
CHUNK = 1 << 20

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_NO_LOCKS = frozenset({errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})
_REASONS = {
    errno.ENOENT: "there is no such file or folder; list_files shows what is there",
    errno.ENOTDIR: "a name on the way is a file or a link, and links are not followed",
    errno.ELOOP: "a name on the way is a link, and links are not followed",
    errno.EISDIR: "it is a folder; name a file in it",
    errno.EEXIST: "something else already has this name; choose another one",
    errno.EACCES: "the operating system does not allow it; choose another file",
    errno.EPERM: "the operating system does not allow it; choose another file",
    errno.EROFS: "the workspace is read-only here; the operator must change that",
    errno.ENOSPC: "the disk is full; delete something or ask the operator for space",
    errno.EDQUOT: "the disk quota is used up; delete something or ask the operator for space",
    errno.ENAMETOOLONG: "a name in it is too long; choose a shorter one",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing in a folder. `size` is 0 for all but regular files; neither folders behind links nor files are seen."""

    parts: Parts
    kind: str  # file, folder, link or other
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a walk found, sorted by path; `complete` is false when it stopped at its limit."""

    entries: tuple[Entry, ...]
    complete: bool


class Workspace:
    """The files below `root` that a chat may see. Every method raises ToolError with a text for the model."""

    def __init__(self, root: Path, sight: Sight, patience_s: float = LOCK_PATIENCE_S) -> None:
        """`patience_s` is how long a write waits for another program that holds the file's folder."""
        self._root = root
        self._sight = sight
        self._patience_s = patience_s

    def read(self, path: str, limit: int = FILE_LIMIT) -> bytes:
        """A regular file's bytes; refused when there are more than `limit`, also if it grows while it is read."""
        parts = _file_parts(self._seen_parts(path), path)
        with told(path), opened_folder(self._root, parts[:-1]) as folder, _opened(folder, parts[-1], path) as file:
            return _read(file, limit, path)

    def size(self, path: str, limit: int = FILE_LIMIT) -> int:
        """The size of a regular file that could be read now; refused when it is more than `limit` bytes."""
        parts = _file_parts(self._seen_parts(path), path)
        with told(path), opened_folder(self._root, parts[:-1]) as folder, _opened(folder, parts[-1], path) as file:
            size = os.fstat(file).st_size
            if size > limit:
                raise _too_big(path, limit)
            return size

    def write(self, path: str, content: bytes, key: str) -> bool:
        """Put a file in place as a whole, or leave everything as it was; true when it is new.

        It is on disk when this returns. Folders on the way are made. `key` names the call: what a call that died
        left behind is cleared away when the same call is run again.
        """
        parts = _file_parts(self._seen_parts(path), path)
        _check_size(path, content)
        with (
            told(path),
            opened_folder(self._root, parts[:-1], make=True) as folder,
            _locked(folder, path, self._patience_s),
        ):
            before = _replaceable(folder, parts[-1], path)
            _put(folder, parts[-1], content, before, key)
            return before is None

    def edit(self, path: str, change: Callable[[bytes], bytes], limit: int, key: str) -> None:
        """Read, change and write a file with no other edit of ours in between. What `change` raises leaves it as is."""
        parts = _file_parts(self._seen_parts(path), path)
        with told(path), opened_folder(self._root, parts[:-1]) as folder, _locked(folder, path, self._patience_s):
            with _opened(folder, parts[-1], path) as file:
                before = os.fstat(file)
                content = change(_read(file, limit, path))
            _check_size(path, content)
            _put(folder, parts[-1], content, before, key)

    def kind(self, path: str) -> str:
        """file, folder, link or other."""
        parts = self._seen_parts(path)
        if not parts:
            return "folder"
        with told(path), opened_folder(self._root, parts[:-1]) as folder:
            return _kind(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode)

    def entries(self, path: str) -> Listing:
        """What lies directly in a folder."""
        parts = self._seen_parts(path)
        with told(path), closing(self._scan(parts)) as found:
            return _listing(found)

    def walk(self, path: str, skip: Callable[[str], bool]) -> Listing:
        """All that lies below a folder; folders whose name is to `skip` are listed and not entered."""
        parts = self._seen_parts(path)
        with told(path), closing(self._below(parts, skip)) as found:
            return _listing(found)

    def _below(self, parts: Parts, skip: Callable[[str], bool]) -> Generator[Entry, None, None]:
        waiting = [parts]
        while waiting:
            folder = waiting.pop()
            try:
                for entry in self._scan(folder):
                    yield entry
                    if entry.kind == "folder" and len(entry.parts) < DEEPEST and not skip(entry.parts[-1]):
                        waiting.append(entry.parts)
            except OSError:
                # A folder below that vanished or may not be opened hides only itself.
                if folder == parts:
                    raise

    def _scan(self, parts: Parts) -> Generator[Entry, None, None]:
        with opened_folder(self._root, parts) as folder, os.scandir(folder) as found:
            for item in found:
                within = (*parts, item.name)
                if is_ours(item.name) or not self._sight.sees(within):
                    continue
                with suppress(FileNotFoundError):
                    facts = item.stat(follow_symlinks=False)
                    kind = _kind(facts.st_mode)
                    yield Entry(parts=within, kind=kind, size=facts.st_size if kind == "file" else 0)

    def _seen_parts(self, path: str) -> Parts:
        parts = parts_of(path)
        if not self._sight.sees(parts):
            raise _failure(path, errno.ENOENT)
        return parts


@contextmanager
def opened_folder(root: Path, parts: Parts, *, make: bool = False) -> Iterator[int]:
    """The descriptor of a folder, walked from the root. The root itself is the operator's and may be a link.

    Raises OSError where there is no such folder, or a link on the way to it.
    """
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in parts:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=folder)
            inner = os.open(name, _DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _file_parts(parts: Parts, path: str) -> Parts:
    if parts in ((), (UPLOADS,)):
        raise ToolError(f"{shown(path)}: this is a folder of Parley's own. Name a file in it, such as notes/plan.md.")
    return parts


def workspace_of(context: ToolContext) -> Workspace:
    """The files that a call in this context may touch."""
    return Workspace(context.workspace, sight(context.workspace, context.uploads))


def _listing(found: Iterator[Entry]) -> Listing:
    entries = list(islice(found, MOST_ENTRIES + 1))
    complete = len(entries) <= MOST_ENTRIES
    return Listing(entries=tuple(sorted(entries[:MOST_ENTRIES], key=lambda entry: entry.parts)), complete=complete)


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def _failure(path: str, code: int | None) -> ToolError:
    reason = _REASONS.get(code or 0) or f"{os.strerror(code or errno.EIO)}; choose another file or tell the operator"
    return ToolError(f"{shown(path)}: {reason}.")


@contextmanager
def told(path: str) -> Iterator[None]:
    """The system's errors about a path as ToolError with a reason and a way out."""
    try:
        yield
    except OSError as exc:
        raise _failure(path, exc.errno) from exc


def _too_big(path: str, limit: int) -> ToolError:
    return ToolError(f"{shown(path)}: it is larger than the {limit:,} bytes that are allowed here. Use a smaller file.")


def _check_size(path: str, content: bytes) -> None:
    if len(content) > FILE_LIMIT:
        raise _too_big(path, FILE_LIMIT)


def _check_file(facts: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise _failure(path, errno.EISDIR)
    if stat.S_ISLNK(facts.st_mode):
        raise _failure(path, errno.ELOOP)
    if not stat.S_ISREG(facts.st_mode):
        raise ToolError(f"{shown(path)}: it is a device, pipe or socket. Name a regular file.")
    if facts.st_nlink > 1:
        raise ToolError(
            f"{shown(path)}: the same file has a second name (a hard link), maybe outside the workspace. "
            f"Make a copy of it and use that."
        )


@contextmanager
def _opened(folder: int, name: str, path: str) -> Iterator[int]:
    # Opening a device can have effects of its own, so it is looked at first; what counts is the look after opening.
    _check_file(os.stat(name, dir_fd=folder, follow_symlinks=False), path)
    file = os.open(name, _FILE, dir_fd=folder)
    with _closing(file):
        _check_file(os.fstat(file), path)
        yield file


def _read(file: int, limit: int, path: str) -> bytes:
    if os.fstat(file).st_size > limit:
        raise _too_big(path, limit)
    chunks, size = [], 0
    while chunk := os.read(file, min(CHUNK, limit + 1 - size)):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise _too_big(path, limit)
    return b"".join(chunks)


@contextmanager
def _locked(folder: int, path: str, patience_s: float) -> Iterator[None]:
    """One writer of ours at a time in a folder, in all threads and processes; the kernel frees it with its holder."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ToolError(f"{shown(path)}: another program holds its folder. Try again later.") from None
            time.sleep(LOCK_PAUSE_S)
        except OSError as exc:
            # Network file systems that cannot lock a folder: a file is still replaced as a whole.
            if exc.errno not in _NO_LOCKS:
                raise
            break
    yield  # closing the descriptor unlocks


def _replaceable(folder: int, name: str, path: str) -> os.stat_result | None:
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _check_file(facts, path)
    return facts


def _put(folder: int, name: str, content: bytes, before: os.stat_result | None, key: str) -> None:
    """Write beside the target and rename over it. A link that was put there meanwhile is replaced, never followed."""
    draft = f"{OUR_PREFIX}{sha256(key.encode()).hexdigest()[:24]}{OUR_SUFFIX}"
    with suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=folder)
    file = os.open(draft, _NEW, 0o600, dir_fd=folder)
    try:
        with _closing(file):
            if before is not None:
                os.fchmod(file, stat.S_IMODE(before.st_mode) & 0o777)
            _write(file, content)
            os.fsync(file)
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)
    os.fsync(folder)


@contextmanager
def _closing(file: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(file)


def _write(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]
