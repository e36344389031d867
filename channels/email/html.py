"""HTML mail as text: what a reader sees, with quotes marked as in plain text."""

import re

from inscriptis import get_text
from inscriptis.css_profiles import CSS_PROFILES
from inscriptis.model.config import ParserConfig

from channels.email.signing import SIGNATURE_FOLLOWS
from channels.email.trimming import QUOTE_FOLLOWS

LONGEST = 1_000_000
DEEPEST = 150
_OPENS, _CLOSES = "\ue000", "\ue001"
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*+)([^<>]*+)>")
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_UNSEEN = re.compile(r"<(script|style|title|head|template|object|svg)\b[^<>]*+>", re.IGNORECASE)
_HIDDEN = re.compile(
    r"display\s*:\s*none|mso-hide\s*:\s*all|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px)?\s*[;\"']", re.IGNORECASE
)
_QUOTE_MARKS = re.compile(
    r"""(?:id|class|name|data-marker)\s*=\s*["']?[^"'<>]*(?:divRplyFwdMsg|appendonsend|x_divRplyFwdMsg|OLK_SRC_BODY_SECTION"""
    r"""|yahoo_quoted|__QUOTED_TEXT__|zwchr|mail-editor-reference-message|reply-intro|tutanota_quote"""
    r"""|ms-outlook-mobile-reference-message|stopSpelling|hmmessage_quote)""",
    re.IGNORECASE,
)
_SIGNATURE_MARKS = re.compile(
    r"""(?:id|class)\s*=\s*["']?[^"'<>]*(?:gmail_signature|moz-signature|ms-outlook-mobile-signature|Signature\b"""
    r"""|protonmail_signature_block-user|AppleMailSignature|yahoo-signature|zimbra_signature)""",
)
_OUTLOOK_RULE = re.compile(r"border-top\s*:\s*solid\s*#(?:E1E1E1|B5C4DF)", re.IGNORECASE)
_FORWARD = re.compile(r"forward|weitergeleitet|transféré|reenviado|inoltrat", re.IGNORECASE)
_CONFIG = ParserConfig(css=CSS_PROFILES["strict"], display_links=False, display_images=False)
_SPACES = re.compile(r"[ \t\u200b\u200c\u200d\ufeff\u00ad\u034f]+$", re.MULTILINE)


def text_of(html: str) -> str:
    """Linear in its length; beyond a million characters it is cut. Controls are still in it."""
    marked = _marked(_without_unseen(html[:LONGEST]))
    if not marked.strip():
        return ""
    try:
        shown = get_text(f"<html><body>{marked}</body></html>", _CONFIG)
    except (ValueError, RecursionError, AssertionError, IndexError, AttributeError):
        shown = _TAG.sub(" ", marked)
    return _quoted(shown)


def _without_unseen(html: str) -> str:
    """Comments, styles, scripts and whatever else no reader sees."""
    html = _cut_between(html, "<!--", "-->")
    html = re.sub(r"<[!?][^<>]*+>", "", html)
    kept, at = [], 0
    while found := _UNSEEN.search(html, at):
        kept.append(html[at : found.start()])
        end = html.lower().find(f"</{found[1].lower()}", found.end()) if len(kept) < 500 else -1
        if end < 0:
            at = found.end()
            continue
        close = html.find(">", end)
        at = len(html) if close < 0 else close + 1
    return "".join([*kept, html[at:]])


def _cut_between(html: str, opens: str, closes: str) -> str:
    kept, at = [], 0
    while (start := html.find(opens, at)) >= 0:
        kept.append(html[at:start])
        end = html.find(closes, start)
        if end < 0:
            return "".join(kept)
        at = end + len(closes)
    return "".join([*kept, html[at:]])


class _Marker:
    """Rewrites tags one after the other: marks for quotes, nothing hidden, and not too deep."""

    def __init__(self) -> None:
        self.depth = 0
        self.hidden: str | None = None
        self.nested = 0

    def __call__(self, closes: bool, name: str, attributes: str) -> str:
        """What stands in place of the tag."""
        if name in _VOID or attributes.endswith("/"):
            return "" if self.hidden else _void(name, attributes)
        if self.hidden:
            self._inside_hidden(closes, name)
            return ""
        if closes:
            self.depth = max(0, self.depth - 1)
            return _closing(name) if self.depth < DEEPEST else " "
        if _HIDDEN.search(attributes):
            self.hidden, self.nested = name, 1
            return ""
        self.depth += 1
        return _opening(name, attributes) if self.depth <= DEEPEST else " "

    def _inside_hidden(self, closes: bool, name: str) -> None:
        if name == self.hidden:
            self.nested += -1 if closes else 1
            if self.nested == 0:
                self.hidden = None


def _marked(html: str) -> str:
    marker = _Marker()
    out, at = [], 0
    for found in _TAG.finditer(html):
        if not marker.hidden:
            out.append(html[at : found.start()])
        out.append(marker(bool(found[1]), found[2].lower(), found[3]))
        at = found.end()
    return "".join([*out, html[at:]])


def _void(name: str, attributes: str) -> str:
    if name == "hr" and _QUOTE_MARKS.search(attributes):
        return f"<p>{QUOTE_FOLLOWS}</p>"
    return {"br": "<br>", "hr": "<hr>", "wbr": ""}.get(name, "")


def _opening(name: str, attributes: str) -> str:
    if name == "blockquote":
        return f"<div><p>{_OPENS}</p>"
    front = ""
    if _QUOTE_MARKS.search(attributes) and not _FORWARD.search(attributes):
        front = f"<p>{QUOTE_FOLLOWS}</p>"
    elif _SIGNATURE_MARKS.search(attributes):
        front = f"<p>{SIGNATURE_FOLLOWS}</p>"
    return f"{front}<{_plain(name)}>"


def _closing(name: str) -> str:
    return f"<p>{_CLOSES}</p></div>" if name == "blockquote" else f"</{_plain(name)}>"


def _plain(name: str) -> str:
    """Elements whose look a text keeps; any other is a span."""
    known = "p div br ul ol li table tr td th tbody thead pre h1 h2 h3 h4 h5 h6 span section article center"
    return name if name in known.split() else "span"


def _quoted(shown: str) -> str:
    """The marks as quoted lines."""
    depth, lines = 0, []
    for line in _SPACES.sub("", shown).split("\n"):
        opened, closed = line.count(_OPENS), line.count(_CLOSES)
        said = line.replace(_OPENS, "").replace(_CLOSES, "").strip(" ") if opened or closed else line
        depth += opened
        if said.strip() or not (opened or closed):
            lines.append(f"{'>' * min(depth, 8)} {said.strip()}" if depth else _outside(said))
        depth = max(0, depth - closed)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _outside(line: str) -> str:
    """As it is; the one space that the renderer may put in front of a line goes."""
    return line[1:] if line.startswith(" ") and not line.startswith("  ") else line
