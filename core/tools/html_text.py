"""The part of web_fetch that a hostile page can stall. It runs in a child process: see confined.py."""

from urllib.parse import urljoin, urlsplit

from inscriptis.html_engine import Inscriptis
from inscriptis.model.config import ParserConfig
from lxml.etree import LxmlError  # type: ignore[import-untyped]
from lxml.html import HTMLParser, document_fromstring  # type: ignore[import-untyped]

from core.tools.child import Message, serve

SHOWN_SCHEMES = frozenset({"http", "https", "mailto"})
LONGEST_LINK = 500


def answer(message: Message) -> Message:
    """`html`, `url` and `limit` to `title`, `text` of at most `limit` characters, and `length` of the whole text."""
    html, url, limit = message["html"], message["url"], message["limit"]
    assert isinstance(html, str)
    assert isinstance(url, str)
    assert isinstance(limit, int)
    try:
        page = document_fromstring(html.encode("utf-8", "replace"), parser=HTMLParser(encoding="utf-8"))
    except LxmlError:  # nothing in it but comments, or nothing at all
        return {"title": "", "text": "", "length": 0}
    title = " ".join(str(page.findtext(".//title") or "").split())[:limit]
    for link in page.iter("a"):
        link.set("href", _shown_link(url, str(link.get("href") or "")))
    text = str(Inscriptis(page, ParserConfig(display_links=True)).get_text()).strip()
    return {"title": title, "text": text[:limit], "length": len(text)}


def _shown_link(base: str, link: str) -> str:
    """The link as one can fetch it; empty for a place on the same page, a script, inline data."""
    try:
        whole = urljoin(base, link.strip())
        shown = urlsplit(whole).scheme in SHOWN_SCHEMES and len(whole) <= LONGEST_LINK
    except ValueError:
        return ""
    return whole if shown and link.strip() and not link.strip().startswith("#") else ""


def main() -> None:
    """The child's program."""
    serve(answer)
