"""All tools that ship. A new tool is its own file and one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from core.ports import Tool
from core.tools.ask_user import ask_user
from core.tools.current_time import current_time
from core.tools.edit_file import edit_file
from core.tools.fetch import Fetch
from core.tools.list_files import list_files
from core.tools.read_file import read_file
from core.tools.search_text import search_text
from core.tools.send_file import send_file
from core.tools.web_fetch import web_fetch
from core.tools.write_file import write_file


def shipped(fetch: Fetch) -> Mapping[str, Tool]:
    """By name, in the order in which a model is told of them. Importing this module loads the web client: 120 ms."""
    tools: tuple[Tool, ...] = (
        read_file,
        write_file,
        edit_file,
        list_files,
        search_text(),
        send_file,
        web_fetch(fetch),
        current_time,
        ask_user,
    )
    return MappingProxyType({tool.spec.name: tool for tool in tools})
