"""`parley doctor`: what is wrong with this installation, and what to do about it."""

import asyncio
import sys

import click

from channels.contract import Health
from core.domain.errors import ParleyError
from gateway.cli.output import say, say_json
from gateway.examination import Around, examine
from gateway.findings import Found
from gateway.redaction import Redactor

SIGNS = {Health.GOOD: "ok  ", Health.WARNING: "note", Health.FAULT: "BAD "}


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can safely be mended.")
@click.option("--deep", is_flag=True, help="Prove real round trips too: a model call, each platform's.")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def command(fix: bool, deep: bool, as_document: bool) -> None:
    """Look at settings, home folder, disk, store, clock, model and every channel. Exit code 1 when one is at fault."""
    rows = asyncio.run(_looked(fix=fix, deep=deep, aloud=not as_document))
    if as_document:
        say_json([_record(found, mended=mended) for found, mended in rows])
    if any(found.finding.health is Health.FAULT and not mended for found, mended in rows):
        sys.exit(1)


async def _looked(*, fix: bool, deep: bool, aloud: bool) -> list[tuple[Found, bool]]:
    rows = []
    async for found in examine(Around(), deep=deep):
        mended = fix and _mended(found)
        rows.append((found, mended))
        if aloud:
            say(shown(found, mended=mended))
    return rows


def _mended(found: Found) -> bool:
    if found.mend is None:
        return False
    try:
        found.mend()
    except OSError as error:
        raise ParleyError(f"{found.finding.what}, and that cannot be mended: {error.strerror}") from error
    return True


def shown(found: Found, *, mended: bool) -> str:
    """One line, and one more for what to do."""
    sign = "done" if mended else SIGNS[found.finding.health]
    what, fix = _clean(found.finding.what), _clean(found.finding.fix)
    line = f"{sign} {found.part}: {what}"
    return f"{line}\n     -> {fix}" if fix and not mended and found.finding.health is not Health.GOOD else line


def _clean(text: str) -> str:
    """On one line, and without anything that looks like a token."""
    return Redactor(()).text(" ".join(text.split()))


def _record(found: Found, *, mended: bool) -> dict[str, object]:
    finding = found.finding
    what, fix = _clean(finding.what), _clean(finding.fix)
    return {"part": found.part, "health": finding.health.value, "what": what, "fix": fix, "mended": mended}
