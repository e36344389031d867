"""What our edge costs on top of the model library: `python -m tests.contract.models.edge_speed [CALLS]`.

The provider runs as a process of its own. Bare and edge take turns, and the best of several rounds counts, so that
what else the machine does weighs on both alike.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from core.domain.prompt import Prompt, PromptMessage
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel

CALLS = 300
AT_ONCE = 8
ROUNDS = 5
SCRIPT = {"acts": [{"text": "The pump has three valves and one filter."}], "repeat_last": True}
PROMPT = Prompt(messages=(PromptMessage(role="user", content="Tell me about the pump."),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Speeds:
    """Calls per second, eight at a time, and the edge's share of the bare library's speed."""

    bare: float
    edge: float
    streamed: float

    @property
    def ratio(self) -> float:
        """1 means that the edge costs nothing."""
        return self.edge / self.bare


async def rate(call: Callable[[], Awaitable[object]], count: int) -> float:
    """Calls per second."""

    async def some() -> None:
        for _ in range(count // AT_ONCE):
            await call()

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(some())
    return count // AT_ONCE * AT_ONCE / (time.perf_counter() - started)


async def measure(url: str, count: int) -> Speeds:
    """Against a provider that answers at once."""
    library = Library()
    litellm = await library.load()
    entry = ModelEntry(name="main", model="openai/some-model", api_base=url, api_key=Secret("sk-speed"))
    model = LiteLLMModel(entry, library)
    messages = [{"role": "user", "content": PROMPT.messages[0].content}]

    async def bare() -> object:
        return await litellm.acompletion(
            model=entry.model, api_base=url, api_key="sk-speed", messages=messages, max_retries=0, max_tokens=4_096
        )

    async def edge() -> object:
        return await model.answer(PROMPT, None)

    async def streamed() -> object:
        return await model.answer(PROMPT, lambda text: None)

    rates: dict[str, list[float]] = {"bare": [], "edge": [], "streamed": []}
    for call in (bare, edge, streamed):
        await rate(call, AT_ONCE)
    for _ in range(ROUNDS):
        for call in (bare, edge, streamed):
            rates[call.__name__].append(await rate(call, count))
    await library.close()
    return Speeds(bare=max(rates["bare"]), edge=max(rates["edge"]), streamed=max(rates["streamed"]))


async def main(count: int) -> None:
    """Prints one line of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "acts.json")
        script.write_text(json.dumps(SCRIPT))
        command = (sys.executable, "-m", "tests.fakes.openai_server", "--script", str(script))
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        try:
            port = (await process.stdout.readline()).split()[1].decode()
            speeds = await measure(f"http://127.0.0.1:{port}/v1", count)
        finally:
            process.kill()
            await process.communicate()
    figures = {"bare": round(speeds.bare), "edge": round(speeds.edge), "streamed": round(speeds.streamed)}
    sys.stdout.write(json.dumps({**figures, "ratio": round(speeds.ratio, 3)}) + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS))
