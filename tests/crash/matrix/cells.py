"""What is to be done at each point on each kind of platform, with chance that is the same every time."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.crash.matrix.episode import Episode
from tests.crash.matrix.people import DIALOGUES, Dialogue, faults
from tests.crash.matrix.points import Point
from tests.crash.matrix.rows import LEFT_BY
from tests.crash.matrix.wire import Death
from tests.fakes.platform import Profile

TOGETHER = 2

Ways = Mapping[Dialogue, Counter[Point]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One point on one kind of platform."""

    point: Point
    profile: Profile

    def episodes(self, seed: int, ways: Ways, lives: int) -> Iterator[Episode]:
        """Without end: each with a few dialogues, one of which comes by the point."""
        number = 0
        while True:
            name = f"{self.point.name}-{self.point.moment}-{self.profile.name}-{number}".replace(" ", "_")
            chance = random.Random(f"{seed} {name}")
            talk = self._talk(chance, ways)
            deaths = self._deaths(chance, _sum(ways, talk), lives)
            yield Episode(name=name, profile=self.profile, deaths=deaths, dialogues=talk)
            number += 1

    def _talk(self, chance: random.Random, ways: Ways) -> Sequence[Dialogue]:
        """One that comes by; the others are whatever chance gives."""
        passing = [dialogue for dialogue in DIALOGUES if ways[dialogue][self.point]] or [faults]
        chosen = chance.choice(passing)
        others = chance.sample([one for one in DIALOGUES if one is not chosen], TOGETHER - 1)
        return [one for one in DIALOGUES if one is chosen or one in others]

    def _deaths(self, chance: random.Random, reached: Counter[Point], lives: int) -> Sequence[Death]:
        left_by = LEFT_BY.get((self.point.name, "")) or LEFT_BY.get((self.point.name, self.profile.name))
        if left_by:
            before = chance.choice([point for point in left_by if reached[point]] or left_by)
            return [_death(chance, before, reached, lives)] + [_death(chance, self.point, Counter(), 1)] * max(
                1, lives - 1
            )
        return [_death(chance, self.point, reached, lives) for _ in range(lives)]


def _death(chance: random.Random, point: Point, reached: Counter[Point], lives: int) -> Death:
    """Early enough for all of them to happen, as far as that can be known."""
    return Death(name=point.name, moment=point.moment, nth=chance.randint(1, max(1, reached[point] // lives)))


def _sum(ways: Ways, talk: Sequence[Dialogue]) -> Counter[Point]:
    reached: Counter[Point] = Counter()
    for dialogue in talk:
        reached += ways[dialogue]
    return reached
