"""A model for many chats at once."""

from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.models.scripted import ScriptedModel, says


def echo() -> ScriptedModel:
    """Says what was said, behind `re: `."""
    return ScriptedModel(_again, repeat_last=True)


def _again(prompt: Prompt) -> ModelAnswered:
    return says(f"re: {prompt.messages[-1].content}")
