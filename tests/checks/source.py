"""The project's Python files, parsed once for all checks."""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("gateway", "channels", "core")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One place that breaks a rule, and what to do there."""

    rule: str
    path: str
    line: int
    say: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.say}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The nodes of one function, or of the module itself, without those of the functions defined inside it."""

    scope: str
    function: Function | None
    nodes: tuple[ast.AST, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One parsed file; `path` is relative to the checkout and uses slashes."""

    path: str
    text: str
    tree: ast.Module
    bodies: tuple[Body, ...]

    @property
    def in_packages(self) -> bool:
        """Whether the file is part of the product."""
        return self.path.split("/")[0] in PACKAGES

    def nodes(self) -> Iterator[ast.AST]:
        """Every node of the file, in no promised order."""
        for body in self.bodies:
            yield from body.nodes

    def comments(self) -> Iterator[tuple[int, str]]:
        """Line and text of each comment. Slow: ask only when a search of the text found something to look at."""
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def parse(path: str, text: str) -> Module:
    """Raises SyntaxError."""
    tree = ast.parse(text, filename=path)
    return Module(path=path, text=text, tree=tree, bodies=tuple(_bodies(tree)))


def modules(root: Path) -> list[Module]:
    """All Python files of the packages and of the tests, by path."""
    files = sorted(file for folder in (*PACKAGES, "tests") for file in (root / folder).rglob("*.py"))
    return [parse(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")) for file in files]


def _bodies(tree: ast.Module) -> Iterator[Body]:
    pending: list[tuple[ast.Module | Function, str]] = [(tree, "")]
    while pending:
        owner, scope = pending.pop()
        own: list[ast.AST] = []
        stack = [(child, scope) for child in ast.iter_child_nodes(owner)]
        while stack:
            node, inside = stack.pop()
            own.append(node)
            if isinstance(node, Function):
                pending.append((node, _join(inside, node.name)))
                continue
            if isinstance(node, ast.ClassDef):
                inside = _join(inside, node.name)
            stack.extend((child, inside) for child in ast.iter_child_nodes(node))
        yield Body(scope=scope, function=None if isinstance(owner, ast.Module) else owner, nodes=tuple(own))


def _join(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name
