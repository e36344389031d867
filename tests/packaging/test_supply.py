"""Nothing comes in that was not locked, and nothing that came in runs before it is called."""

import site
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.packaging.startup import hooks
from tests.packaging.wheels import installers, make_wheel, run, sha256

WRONG = "sha256:" + "0" * 64


@pytest.fixture(params=["uv", "pip"])
def installer(request: pytest.FixtureRequest) -> Sequence[str]:
    """Each program that the Makefile can install with."""
    found = installers()
    if request.param not in found:
        pytest.skip(f"{request.param} is not here, so the Makefile cannot use it either")
    return found[request.param]


def locked_install(installer: Sequence[str], folder: Path, digest: str) -> tuple[int, str]:
    """Install the wheel that lies in the folder by this hash."""
    lock = folder / "requirements.lock"
    lock.write_text(f"harmless==1.0 --hash={digest}\n", encoding="utf-8")
    target = ("--target", folder / "installed", "--no-index", "--find-links", folder)
    done = run([*installer, *target, "--require-hashes", "-r", lock], HOME=str(folder))
    return done.returncode, done.stdout + done.stderr


def test_a_file_with_another_hash_than_the_lock_says_is_refused(installer: Sequence[str], tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, "harmless", "1.0", {"harmless.py": "x = 1\n"})
    code, said = locked_install(installer, tmp_path, WRONG)
    assert code != 0
    assert "hash" in said.lower()
    assert not (tmp_path / "installed" / "harmless.py").exists()

    code, said = locked_install(installer, tmp_path, sha256(wheel))
    assert (code, said) == (0, "")
    assert (tmp_path / "installed" / "harmless.py").exists()


def test_a_requirement_without_a_hash_is_refused(installer: Sequence[str], tmp_path: Path) -> None:
    make_wheel(tmp_path, "harmless", "1.0", {"harmless.py": "x = 1\n"})
    lock = tmp_path / "requirements.lock"
    lock.write_text("harmless==1.0\n", encoding="utf-8")
    target = ("--target", tmp_path / "installed", "--no-index", "--find-links", tmp_path)
    assert run([*installer, *target, "--require-hashes", "-r", lock], HOME=str(tmp_path)).returncode != 0


def test_nothing_in_this_environment_runs_at_every_start_of_python() -> None:
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    assert [hook for folder in folders if Path(folder).is_dir() for hook in hooks(Path(folder))] == []


def test_a_wheel_that_brings_a_start_up_hook_is_found(installer: Sequence[str], tmp_path: Path) -> None:
    thief = "import os; os.environ.get('HOME')\n"
    wheel = make_wheel(tmp_path, "harmless", "1.0", {"harmless.py": "x = 1\n", "harmless_init.pth": thief})
    assert run([*installer, "--target", tmp_path / "installed", "--no-deps", wheel], HOME=str(tmp_path)).returncode == 0
    (hook,) = hooks(tmp_path / "installed")
    assert (hook.file, hook.code) == ("harmless_init.pth", thief.strip())


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("distutils-precedence.pth", "import os; steal()\n"),
        ("distutils-precedence.pth", "import\tos\n"),
        ("plain.pth", "\ufeffimport os\n"),
        ("plain.pth", "folder\x0cimport os\n"),
        ("_virtualenv.pth", "import _virtualenv; steal()\n"),
        ("new.start", "steal:run\n"),
        ("sitecustomize.py", "steal()\n"),
    ],
)
def test_a_known_name_hides_no_other_code(file: str, text: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert [hook.file for hook in hooks(tmp_path)] == [file]


def test_a_folder_on_the_path_is_no_hook(tmp_path: Path) -> None:
    (tmp_path / "_parley_gateway.pth").write_text("/somewhere/importlib\n# import nothing\n", encoding="utf-8")
    (tmp_path / "_virtualenv.pth").write_text("import _virtualenv", encoding="utf-8")
    assert list(hooks(tmp_path)) == []
