"""Finds what runs at every start of Python without being asked for: how a poisoned package steals credentials."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# Python runs each line of a .pth file that begins so, and breaks lines wherever str.splitlines does.
RUNS = ("import ", "import\t")
# Modules that Python imports at its start when they exist.
MODULES = re.compile(r"(sitecustomize|usercustomize)(\.py|\.pyc|\..*\.so)?")

# File name -> the only lines that it may run. Anything else, even one more word, is a finding.
KNOWN: Mapping[str, re.Pattern[str]] = {
    # setuptools, which venv puts into every environment of Python 3.11
    "distutils-precedence.pth": re.compile(
        r"import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os\.environ\.get\(var, 'local'\) == 'local'; "
        r"enabled and __import__\('_distutils_hack'\)(\.add_shim\(\))?;\s*"
    ),
    # coverage, which measures child processes when it is told to
    "a1_coverage.pth": re.compile(
        r"import sys; exec\('import os\\n\\nif os\.getenv\(\"COVERAGE_PROCESS_START\"\) or "
        r"os\.getenv\(\"COVERAGE_PROCESS_CONFIG\"\):\\n try:\\n  import coverage\\n except:\\n  pass\\n else:\\n  "
        r"coverage\.process_startup\(slug=\"pth\"\)'\)\s*"
    ),
    # virtualenv, and uv before it left this out
    "_virtualenv.pth": re.compile(r"import _virtualenv\s*"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """Something that runs at every start of Python."""

    file: str
    code: str


def hooks(site_packages: Path) -> Iterator[Hook]:
    """All of them but the known ones."""
    for file in sorted(site_packages.iterdir()):
        if file.suffix == ".pth":
            known = KNOWN.get(file.name)
            for code in file.read_text(encoding="utf-8-sig", errors="replace").splitlines():
                if code.startswith(RUNS) and not (known and known.fullmatch(code)):
                    yield Hook(file=file.name, code=code)
        elif file.suffix == ".start" or MODULES.fullmatch(file.name):
            yield Hook(file=file.name, code="the whole file")
