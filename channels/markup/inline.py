"""Inline tokens as words: what leads somewhere unsafe leads nowhere, and an image is its name and its address."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from markdown_it.token import Token

from channels.markup.tree import Run, Runs, Style

_STYLES = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKE}
_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"]+", re.IGNORECASE)
_SAFE = ("http", "https", "mailto", "tel")


def runs_of(tokens: Sequence[Token]) -> Runs:
    """The words of one paragraph, heading or cell."""
    return tuple(_merged(_runs(tokens)))


def _runs(tokens: Sequence[Token]) -> Iterator[Run]:
    look = Run(text="")
    for token in tokens:
        name, _, way = token.type.rpartition("_")
        if not name:
            yield from _leaf(token, look)
        elif name in _STYLES:
            style = look.style | _STYLES[name] if way == "open" else look.style & ~_STYLES[name]
            look = replace(look, style=style)
        elif name == "link":
            address = str(token.attrs.get("href", "")) if way == "open" else None
            look = replace(look, link=address, shy=address is not None and not is_honest(address))
        else:
            yield from _leaf(token, look)


def _leaf(token: Token, look: Run) -> Iterator[Run]:
    match token.type:
        case "text" | "html_inline" | "text_special":
            # Words that are an address lead there, whatever a link around them says.
            own = "://" in token.content
            yield from _addressed(Run(text=token.content, style=look.style) if own else _alike(look, token.content))
        case "softbreak" | "hardbreak":
            yield _alike(look, "\n")
        case "code_inline":
            yield replace(look, text=token.content, style=look.style | Style.CODE)
        case "image":
            address = str(token.attrs.get("src", ""))
            yield replace(look, text=token.content or "image", link=address, shy=True)


def _merged(runs: Iterator[Run]) -> Iterator[Run]:
    """Neighbours of one look as one run."""
    last: Run | None = None
    texts: list[str] = []
    for run in runs:
        if last is not None and (run.style, run.link, run.shy) == (last.style, last.link, last.shy):
            texts.append(run.text)
            continue
        if last is not None:
            yield _alike(last, "".join(texts)) if len(texts) > 1 else last
        last, texts = run, [run.text]
    if last is not None:
        yield _alike(last, "".join(texts)) if len(texts) > 1 else last


def _alike(look: Run, text: str) -> Run:
    """Other words of the same look; nobody is named by them."""
    return Run(text=text, style=look.style, link=look.link, shy=look.shy)


def _addressed(run: Run) -> Iterator[Run]:
    """Plain words, with the addresses that stand bare in them as links."""
    if run.link is not None or "://" not in run.text:
        if run.text:
            yield run
        return
    at = 0
    for found in _ADDRESS.finditer(run.text):
        address = found[0].rstrip(".,;:!?'\"*_~")
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(".,;:!?'\"*_~")
        if found.start() > at:
            yield Run(text=run.text[at : found.start()], style=run.style)
        yield Run(text=address, style=run.style, link=address, shy=not is_honest(address))
        at = found.start() + len(address)
    if at < len(run.text):
        yield Run(text=run.text[at:], style=run.style)


def is_honest(address: str) -> bool:
    """Whether a link may lead there: to a page or a mailbox, and not past a name that stands before an @."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    if parts.scheme.lower() not in _SAFE or any(c.isspace() or c in "<>\\" for c in address):
        return False
    return parts.scheme.lower() in ("mailto", "tel") or ("@" not in parts.netloc and bool(parts.netloc))
