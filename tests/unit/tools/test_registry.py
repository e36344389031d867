"""What ships, and what each tool says about itself."""

import json
import subprocess
import sys
from pathlib import Path

from core.domain.tool import Approval, Effect
from core.ports import Proposes
from core.tools.fetch import Fetch
from core.tools.registry import shipped

TOOLS = shipped(Fetch())
ROOT = Path(__file__).parents[3]


def test_these_tools_ship_with_these_effects() -> None:
    assert {name: (tool.spec.effect, tool.spec.replayable) for name, tool in TOOLS.items()} == {
        "read_file": (Effect.READS, True),
        "write_file": (Effect.WRITES, True),
        "edit_file": (Effect.WRITES, False),
        "list_files": (Effect.READS, True),
        "search_text": (Effect.READS, True),
        "send_file": (Effect.READS, True),
        "web_fetch": (Effect.READS, True),
        "send_message": (Effect.EXTERNAL, True),
        "run_command": (Effect.EXTERNAL, False),
        "current_time": (Effect.READS, True),
        "load_skill_instructions": (Effect.READS, True),
        "list_items": (Effect.READS, True),
        "execute_task": (Effect.READS, True),
        "execute_subtask": (Effect.READS, True),
        "write_todos": (Effect.READS, True),
        "update_scratchpad": (Effect.READS, True),
        "ask_user": (Effect.READS, True),
    }


def test_these_tools_wait_for_a_yes() -> None:
    asking = {name: tool.spec.approval for name, tool in TOOLS.items() if tool.spec.approval is not Approval.NEVER}
    assert asking == {
        "write_file": Approval.MEMBERS,
        "edit_file": Approval.MEMBERS,
        "run_command": Approval.ASK,
    }
    assert [name for name, tool in TOOLS.items() if isinstance(tool, Proposes)] == ["run_command"]


def test_every_schema_is_closed_describes_each_field_and_can_be_sent() -> None:
    for tool in TOOLS.values():
        schema = json.loads(json.dumps(dict(tool.spec.schema)))
        assert schema["additionalProperties"] is False
        assert all(field.get("type") and field.get("description") for field in schema["properties"].values())
        assert "$" not in json.dumps(schema)


def test_the_tools_cost_a_prompt_little() -> None:
    told = [[tool.spec.name, tool.spec.description, dict(tool.spec.schema)] for tool in TOOLS.values()]
    assert len(json.dumps(told)) < 650 * len(TOOLS)


def test_a_file_tool_is_loaded_without_the_web_client() -> None:
    program = (
        "import sys, core.tools.read_file, core.tools.search_text, core.tools.send_file; "
        "sys.exit(sum(name in sys.modules for name in ('aiohttp', 'yarl', 'inscriptis', 'lxml')))"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
