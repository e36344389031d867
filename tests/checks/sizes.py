"""How large things are, and how large they may be."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tests.checks.source import Body, Finding, Function, Module

LIMITS: Mapping[str, int] = {
    "lines in a file": 400,
    "lines in a function": 50,
    "complexity of a function": 10,
    "nesting in a function": 4,
    "methods of a class": 12,
    "attributes of a class": 8,
    "arguments of a constructor": 7,
    "fields of a value": 15,
    "modules that one imports": 10,
    "modules that import one": 12,
}

# What a test shares with the product: the rest is about classes and modules that somebody builds on.
TESTS_TOO = frozenset({"lines in a file", "lines in a function", "complexity of a function", "nesting in a function"})

# The composition root sees everything; values, ports and the contract are there to be seen by everybody.
MAY_IMPORT_ALL = frozenset({"gateway/wiring.py"})
MAY_BE_IMPORTED_BY_ALL = ("core/domain/", "core/ports/", "channels/contract.py")

# Classes whose fields are a row, a document or a list of names and not the state of an object.
RECORDS = frozenset({"BaseModel", "BaseSettings", "NamedTuple", "TypedDict"})
LISTS = frozenset({"Enum", "StrEnum", "IntEnum", "Flag", "IntFlag", "TypedColumns"})

NESTS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One thing measured; `kind` is a key of LIMITS."""

    kind: str
    value: int
    path: str
    line: int
    what: str


def measure(modules: Sequence[Module]) -> Iterator[Measure]:
    """Everything that has a limit, in the packages and, where it counts there, in the tests."""
    ancestors = _ancestors(modules)
    for module in modules:
        found = chain(_file(module), _functions(module), _classes(module, ancestors))
        yield from (one for one in found if module.in_packages or one.kind in TESTS_TOO)
    yield from _imports([module for module in modules if module.in_packages])


def too_large(measures: Sequence[Measure]) -> Iterator[Finding]:
    """What is over its limit."""
    for one in measures:
        limit = LIMITS[one.kind]
        if one.value > limit:
            say = f"{one.what}: {one.value} {one.kind}, at most {limit}; split it"
            yield Finding(rule=one.kind, path=one.path, line=one.line, say=say)


def _file(module: Module) -> Iterator[Measure]:
    lines = module.text.count("\n")
    yield Measure(kind="lines in a file", value=lines, path=module.path, line=1, what="the file")


def _functions(module: Module) -> Iterator[Measure]:
    for body in module.bodies:
        node = body.function
        if node is None:
            continue
        figures = {
            "lines in a function": (node.end_lineno or node.lineno) - node.lineno + 1,
            "complexity of a function": complexity(body),
            "nesting in a function": nesting(node.body),
        }
        for kind, value in figures.items():
            yield Measure(kind=kind, value=value, path=module.path, line=node.lineno, what=body.scope)


def complexity(body: Body) -> int:
    """One, and one more for each way to branch off: also in expressions, and for each case but the last catch-all."""
    return 1 + sum(_branches(node) for node in body.nodes)


def _branches(node: ast.AST) -> int:
    match node:
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.comprehension(ifs=ifs):
            return 1 + len(ifs)
        case ast.match_case(pattern=ast.MatchAs(pattern=None), guard=None):
            return 0
        case ast.match_case():
            return 1
    return int(isinstance(node, BRANCHES))


def nesting(statements: Sequence[ast.stmt]) -> int:
    """How deep blocks lie in each other; `elif` is no deeper than its `if`, and an inner function starts anew."""
    return max((_depth(statement) for statement in statements), default=0)


def _depth(statement: ast.stmt) -> int:
    if isinstance(statement, ast.ClassDef):
        return nesting(statement.body)
    if not isinstance(statement, NESTS):
        return 0
    if isinstance(statement, ast.If) and len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        return max(1 + nesting(statement.body), _depth(statement.orelse[0]))
    return 1 + max(nesting(block) for block in _blocks(statement))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    match statement:
        case ast.Match(cases=cases):
            yield from (case.body for case in cases)
        case ast.Try() | ast.TryStar():
            yield from (statement.body, statement.orelse, statement.finalbody)
            yield from (handler.body for handler in statement.handlers)
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
            yield from (statement.body, statement.orelse)
        case ast.With() | ast.AsyncWith():
            yield statement.body


