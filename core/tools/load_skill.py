"""load_skill_instructions: the whole text of a skill, when it is needed."""

from pydantic import Field

from core.domain.tool import Effect, ToolResult
from core.ports import Skills, Tool, ToolContext
from core.tools.define import Arguments, define


class LoadSkillArguments(Arguments):
    """One."""

    name: str = Field(min_length=1, max_length=64, description="as it stands in the skills index")


def load_skill(skills: Skills) -> Tool:
    """The tool on these skills."""

    async def perform(arguments: LoadSkillArguments, context: ToolContext) -> ToolResult:
        skill = skills.load(arguments.name)
        return ToolResult(text=f'<skill name="{skill.name}">\n{skill.body}\n</skill>')

    return define(
        name="load_skill_instructions",
        description="The instructions of a skill of the skills index. Follow them for the task at hand.",
        accepts=LoadSkillArguments,
        effect=Effect.READS,
        replayable=True,
        perform=perform,
    )
