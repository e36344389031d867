"""The habits that are not wanted: each is seen, and what only looks like it is left alone."""

import pytest

from tests.checks.habits import unwanted
from tests.checks.names import misnamed
from tests.checks.source import parse
from tests.checks.texts import leaks_of, tracker_numbers

CORE = "core/runtime/example.py"
TEST = "tests/unit/test_example.py"
STALE = "tests/checks/habits.py"


def seen(text: str, path: str = CORE) -> list[str]:
    """The rules that one file breaks; what the lists say of files that are not there is left out."""
    module = parse(path, text)
    found = [*unwanted([module]), *misnamed([module]), *tracker_numbers(module), *leaks_of(path, text)]
    return [one.rule for one in found if one.path != STALE]


@pytest.mark.parametrize(
    "text",
    [
        "try: pass\nexcept: raise\n",
        "try: pass\nexcept Exception: log()\n",
        "try: pass\nexcept (ValueError, BaseException): log()\n",
        "with suppress(Exception): pass\n",
    ],
)
def test_catching_everything_is_seen(text: str) -> None:
    assert seen(text) == ["broad excepts"]


def test_a_listed_supervisor_may_catch_everything_but_not_pass_over_it() -> None:
    listed = "core/store/sqlite.py"
    text = "class SqliteStore:\n def _commit(self):\n  try: pass\n  except Exception: {}\n"
    assert seen(text.format("log()"), listed) == []
    assert seen(text.format("pass"), listed) == ["broad excepts"]


def test_a_supervisor_that_is_gone_has_to_leave_the_list() -> None:
    assert any("is gone" in one.say for one in unwanted([parse(CORE, "")]))


@pytest.mark.parametrize("call", ["asyncio.create_task(f())", "loop.create_task(f())", "asyncio.ensure_future(f())"])
def test_a_task_without_an_owner_is_seen(call: str) -> None:
    assert seen(f"async def go():\n    {call}\n") == ["ownerless tasks"]
    assert seen("from asyncio import create_task\n") == ["ownerless tasks"]


def test_a_task_of_a_group_has_an_owner() -> None:
    assert seen("async def go(group):\n    group.create_task(f())\n    self._group.create_task(f())\n") == []


@pytest.mark.parametrize(
    "text",
    ["def f():\n    import json\n", "def f():\n    from json import dumps\n", "f = importlib.import_module('json')\n"],
)
def test_a_late_import_is_seen_under_any_name(text: str) -> None:
    assert seen(text) == ["late imports"]
    assert seen(text, "core/models/litellm.py") == []


def test_an_import_for_types_alone_is_not_late() -> None:
    assert seen("if TYPE_CHECKING:\n    import json\n") == []


def test_getattr_with_a_literal_name_is_seen() -> None:
    assert seen("getattr(a, 'b')\n") == seen("getattr(a, 'b', None)\n") == ["literal getattr"]
    assert seen("getattr(a, name)\n") == []


@pytest.mark.parametrize("comment", ["noqa", "noqa: C901", "noqa: E501", "ruff: noqa", "type: ignore"])
def test_an_exemption_from_sizes_or_without_a_code_is_seen(comment: str) -> None:
    assert seen(f"x = 1  # {comment}\n") == ["exemptions"]


def test_an_exemption_with_its_code_is_left_alone() -> None:
    assert seen("x = 1  # noqa: S608\ny = 2  # type: ignore[attr-defined]\nz = '# noqa'\n") == []


@pytest.mark.parametrize("text", ["os.environ['A']\n", "os.getenv('A')\n", "from os import environ\n"])
def test_reading_the_environment_is_seen_outside_the_settings(text: str) -> None:
    assert seen(text) == ["environment reads"]
    assert seen(text, "gateway/settings.py") == []
    assert seen(text, TEST) == []


@pytest.mark.parametrize("text", ["from typing import Any, Protocol\n", "x: typing.Any\n"])
def test_any_is_seen_outside_the_files_that_meet_untyped_data(text: str) -> None:
    assert seen(text) == seen(text, TEST) == ["Any"]
    assert seen(text, "channels/terminal/inbound.py") == seen(text, "core/models/litellm.py") == []
    assert seen(text, "channels/inbound.py") == ["Any"]


def test_a_function_that_changes_its_module_is_seen() -> None:
    assert seen("def f():\n    global x\n    x = 1\n") == ["global state"]