def _classes(module: Module, ancestors: Mapping[str, frozenset[str]]) -> Iterator[Measure]:
    for node in module.nodes():
        if isinstance(node, ast.ClassDef):
            for kind, value in _class(node, ancestors[node.name]):
                yield Measure(kind=kind, value=value, path=module.path, line=node.lineno, what=node.name)


def _ancestors(modules: Sequence[Module]) -> Mapping[str, frozenset[str]]:
    """Class name -> the names of all that it derives from, as far as the project's own files tell."""
    bases: dict[str, set[str]] = defaultdict(set)
    for node in chain.from_iterable(module.nodes() for module in modules):
        if isinstance(node, ast.ClassDef):
            bases[node.name] |= {_name(base) for base in node.bases}
    return {name: frozenset(_closure(name, bases)) for name in tuple(bases)}


def _closure(name: str, bases: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    pending = [name]
    while pending:
        new = bases.get(pending.pop(), set()) - found
        found |= new
        pending.extend(new)
    return found


def _class(node: ast.ClassDef, ancestors: frozenset[str]) -> Iterator[tuple[str, int]]:
    methods = [part for part in node.body if isinstance(part, Function)]
    fields = {_name(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
    if "Protocol" not in map(_name, node.bases):
        yield "methods of a class", len(methods)
    if ancestors & RECORDS or is_value(node):
        yield "fields of a value", len(fields)
    elif not ancestors & LISTS:
        yield "attributes of a class", len(fields.union(_own_attributes(methods)))
        yield "arguments of a constructor", max(map(_arguments, methods), default=0)


def _arguments(method: Function) -> int:
    """How many a constructor wants, itself aside; 0 for any other method."""
    if method.name != "__init__":
        return 0
    return len(method.args.posonlyargs) + len(method.args.args) + len(method.args.kwonlyargs) - 1


def is_value(node: ast.ClassDef) -> bool:
    """A frozen dataclass."""
    return any(
        isinstance(decorator, ast.Call)
        and _name(decorator.func) == "dataclass"
        and any(keyword.arg == "frozen" for keyword in decorator.keywords)
        for decorator in node.decorator_list
    )


def _own_attributes(methods: Sequence[Function]) -> Iterator[str]:
    for node in chain.from_iterable(ast.walk(method) for method in methods):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=attribute, ctx=ast.Store()):
                yield attribute


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value) | ast.Call(func=value):
            return _name(value)
    return ""


def _imports(modules: Sequence[Module]) -> Iterator[Measure]:
    known = {_dotted(module.path): module for module in modules}
    importers: dict[str, set[str]] = defaultdict(set)
    for name, module in known.items():
        imported = set(_imported(module, known)) - {name}
        for other in imported:
            importers[other].add(name)
        if module.path not in MAY_IMPORT_ALL:
            yield _at(module, "modules that one imports", imported)
    for name, by in importers.items():
        if not known[name].path.startswith(MAY_BE_IMPORTED_BY_ALL):
            # What a room's own files share, as the store's share its tables, is what makes them one room.
            yield _at(known[name], "modules that import one", {other for other in by if _room(other) != _room(name)})


def _room(name: str) -> str:
    return name.rpartition(".")[0]


def _at(module: Module, kind: str, others: set[str]) -> Measure:
    return Measure(kind=kind, value=len(others), path=module.path, line=1, what=", ".join(sorted(others)) or "none")


def _imported(module: Module, known: Mapping[str, Module]) -> Iterator[str]:
    for node in module.nodes():
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module
            names = [part if (part := f"{whole}.{alias.name}") in known else whole for alias in node.names]
        yield from (name for name in names if name in known)


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
