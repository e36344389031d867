"""Whatever a person reads that no person, model or tool wrote is one of the texts, and each text is said somewhere."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain.texts import TEXTS

ROOT = Path(__file__).parents[2]
SPEAKING = ("core", "gateway")
ALL = (*SPEAKING, "channels")
# Its words are those of a script, for tests.
SCRIPT = "core/models/scripted.py"
# Three words in a row, or two that end like a sentence: the labels of a list are none.
SENTENCE = re.compile(r"[^\W\d_]+,? [^\W\d_]+,? [^\W\d_]+|[^\W\d_]+ [^\W\d_]+\.")


def modules(*packages: str) -> list[Path]:
    """Every module of the product but the one that holds the texts."""
    found = [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]
    return [path for path in found if path.name != "texts.py" and str(path.relative_to(ROOT)) != SCRIPT]


def spoken(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that become what a person reads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in ("says", "notice"):
                yield from node.args
            words = ("text",) if name == "Text" else ("notice", "card")
            yield from (one.value for one in node.keywords if one.arg in words)


def literals(spoken_one: ast.expr, scope: ast.AST) -> Iterator[str]:
    """The literal words of an expression, those of the names in it that were assigned in the same function included."""
    parts = list(_outside_of_say(spoken_one))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and any(ast.unparse(one) in names for one in node.targets):
            parts += _outside_of_say(node.value)
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _outside_of_say(node: ast.AST) -> Iterator[ast.AST]:
    """All of an expression but what is handed to `say`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "say":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_of_say(child)


def sentences(source: str) -> list[str]:
    """Literal sentences that a module says to people."""
    tree = ast.parse(source)
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = [(one, scope) for scope in scopes for one in spoken(scope)]
    return [words for one, scope in found for words in literals(one, scope) if SENTENCE.search(words)]


def named() -> set[str]:
    """Every text that the product names: in a `say`, or, when it has more than one word, anywhere."""
    anywhere: set[str] = set()
    said: set[str] = set()
    for path in modules(*ALL):
        tree = ast.parse(path.read_text())
        anywhere.update(word for word in _strings(tree) if "_" in word)
        said.update(*(_strings(call) for call in _says(tree)))
    families = tuple(word for word in said if word.endswith("_"))
    return anywhere | said | set(filter(lambda name: name.startswith(families), TEXTS))


def _says(tree: ast.AST) -> Iterator[ast.AST]:
    """What is handed to a `say` by its place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".say"):
            yield from node.args


def _strings(node: ast.AST) -> set[str]:
    constants = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return {value for value in constants if isinstance(value, str)}


def test_no_sentence_reaches_a_chat_that_is_not_one_of_the_texts() -> None:
    said = {str(path.relative_to(ROOT)): sentences(path.read_text()) for path in modules(*SPEAKING)}
    assert {path: words for path, words in said.items() if words} == {}


@pytest.mark.parametrize(
    "source",
    [
        'def f():\n    return says("I am very sorry.")',
        'def f():\n    text = f"{n} things were lost"\n    return says(text)',
        'def f():\n    return Drop(reason="full", notice="Come again later")',
        'async def f(self):\n    await self.notice("Not now.")',
        'def f():\n    return Reply(fragments=(Text(text="Nothing to see here"),))',
    ],
)
def test_a_sentence_of_the_product_itself_is_found(source: str) -> None:
    assert len(sentences(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        'def f():\n    return says(texts.say("the name of it"))',
        'def f():\n    return says(f"Running: {running}\\nWaiting: {waiting}")',
        "def f():\n    return says(answer)",
    ],
)
def test_texts_labels_and_what_others_wrote_are_none(source: str) -> None:
    assert sentences(source) == []


def test_every_text_is_said_somewhere() -> None:
    assert set(TEXTS) - named() == set()
