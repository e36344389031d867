"""Rendering alone, so that it can be told apart from the path."""

import time
from pathlib import Path

from channels import registry
from channels.contract import ChannelContext
from core.domain.command import COMMANDS
from core.domain.message import Markdown, Reply
from core.domain.texts import Texts
from core.runtime.ambient import SystemClock
from tests.bench.figures import Figures

PARAGRAPH = "A *reply* as people get them, with `code`, a [link](https://example.org) and **weight** on some words.\n\n"
REPLY = Reply(fragments=(Markdown(source=(PARAGRAPH * 20)[:2000]),))
TIMES = 500


async def render(folder: Path, figures: Figures) -> None:
    """A typical reply of 2 kB, per channel."""
    for name in registry.CHANNELS:
        spec = registry.load(name)
        context = ChannelContext(
            account="bench",
            workspace=folder,
            clock=SystemClock(),
            commands=COMMANDS,
            texts=Texts({}),
            env=lambda name: None,
        )
        channel = spec.build(spec.settings(), context)
        began = time.perf_counter()
        for _ in range(TIMES):
            channel.render(REPLY)
        figures.add(f"render_{name}", (time.perf_counter() - began) / TIMES * 1000, "ms", most=2)
