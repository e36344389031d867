"""A command in a conversation: shown, approved, run once; changed since, shown again; stopped, gone."""

import uuid
from pathlib import Path

import pytest

from core.models.scripted import ScriptedModel, calls, says
from core.tools.run_command import RunCommand
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.processes.commands.bench import running
from tests.processes.commands.conftest import needs_proc
from tests.processes.house import until

ASKS = "May I run run_command for Anna?"
SCRIPT = "echo ran >> log; echo result one"


@pytest.fixture
def platform() -> FakePlatform:
    """Where people and Parley meet."""
    return FakePlatform()


@pytest.fixture
def model() -> ScriptedModel:
    """A model without a script yet."""
    return ScriptedModel()


@pytest.fixture
def talk(tmp_path: Path, platform: FakePlatform, model: ScriptedModel) -> House:
    """A gateway whose agent has nothing but commands, without a sandbox: what is tested here is not the sandbox."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "run.sh").write_text(SCRIPT)
    tool = RunCommand(sandboxed=False)
    return House(folder=tmp_path, platform=platform, models=[model], tools={"run_command": tool}, tool_s=30.0)


async def test_a_command_runs_once_after_an_owners_yes(
    talk: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    anna, olga = platform.person("anna"), platform.person("olga")
    model.then(calls("run_command", argv=["sh", "run.sh"]), says("Done."))
    async with opened(talk):
        await anna.says("run it")
        card = await anna.hears(ASKS)
        assert "sh run.sh\nin: the workspace\nat most 120 s, without a sandbox\n" in card.text
        assert not (talk.folder / "workspace" / "log").exists()
        await olga.says("/approve 1")
        await olga.hears(f"{ASKS}: Once (Olga)")
        await anna.hears("Done.")
    assert (talk.folder / "workspace" / "log").read_text() == "ran\n"
    assert model.prompts[-1].messages[-1].content.endswith("\nresult one\n")


async def test_a_script_that_was_changed_after_the_yes_is_shown_again(
    talk: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    anna, olga = platform.person("anna"), platform.person("olga")
    model.then(calls("run_command", argv=["sh", "run.sh"]), says("Not run."))
    async with opened(talk):
        await anna.says("run it")
        first = await anna.hears(ASKS)
        (talk.folder / "workspace" / "run.sh").write_text("echo something else >> log")
        await olga.says("/approve 1")
        await olga.hears(f"{ASKS}: Once (Olga)")
        second = await anna.hears(ASKS)
        assert first.text != second.text
        await olga.says("/deny 2")
        await olga.hears(f"{ASKS}: Deny (Olga)")
        await anna.hears("Not run.")
    assert not (talk.folder / "workspace" / "log").exists()


async def test_a_command_that_nobody_may_approve_is_put_to_nobody(
    talk: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("run_command", argv=["sh", "-c", "rm -rf ~"]), says("I may not."))
    async with opened(talk):
        await platform.person("anna").says("clean up")
        await platform.hears("I may not.")
    assert "whoever approves it" in model.prompts[-1].messages[-1].content
    assert (talk.folder / "workspace" / "run.sh").read_text() == SCRIPT


@needs_proc
async def test_stop_ends_the_command_and_all_that_it_started(
    talk: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    mark = f"mark-{uuid.uuid4().hex}"
    anna, olga = platform.person("anna"), platform.person("olga")
    model.then(calls("run_command", argv=["python3", "-c", "import time; time.sleep(1000)", mark]))
    async with opened(talk):
        await anna.says("wait")
        await anna.hears(ASKS)
        await olga.says("/approve 1")
        await olga.hears(f"{ASKS}: Once (Olga)")
        await until(lambda: running(mark), bool)
        await anna.says("/stop")
        await anna.hears("Stopped.")
        await until(lambda: running(mark), lambda found: not found)
