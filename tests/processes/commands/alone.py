"""A process that only runs one command, in the way a gateway does: `python -m tests.processes.commands.alone`.

Arguments: the workspace, `yes` or `no` for a sandbox, and the words of the command.
"""

import asyncio
import json
import sys
from pathlib import Path

from core.tools.run_command import RunCommand
from tests.processes.commands.bench import context_in


def main() -> None:
    """Print what the model would be told."""
    workspace, sandboxed, *argv = sys.argv[1:]
    tool = RunCommand(sandboxed=sandboxed == "yes")
    done = asyncio.run(tool.run(json.dumps({"argv": argv}), context_in(Path(workspace))))
    sys.stdout.write(done.text)


if __name__ == "__main__":
    main()
