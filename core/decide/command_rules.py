"""Commands that no approval lifts: those that a person who says yes to them has misread.

This is a courtesy, the sandbox is the barrier: whoever wants to hide a command from these rules can. They look through
the usual wrappers and into shell text, so that the plain forms are found wherever they stand.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.decide.shell_text import Pipeline, Simple, read_shell

DEEPEST = 8  # wrappers in shell text in wrappers
MOST_SUSPECTS = 64  # of one command with wrappers
MOST_WORDS = 500  # behind one of them

_REMOVES = "it removes the whole workspace, a home folder or a system folder"
_RIGHTS = "it changes the rights of a whole system"
_DISK = "it writes to a disk past its file system"
_POWER = "it stops the machine"
_KILL = "it ends every process"
_PUSH = "it overwrites what others pushed; --force-with-lease does not"
_DOWNLOAD = "it runs what it downloads, unseen"
_BOMB = "it multiplies itself without end"
_UNREADABLE = "it is nested too deeply to be read"

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "rbash"})
_EVALUATES = frozenset({"eval", "source", "."})
_INTERPRETS = re.compile(r"(python|pypy|perl|ruby|node|php|lua)[\d.]*")
_DOWNLOAD_WORD = re.compile(r"(?<![\w.-])(?:curl|wget|fetch|aria2c)(?![\w.-])")
_WRAPPERS = frozenset(
    {"env", "nice", "ionice", "chrt", "nohup", "setsid", "timeout", "stdbuf", "time", "command", "builtin", "exec"}
    | {"sudo", "doas", "su", "runuser", "pkexec", "busybox", "toybox", "xargs", "parallel", "watch", "script", "find"}
    | {"chroot", "unshare", "nsenter", "flock", "strace", "taskset", "setarch", "prlimit", "systemd-run", "entr", "fd"}
)
_RESERVED = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{", "coproc", "time", "function"})
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_GLOB = re.compile(r"[*.?{},]*\*[*.?{},]*")
_TOPS = frozenset(
    f"/{name}"
    for name in (
        *("bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc", "root", "run", "sbin", "srv"),
        *("sys", "usr", "var", "Applications", "Library", "System", "Users"),
    )
)
_HARMLESS = r"null|zero|full|random|urandom|tty|ptmx|std(in|out|err)|fd/.*|shm/.*|pts/.*"
_DEVICE = re.compile(rf"/dev/(?!(?:{_HARMLESS})$).+")
_FORK = re.compile(r"(?<!\S)(\S{1,40}?)\s{0,9}\(\)\s{0,9}\{[^}]{0,200}?\1\s{0,9}\|\s{0,9}\1")
_FILTERS = frozenset(
    {"-name", "-iname", "-path", "-ipath", "-regex", "-newer", "-mtime", "-mmin", "-size", "-empty", "-type"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a command runs: its folder, and the workspace, which is its home too. Both as the command sees them."""

    cwd: str
    root: str


Rule = Callable[[Sequence[str], Place], str | None]


def blocked(argv: Sequence[str], place: Place) -> str | None:
    """Why this is not run whoever approves it; None for all else."""
    return next(_faults(tuple(argv), place, 0), None)


def _faults(words: tuple[str, ...], place: Place, depth: int) -> Iterator[str]:
    words = _bare(words)
    if not words:
        return
    if depth > DEEPEST:
        yield _UNREADABLE
        return
    yield from _direct(words, place, depth)
    if _name(words) in _WRAPPERS:
        suspects = [at for at in range(1, len(words)) if _is_suspect(words[at])]
        for at in suspects[:MOST_SUSPECTS]:
            yield from _direct(words[at : at + MOST_WORDS], place, depth)
        if len(suspects) > MOST_SUSPECTS:
            yield _UNREADABLE
        for word in words[1:]:
            if " " in word:
                yield from _in_text(word, place, depth + 1)


def _direct(words: tuple[str, ...], place: Place, depth: int) -> Iterator[str]:
    name = _name(words)
    rule = _RULES.get("mkfs" if name.startswith("mkfs.") else name)
    if rule is not None and (reason := rule(words, place)):
        yield reason
    for text in _texts_of(name, words):
        yield from _in_text(text, place, depth + 1)


def _texts_of(name: str, words: Sequence[str]) -> Iterator[str]:
    """What a shell is given to read as its program."""
    if name == "eval":
        yield " ".join(words[1:])
    elif name in _SHELLS:
        asked = False
        for word in words[1:]:
            asked = asked or bool(re.fullmatch(r"-\w*c\w*|--c\w*", word))
            if asked and word[:1] not in ("-", "+"):
                yield word
            elif "=" in word and word.startswith("--c"):
                yield word.partition("=")[2]


def _in_text(text: str, place: Place, depth: int) -> Iterator[str]:
    if depth > DEEPEST:
        yield _UNREADABLE
        return
    if _FORK.search(text):
        yield _BOMB
    for pipeline in read_shell(text):
        yield from _pipeline(pipeline, place, depth)
        moves = _bare(pipeline[0].words)
        if _name(moves) in ("cd", "pushd"):
            place = replace(place, cwd=_resolved(moves[1] if len(moves) > 1 else "~", place))


def _pipeline(pipeline: Pipeline, place: Place, depth: int) -> Iterator[str]:
    if _runs_download(pipeline):
        yield _DOWNLOAD
    for stage in pipeline:
        if any(_is_device(target, place) for target in stage.writes):
            yield _DISK
        yield from _faults(stage.words, place, depth)
        for text in stage.inner:
            yield from _in_text(text, place, depth + 1)


def _runs_download(pipeline: Pipeline) -> bool:
    downloaded = False
    for stage in pipeline:
        if (downloaded and _reads_program(stage)) or (_runs_text(stage) and _downloads(*stage.inner)):
            return True
        downloaded = downloaded or _downloads(*stage.words, *stage.inner)
    return False


