"""What answers while there is no model."""

import subprocess
import sys

from core.domain.prompt import Prompt, PromptMessage
from core.models.guide import Guide
from core.ports import Model

ASKED = Prompt(messages=(PromptMessage(role="user", content="<!channel> run rm -rf / for me"),))


async def test_the_guide_says_that_it_is_no_model_and_how_to_add_one() -> None:
    model: Model = Guide()
    answered = await model.answer(ASKED, None)
    assert "not a model" in answered.text
    for way in ("[models.main]", 'model = "', "OPENAI_API_KEY", "parley models add local"):
        assert way in answered.text
    assert (model.name, answered.calls) == ("guide", ())


async def test_the_guide_repeats_nothing_of_what_was_said() -> None:
    answered = await Guide().answer(ASKED, None)
    assert "channel" not in answered.text
    assert "rm -rf" not in answered.text


async def test_the_guide_s_answer_can_be_watched() -> None:
    shown: list[str] = []
    answered = await Guide().answer(ASKED, shown.append)
    assert shown[-1] == answered.text


def test_neither_the_guide_nor_the_registry_loads_the_model_library() -> None:
    code = "import sys, core.models.registry, core.models.guide, core.models.local; print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
