"""A reply of too many messages goes as a file, with its beginning as text."""

from collections.abc import Callable
from dataclasses import replace

from core.domain.message import Fragment, Markdown, Mention, OutgoingFile, Reply, Text, plain

FILE_NAME = "reply.md"


def opening(reply: Reply, fits: Callable[[Reply], bool]) -> Reply:
    """The longest beginning of the reply's words that `fits`, cut behind a line or a word where one ends near."""
    words = plain(reply)
    least, most = 0, len(words)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(_begins(reply, middle)) else (least, middle - 1)
    return _begins(reply, _end(words, least))


def with_file(reply: Reply, beginning: Reply, path: str) -> Reply:
    """The beginning, with the whole reply as a file behind those that it had; its choices stay."""
    file = OutgoingFile(path=path, name=FILE_NAME)
    return replace(reply, fragments=beginning.fragments, files=(*reply.files, file))


def _end(words: str, size: int) -> int:
    """Where to cut at most `size` characters: at the last line or word that ends in their second half."""
    if size == len(words):
        return size
    for sign in ("\n", " "):
        found = words.rfind(sign, size // 2, size + 1)
        if found > 0:
            return found
    return size


def _begins(reply: Reply, size: int) -> Reply:
    """The first `size` characters of the reply's words; a person is named whole or not at all."""
    taken: list[Fragment] = []
    for fragment in reply.fragments:
        if size <= 0:
            break
        match fragment:
            case Markdown(source=source):
                taken.append(replace(fragment, source=source[:size]))
                size -= len(source)
            case Text(text=text):
                taken.append(replace(fragment, text=text[:size]))
                size -= len(text)
            case Mention(principal=principal):
                size -= len(principal.name or principal.user_id)
                if size >= 0:
                    taken.append(fragment)
    return Reply(fragments=tuple(taken))
