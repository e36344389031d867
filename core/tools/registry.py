"""All tools that ship. A new tool is its own file and one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from core.domain.chat import ChatKey
from core.ports import NO_AGENTS, NO_SKILLS, Agents, Skills, Tool
from core.tools.agent_tools import agent_tools
from core.tools.ask_user import ask_user
from core.tools.current_time import current_time
from core.tools.fetch import Fetch
from core.tools.file_tools import file_tools
from core.tools.run_command import RunCommand
from core.tools.send_message import send_message
from core.tools.web_fetch import web_fetch

NO_PLACES: Mapping[str, ChatKey] = MappingProxyType({})


def shipped(
    fetch: Fetch,
    agents: Agents = NO_AGENTS,
    skills: Skills = NO_SKILLS,
    command: RunCommand | None = None,
    places: Mapping[str, ChatKey] = NO_PLACES,
) -> Mapping[str, Tool]:
    """By name, in the order in which a model is told of them. Importing this module loads the web client: 120 ms.

    `command` runs commands, in the sandbox if nothing else is said. `places` are the chats that may be written to
    beside the own one, by the names that the operator gave them.
    """
    tools: tuple[Tool, ...] = (
        *file_tools(),
        web_fetch(fetch),
        send_message(places),
        command or RunCommand(),
        current_time,
        ask_user,
        *agent_tools(agents, skills),
    )
    return MappingProxyType({tool.spec.name: tool for tool in tools})
