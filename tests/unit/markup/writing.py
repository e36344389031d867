"""Documents as people and models write them, odd ones included."""

import os

from hypothesis import strategies as st

# How many documents a referee sees; `make nightly` shows it more.
DOCUMENTS = int(os.environ.get("DOCUMENTS", "500"))

WORDS = st.sampled_from(
    (
        *("plain", "words", "a", "I", "snake_case_name", "2*3", "C++", "<b>", "&amp;", "<!channel>", "<@U024BE7LH>"),
        *(
            "@everyone",
            "naïve",
            "日本語",
            "👩‍👩‍👧",
            "🇩🇪",
            "e\u0301",
            "[x]",
            "(y)",
            "`",
            "``",
            "*",
            "_",
            "~",
            "|",
            "\\",
            "1.",
            "#",
        ),
        *("https://example.org/a_(b)?c=d", "https://good@evil.example", "x" * 90, "end."),
    )
)


def _spoken(words: list[str]) -> str:
    return " ".join(words)


PLAIN = st.lists(WORDS, min_size=1, max_size=12).map(_spoken)
INLINE = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        inner.map(lambda text: f"**{text}**"),
        inner.map(lambda text: f"*{text}*"),
        inner.map(lambda text: f"***{text}***"),
        inner.map(lambda text: f"~~{text}~~"),
        inner.map(lambda text: f"`{text}`"),
        inner.map(lambda text: f"[{text}](https://example.com/p)"),
        inner.map(lambda text: f"![{text}](https://evil.example/canary.png)"),
        st.tuples(inner, inner).map(" ".join),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=5,
)
CODE = st.tuples(st.sampled_from(("", "python", "c++")), st.lists(PLAIN, max_size=6)).map(
    lambda made: "```{}\n{}\n```".format(made[0], "\n".join(made[1]))
)
TABLE = st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=5).map(
    lambda rows: "\n".join(["| one | two |", "|:--|--:|", *(f"| {left} | {right} |" for left, right in rows)])
)


def _indented(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}" for line in text.split("\n"))


BLOCK = st.recursive(
    st.one_of(
        INLINE,
        st.tuples(INLINE, INLINE).map("\n".join),
        INLINE.map(lambda text: f"## {text}"),
        CODE,
        TABLE,
        st.just("---"),
    ),
    lambda inner: st.one_of(
        inner.map(lambda text: _indented(text, "> ")),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: "\n".join(f"- {_indented(item, '  ')[2:]}" for item in items)
        ),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: "\n".join(f"{n}. {_indented(item, '   ')[3:]}" for n, item in enumerate(items, 7))
        ),
    ),
    max_leaves=4,
)
DOCUMENT = st.lists(BLOCK, min_size=1, max_size=5).map("\n\n".join)
ANYTHING = st.one_of(
    DOCUMENT, st.text(max_size=400), st.tuples(DOCUMENT, st.integers(0, 200)).map(lambda m: m[0][: m[1]])
)

# What needs no knowledge of the odder corners of Markdown to tell what is meant.
TALK = st.lists(
    st.sampled_from(
        ("plain", "words", "naïve", "日本語", "C#", "2 + 2", "snake_case_name", "https://example.org/a_b", "end.")
    ),
    min_size=1,
    max_size=8,
).map(_spoken)
LOOK = st.one_of(
    TALK,
    *(
        TALK.map(made.format)
        for made in ("**{}**", "*{}*", "***{}***", "~~{}~~", "`{}`", "[{}](https://example.com/p)", "**`{}`**")
    ),
)
LINE = st.lists(LOOK, min_size=1, max_size=5).map(" and ".join)
CALM = st.lists(
    st.one_of(
        LINE,
        LINE.map(lambda text: f"## {text}"),
        LINE.map(lambda text: f"> {text}"),
        TALK.map(lambda text: f"```python\n{text}\n```"),
        st.lists(LINE, min_size=1, max_size=4).map(lambda items: "\n".join(f"- {item}" for item in items)),
        st.lists(LINE, min_size=1, max_size=4).map(
            lambda items: "\n".join(f"{number}. {item}" for number, item in enumerate(items, 3))
        ),
    ),
    min_size=1,
    max_size=5,
).map("\n\n".join)
