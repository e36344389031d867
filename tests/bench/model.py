"""What our edge to the model library costs beside the library itself, against a local server."""

import time
from pathlib import Path

from core.domain.prompt import Prompt, PromptMessage
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel
from tests.bench.figures import Figures
from tests.fakes.openai_server import OpenAIServer, answers

CALLS = 300


async def model(folder: Path, figures: Figures) -> None:
    """Calls per second of the bare library and through the edge, taken in turns."""
    async with OpenAIServer(answers("hello"), repeat_last=True) as server:
        library = Library()
        module = await library.load()
        entry = ModelEntry(name="bench", model="openai/bench", api_base=server.url, api_key=Secret("sk-bench"))
        edge = LiteLLMModel(entry, library)
        prompt = Prompt(messages=(PromptMessage(role="user", content="hi"),))
        bare_s = edge_s = 0.0
        for _ in range(CALLS):
            began = time.perf_counter()
            await module.acompletion(
                model="openai/bench",
                api_base=server.url,
                api_key="sk-bench",
                messages=[{"role": "user", "content": "hi"}],
                num_retries=0,
                max_retries=0,
            )
            bare_s += time.perf_counter() - began
            began = time.perf_counter()
            await edge.answer(prompt, None)
            edge_s += time.perf_counter() - began
    figures.add("litellm_bare", CALLS / bare_s, "calls/s")
    figures.add("litellm_through_us", CALLS / edge_s, "calls/s")
    figures.add("litellm_ratio", bare_s / edge_s, "ratio", least=0.8)
