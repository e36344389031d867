"""The tools that work on the workspace."""

from core.ports import Tool
from core.tools.edit_file import edit_file
from core.tools.list_files import list_files
from core.tools.read_file import read_file
from core.tools.search_text import search_text
from core.tools.send_file import send_file
from core.tools.write_file import write_file


def file_tools() -> tuple[Tool, ...]:
    """In the order in which a model is told of them. A new one is its own file and one line here."""
    return (read_file, write_file, edit_file, list_files, search_text(), send_file)
