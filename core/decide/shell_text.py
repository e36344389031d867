"""Reads shell text far enough to see which programs it names. Pure, and linear in the length of the text.

It is no shell: variables have no values here, and what a here-document holds is read as commands too. It errs towards
seeing a command where there is none.
"""

import re
from dataclasses import dataclass

_SPACE = " \t\r"
_OPERATORS = "|&;\n()"
_NAMED = re.compile(r"\{(\w+)\}|[0-9@*]|[A-Za-z_]\w*", re.ASCII)
_EMPTY = frozenset("0123456789@*")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_CODE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """One command: its words without quotes, the files that it writes to by `>`, and the texts of its substitutions.

    `$HOME` stays as it is written; `$IFS` separates words, as it does by default.
    """

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()


Pipeline = tuple[Simple, ...]


def read_shell(text: str) -> tuple[Pipeline, ...]:
    """The pipelines of a text in their order, without regard to what decides whether one of them runs."""
    return _Reader(text).read()


class _Cursor:
    """A place in the text, and the stretches that are taken from it as a whole."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def ended(self) -> bool:
        return self.at >= len(self.text)

    def next(self) -> str:
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def until(self, end: str) -> str:
        """Up to `end`, which is passed; up to the end of the text when it does not come."""
        start, place = self.at, self.text.find(end, self.at)
        self.at = len(self.text) if place < 0 else place + 1
        return self.text[start : self.at].removesuffix(end)

    def ansi(self) -> str:
        """The inside of `$'...'`."""
        start = self.at
        while not self.ended and self.peek() != "'":
            self.at += 2 if self.peek() == "\\" else 1
        self.at += 1
        return _CODE.sub(_decoded, self.text[start : self.at - 1])

    def inside(self) -> str:
        """Up to the parenthesis that closes the one before; up to the end of the text when none does."""
        start, depth = self.at, 1
        while not self.ended and depth:
            char = self.next()
            if char == "\\":
                self.at += 1
            elif char == "'":
                self.until("'")
            else:
                depth += (char == "(") - (char == ")")
        return self.text[start : self.at].removesuffix(")")


class _Parts:
    """The command that is being read."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.writes: list[str] = []
        self.inner: list[str] = []

    def whole(self) -> tuple[Simple, ...]:
        """The command, or nothing where there was none."""
        if not self.words and not self.writes:
            return ()
        return (Simple(words=tuple(self.words), writes=tuple(self.writes), inner=tuple(self.inner)),)


class _Reader:
    def __init__(self, text: str) -> None:
        self._cursor = _Cursor(text)
        self._word: str | None = None
        self._redirected = ""
        self._parts = _Parts()
        self._stages: list[Simple] = []
        self._found: list[Pipeline] = []

    def read(self) -> tuple[Pipeline, ...]:
        while not self._cursor.ended:
            char = self._cursor.next()
            if char in _SPACE:
                self._end_word()
            elif char in _OPERATORS:
                self._operator(char)
            elif char in "<>":
                self._redirect(char)
            elif char == "#" and self._word is None:
                self._cursor.until("\n")
                self._operator("\n")
            else:
                self._add(self._taken(char), begins=char in "'\"")
        self._operator("\n")
        return tuple(self._found)

    def _taken(self, char: str) -> str:
        """What a character outside quotes adds to the word; quoted stretches and substitutions are taken whole."""
        match char:
            case "\\":
                following = self._cursor.next()
                return "" if following == "\n" else following
            case "'":
                return self._cursor.until("'")
            case '"':
                return self._double()
            case "$":
                return self._dollar()
            case "`":
                return self._substitution(self._cursor.until("`"))
        return char

    def _double(self) -> str:
        pieces: list[str] = []
        while not self._cursor.ended and (char := self._cursor.next()) != '"':
            pieces.append(self._taken(char) if char in "\\$`" else char)
        return "".join(pieces)

    def _dollar(self) -> str:
        match self._cursor.peek():
            case "(":
                self._cursor.next()
                return self._substitution(self._cursor.inside())
            case "'":
                self._cursor.next()
                return self._cursor.ansi()
        return self._variable()

    def _variable(self) -> str:
        cursor = self._cursor
        named = _NAMED.match(cursor.text, cursor.at)
        if named is None:
            return "$"
        cursor.at = named.end()
        name = named[1] or named[0]
        if name == "IFS":
            self._end_word()
            return ""
        # Nobody gave the text any arguments.
        return "" if name in _EMPTY else f"${name}"

    def _substitution(self, text: str) -> str:
        self._parts.inner.append(text)
        return "$()"

    def _redirect(self, char: str) -> None:
        if self._cursor.peek() == "(":
            self._cursor.next()
            self._add(self._substitution(self._cursor.inside()))
            return
        if self._word is not None and self._word.isdecimal():
            self._word = None
        self._end_word()
        while self._cursor.peek() in ("<", ">", "|", "&", "-"):
            self._cursor.next()
        self._redirected = char

    def _operator(self, char: str) -> None:
        self._end_word()
        if char == "&" and self._cursor.peek() == ">":
            return
        self._redirected = ""
        self._stages += self._parts.whole()
        self._parts = _Parts()
        if char == "|" and self._cursor.peek() != "|":
            self._cursor.at += self._cursor.peek() == "&"
        elif self._stages:
            self._found.append(tuple(self._stages))
            self._stages = []

    def _add(self, piece: str, *, begins: bool = False) -> None:
        """Quotes begin a word even with nothing between them."""
        if piece or begins or self._word is not None:
            self._word = (self._word or "") + piece

    def _end_word(self) -> None:
        word, self._word = self._word, None
        if word is None:
            return
        redirected, self._redirected = self._redirected, ""
        if redirected:
            self._parts.writes += [word] if redirected == ">" else []
            return
        listed = _BRACES.fullmatch(word)
        self._parts.words += listed[1].split(",") if listed else [word]


def _decoded(code: re.Match[str]) -> str:
    sixteen = code[1] or code[2]
    if sixteen:
        return chr(int(sixteen, 16))
    return chr(int(code[3], 8) & 0xFF) if code[3] else _LETTERS.get(code[4], code[4])
