"""What of a mail is its text, and what is a file."""

import mimetypes
import re
from dataclasses import dataclass

from channels.email import events
from channels.email.charsets import decoded
from channels.email.headers import Headers, one_line, parsed
from channels.email.html import text_of
from channels.email.mime import Mail, Part
from channels.email.trimming import LITERAL
from channels.markup.controls import strip_controls

MOST_TEXT = 400_000
MOST_FILES = 50
MOST_CALENDARS = 3
STUB = 200
_TNEF = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_REPORTS = frozenset({"message/delivery-status", "text/rfc822-headers", "message/disposition-notification"})
_STUBS = re.compile(
    r"browser|navigateur|navegador|html|selain|webbl|przegl|prohlíž|браузер|ブラウザ|浏览器|瀏覽器", re.IGNORECASE
)
_CHARSET = re.compile(rb"<meta[^<>]{0,200}charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_MARKS = re.compile("[\ue000-\ue004]")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """Something attached, decoded."""

    name: str
    media_type: str
    data: bytes
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """`text` with quotes marked by `>`; `events` are invitations in words; `cut` says that not all of it was read."""

    text: str
    files: tuple[File, ...] = ()
    events: str = ""
    cut: bool = False


def body_of(mail: Mail) -> Body:
    """Of several forms of the same text the plain one counts, unless it is empty or only points to HTML."""
    texts = [part for part in mail.parts if _is_text(part)]
    files = [_file(part, number) for number, part in enumerate(mail.parts, 1) if _is_file(part)]
    kept = tuple(file for file in files if file.data or file.name)
    cut = mail.cut or len(kept) > MOST_FILES
    return Body(text=_text(texts)[:MOST_TEXT], files=kept[:MOST_FILES], events=_events(mail), cut=cut)


def _events(mail: Mail) -> str:
    found = [part for part in mail.parts if part.media_type == "text/calendar"][:MOST_CALENDARS]
    return "\n\n".join(filter(None, (events.words(decoded(part.data, part.charset)) for part in found)))


def _is_file(part: Part) -> bool:
    return part.attached if part.media_type == "text/calendar" else not _is_text(part)


def _is_text(part: Part) -> bool:
    return part.media_type in ("text/plain", "text/html", "text/enriched") and not part.attached


def _text(texts: list[Part]) -> str:
    """Each group of alternatives once, in order."""
    pieces: list[str] = []
    done: set[int] = set()
    for part in texts:
        if part.alternative and part.alternative in done:
            continue
        group = [one for one in texts if one.alternative == part.alternative] if part.alternative else [part]
        done.add(part.alternative)
        pieces.append(_best(group) if part.alternative else _words(part))
    return "\n\n".join(piece for piece in pieces if piece.strip())


def _best(group: list[Part]) -> str:
    plain = "\n".join(_words(part) for part in group if part.media_type != "text/html")
    html = [part for part in group if part.media_type == "text/html"]
    if html and (not plain.strip() or (len(plain.strip()) < STUB and _STUBS.search(plain))):
        return "\n".join(map(_words, html)) or plain
    return plain


def _words(part: Part) -> str:
    charset, is_html = part.charset, part.media_type == "text/html"
    if is_html and charset is None and (told := _CHARSET.search(part.data[:4_096])):
        charset = told[1].decode("ascii", "replace")
    text = _MARKS.sub("", decoded(part.data[: 4 * MOST_TEXT], charset))
    if is_html:
        return strip_controls(text_of(text))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return strip_controls(_unflowed(text) if part.flowed else text).rstrip("\n")


def _unflowed(text: str) -> str:
    """Lines that were only broken to fit are joined again (RFC 3676)."""
    out: list[str] = []
    open_depth: int | None = None
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        said = line[depth:].removeprefix(" ")
        soft = said.endswith(" ") and said != "-- "
        if open_depth == depth and said != "-- ":
            out[-1] += said
        else:
            # A mark of the author's own was stuffed with a space: it quotes nothing.
            own = LITERAL if not depth and line.startswith(" >") else ""
            out.append(f"{'>' * depth} {said}" if depth else own + said)
        open_depth = depth if soft else None
    return "\n".join(out)


def _file(part: Part, number: int) -> File:
    name = part.name
    if part.media_type in _TNEF and not name:
        name = "winmail.dat"
    if part.media_type == "message/rfc822" and not name:
        subject = _inner(part).text("subject")
        name = f"{subject or 'mail'}.eml"
    if part.media_type in _REPORTS:
        name = name or f"report-{number}.txt"
    suffix = mimetypes.guess_extension(part.media_type) or ".bin"
    return File(
        name=one_line(name) or f"file-{number}{suffix}", media_type=part.media_type, data=part.data, whole=part.whole
    )


def _inner(part: Part) -> Headers:
    return parsed(re.split(rb"\r?\n\r?\n", part.data[:65_536].lstrip(), maxsplit=1)[0])