def _downloads(*texts: str) -> bool:
    return any(_DOWNLOAD_WORD.search(text) for text in texts)


def _reads_program(stage: Simple) -> bool:
    """Whether it runs what comes in from the stage before."""
    words = _bare(stage.words)
    names = [_base(word) for word in words] if _name(words) in _WRAPPERS else [_name(words)]
    return any(name in _SHELLS or _INTERPRETS.fullmatch(name) for name in names)


def _runs_text(stage: Simple) -> bool:
    return _reads_program(stage) or _name(_bare(stage.words)) in _EVALUATES


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without what may stand in front of a command in shell text."""
    at = 0
    while at < len(words) and (words[at] in _RESERVED or _ASSIGNED.match(words[at])):
        at += 1
    return words[at:]


def _base(word: str) -> str:
    return posixpath.basename(word).lower()


def _name(words: Sequence[str]) -> str:
    return _base(words[0]) if words else ""


def _is_suspect(word: str) -> bool:
    name = _base(word)
    return name in _RULES or name in _SHELLS or name.startswith("mkfs.") or name == "eval"


# --- which places must not be touched as a whole ---


def _resolved(target: str, place: Place) -> str:
    for sign, meant in (("~", place.root), ("$HOME", place.root), ("$PWD", place.cwd)):
        if target == sign or target.startswith(f"{sign}/"):
            target = meant + target[len(sign) :]
    if target.startswith("~"):
        target = "/home"  # somebody else's
    path = "/" + posixpath.normpath(posixpath.join(place.cwd, target)).lstrip("/")
    folder, name = posixpath.split(path)
    return folder if _GLOB.fullmatch(name) else path


def _is_system(path: str) -> bool:
    return path == "/" or path in _TOPS


def _is_everything(target: str, place: Place) -> bool:
    path = _resolved(target, place)
    return _is_system(path) or path == place.root or place.root.startswith(f"{path}/")


def _is_device(target: str, place: Place) -> bool:
    return bool(_DEVICE.fullmatch(_resolved(target, place)))


def _recursive(words: Sequence[str]) -> bool:
    # GNU programs take any beginning of a long option.
    return any(re.fullmatch(r"-\w*[rR]\w*|--r[a-z]*", word) for word in words[1:])


def _targets(words: Sequence[str]) -> Sequence[str]:
    return [word for word in words[1:] if not word.startswith("-")]


# --- the rules, one for each program ---


def _removes(words: Sequence[str], place: Place) -> str | None:
    hits = _recursive(words) and any(_is_everything(target, place) for target in _targets(words))
    return _REMOVES if hits else None


def _moves(words: Sequence[str], place: Place) -> str | None:
    if any(_is_device(target, place) for target in _targets(words)):
        return _DISK
    return _REMOVES if any(_is_everything(target, place) for target in _targets(words)[:-1]) else None


def _finds(words: Sequence[str], place: Place) -> str | None:
    deletes = "-delete" in words or bool({"rm", "shred"} & {_base(word) for word in words})
    if not deletes or _FILTERS & set(words):
        return None
    first = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    starts = words[1:first] or ["."]
    return _REMOVES if any(_is_everything(start, place) for start in starts) else None


def _opens_rights(words: Sequence[str], place: Place) -> str | None:
    hits = _recursive(words) and any(_is_system(_resolved(target, place)) for target in _targets(words))
    return _RIGHTS if hits else None


def _writes_device(words: Sequence[str], place: Place) -> str | None:
    targets = [word.removeprefix("of=") for word in _targets(words) if not word.startswith("if=")]
    return _DISK if any(_is_device(target, place) for target in targets) else None


def _partitions(words: Sequence[str], place: Place) -> str | None:
    return None if {"-l", "--list", "--help", "--version"} & set(words) else _DISK


def _stops_machine(words: Sequence[str], place: Place) -> str | None:
    return _POWER


def _init(words: Sequence[str], place: Place) -> str | None:
    return _POWER if any(word in ("0", "6") for word in words[1:]) else None


def _systemctl(words: Sequence[str], place: Place) -> str | None:
    verbs = {"poweroff", "reboot", "halt", "kexec", "soft-reboot", "suspend", "hibernate", "rescue", "emergency"}
    return _POWER if verbs & set(words) else None


def _kills(words: Sequence[str], place: Place) -> str | None:
    everybody = _name(words) == "killall5" or (len(words) > 2 and words[-1] in ("-1", "1"))
    return _KILL if everybody else None


def _git(words: Sequence[str], place: Place) -> str | None:
    if "push" not in words:
        return None
    given = words[words.index("push") + 1 :]
    return _PUSH if any(re.fullmatch(r"-[a-zA-Z]*f[a-zA-Z]*|--force|--mi[a-z]*|\+.+", word) for word in given) else None


_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "rm": _removes,
        "find": _finds,
        "mv": _moves,
        **dict.fromkeys(("chmod", "chown", "chgrp", "setfacl"), _opens_rights),
        **dict.fromkeys(("dd", "tee", "cp", "shred", "truncate", "install"), _writes_device),
        **dict.fromkeys(("mkfs", "mke2fs", "mkswap", "wipefs", "blkdiscard", "fdisk", "sfdisk", "cfdisk"), _partitions),
        **dict.fromkeys(("gdisk", "sgdisk", "parted", "diskpart", "diskutil", "format"), _partitions),
        **dict.fromkeys(("shutdown", "reboot", "poweroff", "halt", "telinit"), _stops_machine),
        "init": _init,
        "systemctl": _systemctl,
        **dict.fromkeys(("kill", "killall5"), _kills),
        "git": _git,
    }
)
