"""What is published: all that runs, all agents and skills, and no more."""

import subprocess
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from tests.checks.texts import files
from tests.packaging.conftest import Built, build
from tests.packaging.lockfile import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def checkout(*folders: str) -> list[str]:
    return [path for path in files(ROOT) if path.startswith(folders) and (ROOT / path).is_file()]


def test_the_wheel_holds_every_module(built: Built) -> None:
    assert set(checkout("gateway/", "channels/", "core/")) <= in_wheel(built.wheel)


def test_the_wheel_holds_every_agent_and_skill(built: Built) -> None:
    expected = {f"gateway/bundled/{path}" for path in checkout("agents/", "skills/")}
    assert {name for name in in_wheel(built.wheel) if name.startswith("gateway/bundled/")} == expected
    assert any(name.startswith("gateway/bundled/agents/main/") for name in expected)


def test_the_wheel_holds_nothing_else(built: Built) -> None:
    tops = {name.split("/")[0] for name in in_wheel(built.wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"gateway", "channels", "core"}
    assert not [name for name in in_wheel(built.wheel) if name.endswith((".pth", ".pyc", ".db"))]


def test_the_wheel_says_what_it_is_and_what_it_needs(built: Built) -> None:
    said = metadata(built.wheel)
    assert (said["Name"], said["Version"], said["License-Expression"]) == ("parley-gateway", PROJECT["version"], "MIT")
    assert said["Requires-Python"] == ">=3.11"
    needed = [line for line in said.get_all("Requires-Dist") or [] if "extra ==" not in line]
    assert len(needed) == len(PROJECT["dependencies"])


def test_the_source_archive_builds_the_same_wheel(built: Built, tmp_path: Path) -> None:
    subprocess.run(["tar", "-xzf", built.sdist, "-C", tmp_path], check=True)
    (source,) = tmp_path.iterdir()
    assert in_wheel(build(source, tmp_path, "wheel")) == in_wheel(built.wheel)


@pytest.mark.parametrize("path", ["LICENSE", "README.md", "Makefile", "requirements.lock", "tests/conftest.py"])
def test_the_source_archive_can_be_worked_with(built: Built, path: str) -> None:
    with tarfile.open(built.sdist) as archive:
        assert f"parley_gateway-{PROJECT['version']}/{path}" in archive.getnames()


def test_no_archive_holds_what_git_ignores(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        paths = [name.partition("/")[2] for name in archive.getnames()]
    ignored = subprocess.run(
        ["git", "check-ignore", "--stdin"],
        cwd=ROOT,
        input="\n".join(paths),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ignored.stdout == ""
