"""What was measured, and against which goal."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured value; `goal` in words, `good` when it was met."""

    name: str
    value: float
    unit: str
    goal: str = ""
    good: bool = True


class Figures:
    """All figures of a run."""

    def __init__(self) -> None:
        self._all: dict[str, Figure] = {}

    def add(self, name: str, value: float, unit: str, *, least: float | None = None, most: float | None = None) -> None:
        """Remember a value, with the bounds that it should keep."""
        goal = f">= {least:g}" if least is not None else f"<= {most:g}" if most is not None else ""
        good = (least is None or value >= least) and (most is None or value <= most)
        self._all[name] = Figure(name=name, value=value, unit=unit, goal=goal, good=good)

    def value(self, name: str) -> float | None:
        """A value measured earlier in this run."""
        figure = self._all.get(name)
        return figure.value if figure else None

    def all_good(self) -> bool:
        """Whether every goal was met."""
        return all(figure.good for figure in self._all.values())

    def text(self) -> str:
        """A table for people, then one line a figure for programs."""
        rows = [_row(figure) for figure in self._all.values()]
        lines = [f"bench: {figure.name}={figure.value:.4g} {figure.unit}" for figure in self._all.values()]
        return "\n".join([*rows, "", *lines, ""])


def _row(figure: Figure) -> str:
    verdict = "" if figure.good else "MISSED"
    return f"{figure.name:<28} {figure.value:>12.3f} {figure.unit:<12} {figure.goal:<14} {verdict}"
