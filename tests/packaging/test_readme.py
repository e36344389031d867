"""What the documentation promises is there."""

import re

import pytest

from tests.checks.texts import files
from tests.packaging.lockfile import ROOT

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
DOCUMENTS = [path for path in files(ROOT) if path.endswith("README.md") or path == "CHANGELOG.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_within_the_repository_leads_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    targets = [target for target in LINK.findall(text) if "://" not in target]
    assert [target for target in targets if not (ROOT / document).parent.joinpath(target).exists()] == []


def test_every_make_target_that_the_readme_names_is_there() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b", (ROOT / "README.md").read_text(encoding="utf-8")))
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"chat", "test"} <= named <= targets
