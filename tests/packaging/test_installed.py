"""An installed Parley, away from any checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.packaging.conftest import Built
from tests.packaging.lockfile import ROOT
from tests.packaging.wheels import installers, run

# Each costs tenths of a second or more. Other channels' libraries, the model library and the upgrade of the store are
# loaded when something needs them; help needs nothing.
FOREIGN = frozenset({"litellm", "alembic", "slack_bolt", "telegram", "discord", "aioimaplib", "aiosmtplib"})
HEAVY = FOREIGN | {"sqlalchemy", "aiohttp", "pydantic", "prompt_toolkit", "rich"}


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment that has the wheel, and sees the dependencies of this one."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    (site_packages,) = folder.glob("lib/python*/site-packages")
    # One folder on the path: the checkout that is installed in this environment is not taken along.
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    found = installers()
    if "uv" in found:
        command: Sequence[str | Path] = (*found["uv"], "--python", python)
    else:
        program, *rest = found["pip"]
        at = rest.index("install")
        command = (program, *rest[:at], "--python", python, *rest[at:], "--no-index")
    done = run([*command, "--no-deps", built.wheel], HOME=str(folder))
    assert done.returncode == 0, done.stderr
    return python.parent


def parley(installed: Path, home: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [installed / "parley", *arguments],
        input=said,
        capture_output=True,
        text=True,
        cwd=home,
        env={**os.environ, "PARLEY_HOME": str(home / "parley")},
        check=False,
    )


def test_the_command_is_there_and_helps(installed: Path, tmp_path: Path) -> None:
    done = parley(installed, tmp_path, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "chat" in done.stdout


def test_it_runs_from_the_wheel_and_not_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import gateway, channels, core; print(gateway.__file__, channels.__file__, core.__file__)"
    done = subprocess.run([installed / "python", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    for file in done.stdout.split():
        assert Path(file).is_relative_to(installed.parent)
        assert not Path(file).is_relative_to(ROOT)


def test_a_first_message_is_answered_without_any_settings(installed: Path, tmp_path: Path) -> None:
    done = parley(installed, tmp_path, "chat", said="hello\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_an_unknown_verb_is_a_usage_error(installed: Path, tmp_path: Path) -> None:
    done = parley(installed, tmp_path, "dance")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "dance" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "unwanted"), [(["--help"], HEAVY), (["chat", "--help"], FOREIGN)], ids=["help", "chat"]
)
def test_a_command_loads_only_what_it_needs(arguments: list[str], unwanted: frozenset[str]) -> None:
    code = (
        "import atexit, json, sys\n"
        f"sys.argv = ['parley', *{arguments!r}]\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        "from gateway.cli import main\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}
    assert loaded & unwanted == set()
