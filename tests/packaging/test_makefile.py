"""`make chat` on a machine that has nothing yet. The installer is a script that writes down what it was asked for."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.packaging.lockfile import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not here, so nobody can run the Makefile")

# Stands in for uv: it is as loud and as greedy as an installer can be, and installs a parley that repeats its input.
INSTALLER = """#!/bin/sh
echo "$@" >>"$INSTALLER_LOG"
cat >/dev/null
echo 'noise on the output'
case "$1 $*" in
  venv*) mkdir -p .venv/bin && ln -sf "$REAL_PYTHON" .venv/bin/python ;;
  *' -e .') printf '#!/bin/sh\\necho "asked: $*"; cat; exit "${PARLEY_ENDS:-0}"\\n' >.venv/bin/parley
            chmod +x .venv/bin/parley ;;
esac
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A folder with our Makefile and a stand-in for the installer."""

    folder: Path
    programs: Path
    log: Path

    def make(self, *arguments: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", *arguments],
            cwd=self.folder,
            input=said,
            capture_output=True,
            text=True,
            env={**self._environment(), **environment},
            check=False,
        )

    def _environment(self) -> Mapping[str, str]:
        # A make that runs these tests must not tell the one inside them how to behave.
        outer = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "PYTHON"))}
        path = f"{self.programs}{os.pathsep}{outer['PATH']}"
        return {**outer, "PATH": path, "INSTALLER_LOG": str(self.log), "REAL_PYTHON": sys.executable}

    def installs(self) -> list[str]:
        """What the installer was asked for since the last time."""
        asked = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return asked


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder = tmp_path / "a checkout"
    programs = tmp_path / "bin"
    for made in (folder, programs):
        made.mkdir()
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, folder)
    installer = programs / "uv"
    installer.write_text(INSTALLER, encoding="utf-8")
    installer.chmod(0o755)
    return Checkout(folder=folder, programs=programs, log=tmp_path / "log")


def later(file: Path) -> None:
    """Make a file newer than anything made so far."""
    moment = file.stat().st_mtime + 100
    os.utime(file, (moment, moment))


def test_the_first_start_installs_by_hash_and_then_answers(checkout: Checkout) -> None:
    done = checkout.make("chat", said="hello\n")
    assert (done.returncode, done.stdout) == (0, "asked: chat\nhello\n")
    made, dependencies, itself = checkout.installs()
    assert made.startswith("venv ")
    assert "--require-hashes -r requirements.lock" in dependencies
    assert itself.endswith("--no-deps --no-build-isolation --offline -e .")


def test_what_installs_takes_no_input_and_leaves_no_output(checkout: Checkout) -> None:
    done = checkout.make("chat", said="hello\n")
    assert "noise" not in done.stdout
    assert "noise" in done.stderr
    assert "hello" in done.stdout


def test_the_second_start_installs_nothing_and_says_nothing(checkout: Checkout) -> None:
    checkout.make("chat")
    checkout.installs()
    done = checkout.make("chat", said="hello\n")
    assert (done.stdout, done.stderr) == ("asked: chat\nhello\n", "")
    assert checkout.installs() == []


@pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
def test_what_changed_is_installed_again(checkout: Checkout, changed: str) -> None:
    checkout.make("chat")
    checkout.installs()
    later(checkout.folder / changed)
    checkout.make("chat")
    assert len(checkout.installs()) == 2


def test_a_moved_checkout_starts_anew(checkout: Checkout) -> None:
    checkout.make("chat")
    checkout.installs()
    moved = Checkout(
        folder=checkout.folder.rename(checkout.folder.with_name("moved")), programs=checkout.programs, log=checkout.log
    )
    assert moved.make("chat").returncode == 0
    assert len(moved.installs()) == 3


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Checkout) -> None:
    checkout.make("chat")
    checkout.installs()
    python = checkout.folder / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    assert checkout.make("chat").returncode == 0
    assert len(checkout.installs()) == 3


def test_arguments_and_failures_pass_through(checkout: Checkout) -> None:
    done = checkout.make("chat", "ARGS=-m 'hi  there'")
    assert done.stdout == "asked: chat -m hi  there\n"
    assert checkout.make("chat", PARLEY_ENDS="1").returncode != 0


def test_an_interrupted_install_is_done_again(checkout: Checkout) -> None:
    (checkout.programs / "uv").write_text(INSTALLER.replace("case", "test $1 = venv || exit 1\ncase"), encoding="utf-8")
    assert checkout.make("chat").returncode != 0
    checkout.installs()
    (checkout.programs / "uv").write_text(INSTALLER, encoding="utf-8")
    assert checkout.make("chat").returncode == 0
    assert len(checkout.installs()) == 2


def test_an_old_python_is_refused_with_what_to_change(checkout: Checkout) -> None:
    old = checkout.programs / "python-of-old"
    old.write_text('#!/bin/sh\ntest "$1" = --version && echo "Python 3.9.2" && exit 0\nexit 1\n', encoding="utf-8")
    old.chmod(0o755)
    done = checkout.make("chat", "PYTHON=python-of-old")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "3.11 or newer" in done.stderr
    assert "Python 3.9.2" in done.stderr
    assert "make chat PYTHON=" in done.stderr
    assert checkout.installs() == []


def test_without_uv_pip_installs_by_hash_too(checkout: Checkout) -> None:
    planned = checkout.make("--dry-run", "chat", "UV=").stdout
    assert re.search(r"pip install .*--require-hashes --no-deps -r requirements\.lock", planned)


def test_the_tests_install_the_lock_for_development(checkout: Checkout) -> None:
    planned = checkout.make("--dry-run", "test").stdout
    assert "--require-hashes -r requirements-dev.lock" in planned
    assert planned.index("-m tests.checks") < planned.index("-m pytest")


def test_a_release_enters_a_lock_only_when_it_is_seven_days_old(checkout: Checkout) -> None:
    compiles = [
        line for line in checkout.make("--dry-run", "lock").stdout.splitlines() if line.startswith("uv pip compile")
    ]
    assert len(compiles) == 2
    for line in compiles:
        found = re.search(r"--exclude-newer (\S+)", line)
        assert found
        assert datetime.fromisoformat(found[1]) <= datetime.now(UTC) - timedelta(days=7)
        assert "--generate-hashes" in line
        assert "--upgrade" in line


def test_help_lists_every_target(checkout: Checkout) -> None:
    done = checkout.make()
    for target in ("chat", "run", "test", "nightly", "check", "bench", "crash", "lock", "clean"):
        assert f"make {target}" in done.stdout