@pytest.mark.parametrize("how", ["@dataclass", "@dataclass(frozen=True)", "@dataclass(frozen=True, slots=True)"])
def test_a_value_that_can_change_or_be_built_by_position_is_seen(how: str) -> None:
    assert seen(f"{how}\nclass Value:\n    a: int\n") == ["loose values"]


@pytest.mark.parametrize("how", ["frozen=True, slots=True, kw_only=True", "slots=True, eq=False"])
def test_a_strict_value_and_an_object_with_slots_are_left_alone(how: str) -> None:
    assert seen(f"@dataclass({how})\nclass Value:\n    a: int\n") == []


def test_unfinished_work_is_seen() -> None:
    mark = "TO" + "DO"
    assert seen(f"x = 1  # {mark}: later\n") == seen("raise NotImplementedError\n") == ["unfinished marks"]
    assert seen(f"x = '{mark}'\n") == []


@pytest.mark.parametrize(
    "text", ["import unittest.mock\n", "from unittest import mock\n", "from unittest.mock import Mock\n"]
)
def test_a_mock_is_seen(text: str) -> None:
    assert seen(text, TEST) == ["mocks"]


def test_a_test_that_sleeps_is_seen_and_one_that_lets_others_run_is_not() -> None:
    assert seen("async def test_x():\n    await asyncio.sleep(1)\n", TEST) == ["sleeps in tests"]
    assert seen("def test_x():\n    time.sleep(0.1)\n", TEST) == ["sleeps in tests"]
    assert seen("async def test_x():\n    await asyncio.sleep(0)\n    await clock.sleep(5)\n", TEST) == []


def test_a_test_left_out_without_a_reason_is_seen() -> None:
    assert seen("@pytest.mark.skip\ndef test_x(): pass\n", TEST) == ["unexplained skips"]
    assert seen("@pytest.mark.skipif(a)\ndef test_x(): pass\n", TEST) == ["unexplained skips"]
    assert seen("@pytest.mark.skipif(a, reason='b')\ndef test_x(): pytest.skip('c')\n", TEST) == []


@pytest.mark.parametrize(
    "text", ["slack = 1\n", "x = 'Telegram'\n", "def to_discord(): pass\n", "class SlackThing: pass\n"]
)
def test_a_platform_is_named_in_its_own_folder_only(text: str) -> None:
    assert seen(text) == ["platform names"]
    assert seen(text, "channels/registry.py") == []


def test_a_channel_names_itself_and_no_other() -> None:
    assert seen("slack = 1\n", "channels/slack/channel.py") == []
    assert seen("telegram = 1\n", "channels/slack/channel.py") == ["platform names"]


def test_a_docstring_may_name_a_platform_and_the_standard_library_has_a_module_of_that_name() -> None:
    assert seen('"""As Discord wants it."""\n') == []
    assert seen("from email.utils import parseaddr\nimport email\n") == []
    assert seen("from channels.email import SPEC\n") == ["platform names"]


def test_a_vague_name_is_seen() -> None:
    assert seen("class TurnManager: pass\n") == ["vague names"]
    assert seen("", "core/runtime/utils.py") == ["vague names"]


@pytest.mark.parametrize("folder", ["work/x", "root/.venv", "home/ann/parley", "Users/ann"])
def test_a_path_of_one_machine_is_seen_in_any_text(folder: str) -> None:
    assert [one.rule for one in leaks_of("README.md", f"see /{folder} for more")] == ["leaks"]


@pytest.mark.parametrize(
    "text", ["core/work/x", "~/root/x", "https://example.org/work/x", "/workspace/x", "$HOME/work"]
)
def test_a_path_that_is_the_same_everywhere_is_left_alone(text: str) -> None:
    assert not list(leaks_of("README.md", text))


def test_the_host_of_a_package_index_is_seen() -> None:
    host = ".".join(("pypi", "org"))
    assert list(leaks_of("README.md", f"from https://{host}/simple"))
    assert list(leaks_of("requirements.lock", "--index-url https://example.org/simple\n"))


@pytest.mark.parametrize("number", ["issue " + "12", "#" + "12", "see PR #" + "7", "GH-" + "8"])
def test_a_tracker_number_is_seen_in_a_comment_only(number: str) -> None:
    assert seen(f"x = 1  # {number}: why\n") == ["tracker numbers"]
    assert seen(f"x = '{number}'\n") == []


def test_what_a_merge_left_is_seen_in_any_text() -> None:
    assert [one.rule for one in leaks_of("CHANGELOG.md", "kept\n" + "<" * 7 + " HEAD\n")] == ["leaks"]
    assert not list(leaks_of("README.md", "Title\n=======\n"))
