"""What holds for every suite: engines only on request, and nothing of the person who runs the tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Whatever of a person's environment could change a test, or make it use their account with a model provider.
PERSONAL = ("PARLEY_", "ANTHROPIC_", "OPENAI_", "GEMINI_", "OPENROUTER_", "OLLAMA_", "LITELLM_")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-engine", action="store_true", help="also run the tests that load a real model engine")
    parser.addoption("--many", type=int, default=1, help="how many times as many examples the property tests try")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--run-engine"):
        return
    left_out = pytest.mark.skip(reason="runs a real model engine: add --run-engine")
    for item in items:
        if item.get_closest_marker("engine"):
            item.add_marker(left_out)


@pytest.fixture(scope="session", autouse=True)
def nobodys_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home folder of Parley, and no provider's key, for this process and all that it starts."""
    home = tmp_path_factory.mktemp("nobody") / "parley"
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(PERSONAL):
                patch.delenv(name)
        patch.setenv("PARLEY_HOME", str(home))
        yield home
