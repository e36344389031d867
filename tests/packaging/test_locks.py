"""The locks: every dependency at one version, every file by its hash, nothing poisoned, nothing of one machine."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.packaging.lockfile import LOCKS, ROOT, locked, pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

POISONED = frozenset({Version("1.82.7"), Version("1.82.8")})


def declared(lock: str) -> list[Requirement]:
    """What pyproject.toml asks for of all that belongs into this lock."""
    groups = PROJECT["dependency-groups"]
    texts = [*PROJECT["project"]["dependencies"], *groups["build"], *groups["fetch"]]
    if lock == "requirements-dev.lock":
        texts += [*groups["dev"], *PROJECT["project"]["optional-dependencies"]["postgres"]]
    return [Requirement(text) for text in texts]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_dependency_is_pinned_to_one_version_with_its_hashes(lock: str) -> None:
    for pin in locked(lock).values():
        assert pin.version, f"{pin.requirement} is not pinned with =="
        assert pin.hashes, f"{pin.requirement} has no hash"
        assert all(len(one) == len("sha256:") + 64 and one.startswith("sha256:") for one in pin.hashes)


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_is_as_new_as_what_pyproject_asks_for(lock: str) -> None:
    found = locked(lock)
    for requirement in declared(lock):
        pin = found[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(pin.version or ""), f"run `make lock`: {requirement} is not {pin.version}"


def test_what_runs_is_what_was_tested() -> None:
    tested = locked("requirements-dev.lock")
    for name, pin in locked("requirements.lock").items():
        assert (tested[name].version, tested[name].hashes) == (pin.version, pin.hashes), f"run `make lock`: {name}"


def test_no_lock_holds_a_poisoned_release_and_none_can_come_in() -> None:
    floor = next(one for one in declared("requirements.lock") if one.name == "litellm").specifier
    assert not any(floor.contains(version) for version in POISONED)
    for lock in LOCKS:
        assert Version(locked(lock)["litellm"].version or "0") > max(POISONED)


def test_the_checkout_is_built_with_what_the_lock_pins() -> None:
    assert PROJECT["build-system"]["requires"] == PROJECT["dependency-groups"]["build"]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_and_no_folder(lock: str) -> None:
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        assert "://" not in line
        assert "index-url" not in line
        assert "find-links" not in line


@pytest.mark.parametrize("line", ["litellm>=1.110", "litellm==1.*", "litellm"])
def test_a_dependency_that_may_change_by_itself_is_no_pin(line: str) -> None:
    (pin,) = pins(line)
    assert pin.version is None


def test_a_pin_keeps_its_hashes_and_its_conditions() -> None:
    text = "# made by hand\nsix==1.17.0 ; sys_platform == 'linux' \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
    (pin,) = pins(text)
    assert (pin.name, pin.version, pin.hashes) == ("six", "1.17.0", ("sha256:aa", "sha256:bb"))
    assert "linux" in str(pin.requirement.marker)
