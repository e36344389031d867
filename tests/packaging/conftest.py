"""The package as it would be published, built once."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.packaging.lockfile import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """Both archives of one build."""

    wheel: Path
    sdist: Path


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Built from the checkout, without a network."""
    folder = tmp_path_factory.mktemp("dist")
    return Built(wheel=build(ROOT, folder, "wheel"), sdist=build(ROOT, folder, "sdist"))


def build(source: Path, folder: Path, target: str) -> Path:
    """Build one archive of a source tree into a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    (archive,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return archive
