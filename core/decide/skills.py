"""What a prompt says of the skills that there are."""

from collections.abc import Sequence

from core.domain.skill import Skill

LONGEST_DESCRIPTION = 200
LONGEST_INDEX = 8_000

HOW = "Load one with load_skill_instructions before you do what it is for; the line says no more than when."


def skills_block(skills: Sequence[Skill]) -> str:
    """The index of all skills, then the bodies of those that always count; empty where there are none."""
    if not skills:
        return ""
    bodies = [
        f'<skill name="{skill.name}">\n{skill.body.strip()}\n</skill>'
        for skill in skills
        if skill.always and not skill.missing
    ]
    return "\n\n".join(["\n".join(["<skills_index>", HOW, *_lines(skills), "</skills_index>"]), *bodies])


def _lines(skills: Sequence[Skill]) -> Sequence[str]:
    """One for each as long as there is room, in the order of their names."""
    lines: list[str] = []
    room = LONGEST_INDEX
    for index, skill in enumerate(skills):
        line = _line(skill)
        room -= len(line) + 1
        if room < 0:
            return [*lines, f"[{len(skills) - index} more skills omitted]"]
        lines.append(line)
    return lines


def _line(skill: Skill) -> str:
    words = " ".join(skill.description.split())
    if len(words) > LONGEST_DESCRIPTION:
        words = words[: LONGEST_DESCRIPTION - 1].rstrip() + "…"
    return f"- **{skill.name}** — {words}" + (f" {skill.unavailable}" if skill.missing else "")
