"""The tools by which agents work together and learn how something is done."""

from core.ports import Agents, Skills, Tool
from core.tools.delegation import execute_subtask, execute_task
from core.tools.list_items import list_items
from core.tools.load_skill import load_skill
from core.tools.update_scratchpad import update_scratchpad
from core.tools.write_todos import write_todos


def agent_tools(agents: Agents, skills: Skills) -> tuple[Tool, ...]:
    """All of them, on these agents and skills."""
    return (
        load_skill(skills),
        list_items(agents),
        execute_task,
        execute_subtask,
        write_todos,
        update_scratchpad,
    )
