"""Printing for people and for programs: tables and JSON, with nothing in them that a terminal would obey."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import click

from core.validation import printable

LONGEST_CELL: Final = 120
GAP: Final = "  "


def say(text: str) -> None:
    """A text of our own, and a line end."""
    click.echo(text)


def complain(text: str) -> None:
    """One line on standard error; lost when nobody can read it."""
    with suppress(OSError):
        click.echo(f"parley: {printable(text, 1_000)}", err=True)


def say_json(value: object) -> None:
    """One JSON document. What is not ASCII is escaped, so that any terminal and any pipe takes it."""
    click.echo(json.dumps(value, indent=2))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as they need to be, the last one ragged. No rows: just the header."""
    lines = [tuple(header), *(tuple(cell(value) for value in row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        GAP.join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def cell(value: object) -> str:
    """A value as one short line."""
    return "" if value is None else printable(str(value), LONGEST_CELL)
