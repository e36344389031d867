"""Small wheels made by hand, and the programs that can install them."""

import base64
import ensurepip
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def make_wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """A valid wheel with these files in it."""
    info = f"{name}-{version}.dist-info"
    metadata = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    every = {**files, **metadata}
    record = "".join(f"{path},{_record_hash(text)},{len(text.encode())}\n" for path, text in every.items())
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**every, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(path, text)
    return wheel


def sha256(file: Path) -> str:
    """As a lock writes it."""
    return f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"


def installers() -> dict[str, Sequence[str]]:
    """Every program here that the Makefile could install with: the start of its command line, by name."""
    found: dict[str, Sequence[str]] = {}
    if uv := shutil.which("uv"):
        found["uv"] = (uv, "pip", "install", "--quiet", "--offline")
    if pip := _pip():
        found["pip"] = (*pip, "install", "-q", "--disable-pip-version-check", "--no-input")
    return found


def _pip() -> Sequence[str]:
    if importlib.util.find_spec("pip"):
        return (sys.executable, "-m", "pip")
    bundled = sorted(Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl"))
    return (sys.executable, str(bundled[-1] / "pip")) if bundled else ()


def run(command: Sequence[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run to the end without input and without the settings that a person has for installers; keeps both outputs."""
    return subprocess.run(
        list(map(str, command)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "UV_PYTHON": sys.executable, **environment},
        check=False,
    )


def _record_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
