"""Where the agents and skills that ship lie: in the installed package, or in the checkout beside it."""

from pathlib import Path
from typing import Final

from gateway.home import Home

PACKAGE: Final = Path(__file__).resolve().parent
BUNDLED: Final = PACKAGE / "bundled"


def agents_folder() -> Path:
    """The folder of the agents that ship."""
    return shipped("agents", bundled=BUNDLED, checkout=PACKAGE.parent)


def agent_folders(home: Home) -> tuple[Path, Path]:
    """Where agents are looked for: a person's own folder wins over those that ship."""
    return (home.workspace / "agents", agents_folder())


def skills_folder() -> Path:
    """The folder of the skills that ship."""
    return shipped("skills", bundled=BUNDLED, checkout=PACKAGE.parent)


def skill_folders(home: Home) -> tuple[Path, Path]:
    """Where skills are looked for: a person's own folder wins over those that ship."""
    return (home.workspace / "skills", skills_folder())


def shipped(name: str, *, bundled: Path, checkout: Path) -> Path:
    """The bundled folder if there is one, else the checkout's; a wheel has the first, everything else the second."""
    inside = bundled / name
    return inside if inside.is_dir() else checkout / name
