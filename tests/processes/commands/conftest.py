"""Commands with a sandbox and without one."""

import sys
from pathlib import Path

import pytest

from core.tools import sandbox
from core.tools.run_command import RunCommand
from tests.processes.commands.bench import Bench

TROUBLE = sandbox.trouble(sandbox.installed())
needs_proc = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked for in /proc")


def _home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "workspace" / "uploads" / "own").mkdir(parents=True)
    return home


@pytest.fixture
def boxed(tmp_path: Path) -> Bench:
    """Commands in the sandbox."""
    if TROUBLE:
        pytest.skip(f"no sandbox on this machine: {TROUBLE}")
    return Bench(home=_home(tmp_path), tool=RunCommand())


@pytest.fixture
def open_air(tmp_path: Path) -> Bench:
    """Commands without a sandbox."""
    return Bench(home=_home(tmp_path), tool=RunCommand(sandboxed=False))


@pytest.fixture(params=["sandbox", "none"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """Both, one after the other."""
    if request.param == "none":
        return Bench(home=_home(tmp_path), tool=RunCommand(sandboxed=False))
    if TROUBLE:
        pytest.skip(f"no sandbox on this machine: {TROUBLE}")
    return Bench(home=_home(tmp_path), tool=RunCommand())
