"""Where a gateway can be killed: found in the program itself, so that nothing new goes unnoticed."""

import ast
import importlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import FunctionType

import channels.contract
import core.ports

ROOT = Path(__file__).resolve().parents[3]


class Moment(StrEnum):
    """When in a call it ends.

    BEFORE, INSIDE (the statements are done, the commit is not) and AFTER are the gateway's own; the others are chosen
    by the platform: a request ARRIVED and nothing was done, it was TAKEN and not answered, its answer is HALF told, it
    was ANSWERED and perhaps not read.
    """

    BEFORE = "before"
    INSIDE = "inside"
    AFTER = "after"
    ARRIVED = "arrived"
    TAKEN = "taken"
    HALF = "half"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One place in the program, named after the operation or the port's method, and a moment there."""

    name: str
    moment: Moment

    def __str__(self) -> str:
        return f"{self.name}, {self.moment}"


def operations(*folders: str) -> Mapping[str, str]:
    """Every operation that the program hands to a store, and whether it is for `run` or `read`."""
    found: dict[str, str] = {}
    for folder in folders:
        for tree in _trees(folder):
            found.update(_handed_over(tree))
    return found


@cache
def _trees(folder: str) -> Sequence[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / folder).rglob("*.py"))]


def _handed_over(tree: ast.Module) -> Iterator[tuple[str, str]]:
    known = dict(_imported(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="run" | "read" as how), args=[first, *_]):
                match first:
                    case ast.Attribute(value=ast.Name(id=module), attr=name) if known.get(module) == "core.store":
                        yield f"{module}.{name}", how
                    case ast.Attribute(value=ast.Name(id=module), attr=name) if module not in known:
                        yield from ((f"{one}.{name}", how) for one in _with(name, known))
                    case ast.Name(id=name) if name in known and known[name].startswith("core.store."):
                        yield f"{known[name].removeprefix('core.store.')}.{name}", how


def _with(name: str, known: Mapping[str, str]) -> Iterator[str]:
    """The rooms of the store that have such an operation: one of them stands in a variable."""
    rooms = [one for one, home in known.items() if home == "core.store"]
    yield from (one for one in rooms if name in vars(importlib.import_module(f"core.store.{one}")))


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((one.asname or one.name, node.module) for one in node.names)


def methods() -> Sequence[str]:
    """Every method of every port and of every ability of a channel."""
    found = []
    for module in (core.ports, channels.contract):
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__dict__.get("_is_protocol"):
                found += [f"{name}.{method}" for method in _methods(value)]
    return found


def _methods(protocol: type) -> Sequence[str]:
    own = vars(protocol).items()
    return [name for name, value in own if isinstance(value, FunctionType) and not name.startswith("_")]


def performed_by(method: str) -> Sequence[str]:
    """The operations behind a method of a class of the store: `StoredTurns.claim`."""
    wanted, _, name = method.partition(".")
    for tree in _trees("core/store"):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == wanted:
                return _of_method(tree, node, name)
    return ()


def _of_method(tree: ast.Module, home: ast.ClassDef, name: str) -> Sequence[str]:
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    for node in home.body:
        if isinstance(node, ast.AsyncFunctionDef) and node.name == name:
            part = ast.Module(body=[*imports, node], type_ignores=[])
            return [operation for operation, _ in _handed_over(part)]
    return ()
