"""Names: platforms are named at home only, and classes are named after what they are."""

import ast
import re
from collections.abc import Iterator, Sequence

from tests.checks.source import Finding, Module

PLATFORMS = ("slack", "telegram", "discord", "email")
PLATFORM = re.compile("|".join(PLATFORMS), re.IGNORECASE)
STANDARD_LIBRARY = re.compile(r"email(\.|$)")
REGISTRY = "channels/registry.py"

VAGUE_CLASS = re.compile(r"(Manager|Handler|Helper|Helpers|Util|Utils|Data)$")
VAGUE_FILE = re.compile(r"(^|/)_?(utils?|helpers?|misc|common|managers?|handlers?)(\.py|/)")


def misnamed(modules: Sequence[Module]) -> Iterator[Finding]:
    """Platforms named outside their channel, and names that say nothing."""
    for module in modules:
        if module.in_packages and module.path != REGISTRY:
            yield from platforms(module)
        yield from vague(module)


def platforms(module: Module) -> Iterator[Finding]:
    """Identifiers and strings that name a platform outside its own folder; a docstring may, as the source of a fact."""
    if not PLATFORM.search(module.text):
        return
    home = re.match(r"channels/(\w+)/", module.path)
    docstrings = _docstrings(module)
    for node in module.nodes():
        if id(node) in docstrings:
            continue
        for line, text in _texts(node):
            foreign = {name.lower() for name in PLATFORM.findall(text)} - ({home[1]} if home else set())
            for name in sorted(foreign):
                say = f"{name} is named outside channels/{name}/: make it a field of the channel's spec or limits"
                yield Finding(rule="platform names", path=module.path, line=line, say=say)


def vague(module: Module) -> Iterator[Finding]:
    """Class and file names that say nothing about what is inside."""
    if module.in_packages and VAGUE_FILE.search(module.path):
        yield Finding(rule="vague names", path=module.path, line=1, say="name the file after what is in it")
    for node in module.nodes():
        if isinstance(node, ast.ClassDef) and VAGUE_CLASS.search(node.name):
            say = f"{node.name}: name the class after what it is, in the vocabulary of core/domain"
            yield Finding(rule="vague names", path=module.path, line=node.lineno, say=say)


def _docstrings(module: Module) -> set[int]:
    """Every string that is a statement of its own."""
    return {id(node.value) for node in module.nodes() if isinstance(node, ast.Expr) and _is_text(node.value)}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and the words of a string or of whatever gives or uses a name."""
    match node:
        case ast.Constant(value=str() as text):
            yield node.lineno, text
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str() as name):
            yield node.lineno, name
        case ast.ImportFrom(module=str() as name) | ast.alias(name=name) if not STANDARD_LIBRARY.match(name):
            yield node.lineno, name
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield node.lineno, name
