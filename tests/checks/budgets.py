"""Counts what the usual tools do not, prints the figures, and fails on what is over its budget.

Run it alone with `python -m tests.checks.budgets`.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from tests.checks import habits, names, sizes, texts
from tests.checks.source import Finding, Module, modules

ROOT = Path(__file__).resolve().parents[2]


def findings(found: Sequence[Module], measures: Sequence[sizes.Measure], root: Path) -> list[Finding]:
    """Everything over its budget, in the order of the files."""
    every = chain(
        sizes.too_large(measures),
        habits.unwanted(found),
        names.misnamed(found),
        chain.from_iterable(map(texts.tracker_numbers, found)),
        texts.leaks(root),
    )
    return sorted(every, key=lambda one: (one.path, one.line, one.rule))


def figures(measures: Sequence[sizes.Measure], over: Sequence[Finding]) -> Iterator[str]:
    """The table: the largest of each kind beside its limit, then how often each habit was found."""
    for kind, limit in sizes.LIMITS.items():
        largest = max((one for one in measures if one.kind == kind), key=lambda one: one.value, default=None)
        if largest:
            yield f"  {kind:<28}{largest.value:>5}  of {limit:<4} {largest.path}:{largest.line} {largest.what[:40]}"
    count = Counter(one.rule for one in over)
    rules = (
        *habits.PRODUCT,
        *habits.TESTS,
        *habits.EVERYWHERE,
        "platform names",
        "vague names",
        "tracker numbers",
        "leaks",
    )
    listed = {"broad excepts": len(habits.SUPERVISORS), "late imports": len(habits.LATE_IMPORTS)}
    for rule in rules:
        aside = f"       {listed[rule]} listed places aside" if rule in listed else ""
        yield f"  {rule:<28}{count[rule]:>5}{aside}"


def lines(found: Sequence[Module]) -> str:
    """How much there is."""
    product = sum(module.text.count("\n") for module in found if module.in_packages)
    tests = sum(module.text.count("\n") for module in found if not module.in_packages)
    return f"  {product} lines of code, {tests} of tests ({tests / max(product, 1):.2f} a line)"


def main() -> int:
    """Print the figures to standard output; 1 when something is over its budget."""
    found = modules(ROOT)
    measures = list(sizes.measure(found))
    over = findings(found, measures, ROOT)
    report = [lines(found), *figures(measures, over)]
    if over:
        report += ["", f"{len(over)} over budget:", *map(str, over)]
    sys.stdout.write("\n".join([*report, ""]))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
