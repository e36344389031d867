"""A scripted provider on the loopback address and the real model library in front of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.domain.prompt import Prompt, PromptMessage
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel
from tests.fakes.openai_server import OpenAIServer

KEY = "sk-test-0123456789abcdef"
# litellm silences these for itself when it is imported; pytest makes them errors again in every test.
LIBRARY_WARNINGS = (
    "ignore:.*`ReadOnly` qualifier:UserWarning",
    "ignore:Pydantic serializer warnings:UserWarning",
    "ignore:Accessing the .* attribute on the instance:DeprecationWarning",
)
HELLO = Prompt(messages=(PromptMessage(role="user", content="hello"),))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for warning in LIBRARY_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as running:
        yield running


@pytest.fixture
async def library() -> AsyncIterator[Library]:
    shared = Library()
    yield shared
    await shared.close()


@pytest.fixture
def model(server: OpenAIServer, library: Library) -> LiteLLMModel:
    entry = ModelEntry(name="main", model="openai/some-model", api_base=server.url, api_key=Secret(KEY))
    return LiteLLMModel(entry, library)
