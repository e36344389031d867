"""What the model does in more than one of these tests."""

import json

from tests.fakes.openai_server import Act, WireCall, answers


def calls(name: str, **arguments: object) -> Act:
    """One tool call."""
    return answers(calls=[WireCall(name=name, arguments=json.dumps(arguments))])


def doubles(path: str) -> Act:
    """An edit that would show if it ran twice: every a becomes two."""
    return calls("edit_file", path=path, old_text="a", new_text="aa", replace_all=True)
