"""`make crash`: the whole matrix. `python -m tests.crash.matrix replay FOLDER` plays one episode again."""

import argparse
import asyncio
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.crash.matrix.episode import Episode, perform
from tests.crash.matrix.matrix import Line, Matrix, Scouts, cells, episode_of, opened
from tests.crash.matrix.table import is_good, last_line, remarks, table
from tests.fakes.platform import Profile

# A turn is begun five times at most.
LIVES = 4
FAILED = Path(".crash")


def main() -> int:
    """0 when nothing was lost, repeated, reordered or done twice."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash.matrix", description=__doc__)
    parser.add_argument("--kills", type=int, default=25, help="at each point on each kind of platform")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="points whose name holds these words")
    parser.add_argument("--profile", choices=[profile.name for profile in Profile], action="append")
    verbs = parser.add_subparsers(dest="verb")
    replay = verbs.add_parser("replay", help="play an episode again until it fails")
    replay.add_argument("folder", type=Path)
    replay.add_argument("--times", type=int, default=20)
    given = parser.parse_args()
    if given.verb == "replay":
        return asyncio.run(_replay(given.folder, given.times))
    profiles = [Profile[name] for name in given.profile or Profile.__members__]
    return asyncio.run(_run(given.kills, given.seed, given.only, profiles))


async def _run(kills: int, seed: int, only: str, profiles: list[Profile]) -> int:
    began = time.monotonic()
    with opened() as ground:
        matrix = Matrix(Scouts(ground), seed=seed, kills=kills, lives=LIVES, failed=FAILED)
        wanted = [cell for cell in cells(profiles) if only in str(cell.point)]
        lines = await matrix.run(wanted, _progress(len(wanted)))
    _print(table(lines), "", *remarks(lines), f"{time.monotonic() - began:.0f} s")
    for folder in sorted(FAILED.glob("*/episode.json")):
        _print(f"python -m tests.crash.matrix replay {shlex.quote(str(folder.parent))}")
    _print(last_line(lines))
    return 0 if is_good(lines) else 1


def _progress(of: int) -> Callable[[Line], None]:
    done: list[Line] = []

    def tell(line: Line) -> None:
        done.append(line)
        wrong = [one for outcome in line.outcomes for one in outcome.findings.wrong]
        for one in wrong:
            _print(f"{line.cell.point} ({line.cell.profile.name}): {one}")
        if len(done) % 20 == 0:
            _print(f"{len(done)} of {of} ...")

    return tell


async def _replay(folder: Path, times: int) -> int:
    text = (folder / "episode.json").read_text()
    with opened() as ground:
        for number in range(times):
            episode: Episode = episode_of(text, f"replay-{number}")
            outcome = await perform(ground, episode)
            if outcome.findings.wrong:
                _print(f"time {number + 1}, died {len(outcome.kills)} times:", *outcome.findings.wrong)
                return 1
    _print(f"nothing wrong in {times} times")
    return 0


def _print(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
