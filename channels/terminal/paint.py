"""How things look in a window: text with the terminal's own codes, ready to be written."""

from collections.abc import Iterable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Literal

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.segment import Segment
from rich.text import Text

from channels.markup.controls import strip_controls
from channels.terminal.outbound import Piece, TerminalPart, extras
from channels.terminal.screen import TranscriptLine

# Drawing costs about a second a megabyte; nobody reads that much in a window, so the rest stands as it was written.
DRAWN = 100_000
Colors = Literal["standard", "256", "truecolor"]
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Harmless:
    """A rendering without control characters, wherever they come from: entities and encoded links can hide them."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._inner, options):
            if segment.control is None:
                yield Segment(strip_controls(segment.text), segment.style)


class Paint:
    """Draws for one terminal: `colors` is what it can show, `no_color` leaves bold and the like only."""

    def __init__(self, *, colors: Colors, no_color: bool, plain: bool, workspace: Path) -> None:
        self._colors: Colors = colors
        self._no_color = no_color
        self._plain = plain
        self._workspace = workspace

    def part(self, part: TerminalPart, width: int) -> str:
        """A reply, with an empty line after it."""
        shown: list[RenderableType] = []
        if part["text"]:
            shown.append(self._text(part["text"]))
        shown += [Text(line) for line in extras(part, self._workspace)]
        return self._drawn(shown, width) + "\n"

    def typed(self, text: str, width: int) -> str:
        """What the person said, as it stood behind the prompt."""
        return self._drawn([Text("> " + strip_controls(text).replace("\n", "\n  "), style="bold")], width)

    def notice(self, text: str, width: int) -> str:
        """A word beside the conversation."""
        return self._drawn([Text(strip_controls(text), style="dim")], width)

    def recalled(self, line: TranscriptLine, width: int) -> str:
        """A line of an earlier conversation under its name and time."""
        moment = datetime.fromtimestamp(line.at / 1000, tz=UTC).astimezone()
        head = Text(f"{strip_controls(line.who)}, {moment:%Y-%m-%d %H:%M}", style="dim")
        text = self._text([Piece(kind="markdown" if line.markdown else "literal", text=strip_controls(line.text))])
        return self._drawn([head, text], width) + "\n"

    def _text(self, pieces: Iterable[Piece]) -> RenderableType:
        pieces = list(pieces)
        source = "".join(piece["text"] for piece in pieces)
        if self._plain or len(source) > DRAWN or all(piece["kind"] == "literal" for piece in pieces):
            return Text(source)
        escaped = (piece["text"] if piece["kind"] == "markdown" else _escaped(piece["text"]) for piece in pieces)
        # Links show their address: a text that hides where it leads is not for a terminal.
        return Harmless(Markdown("".join(escaped), code_theme="ansi_dark", hyperlinks=False))

    def _drawn(self, shown: Iterable[RenderableType], width: int) -> str:
        console = Console(
            file=StringIO(),
            width=width,
            height=1,
            force_terminal=True,
            color_system=self._colors,
            no_color=self._no_color,
            markup=False,
            emoji=False,
            highlight=False,
            legacy_windows=False,
            _environ={},
        )
        with console.capture() as capture:
            for item in shown:
                # Literal text is left to the terminal to break, so that it can be copied as it was written.
                console.print(item, soft_wrap=isinstance(item, Text))
        return capture.get()


def _escaped(text: str) -> str:
    marked = "".join("\\" + char if char in PUNCTUATION else char for char in text)
    return marked.replace("\n", "  \n")
