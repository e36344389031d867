"""Habits that are not wanted anywhere, and the few listed places that may have them, each with its reason."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeGuard

from tests.checks.source import Finding, Module

# (file, function) -> why it may catch everything. Each accounts for what it caught. At most MOST_SUPERVISORS.
SUPERVISORS: Mapping[tuple[str, str], str] = {
    ("core/models/litellm.py", "LiteLLMModel._ours"): "the library raises whatever it pleases; all becomes our errors",
    ("core/runtime/supervised.py", "supervised"): "a bug in one tool, turn, reply or command does not end the others",
    ("core/store/sqlite.py", "SqliteStore._commit"): "the writer thread outlives whatever one batch does",
    ("core/store/sqlite.py", "SqliteStore._read_all"): "the reader threads outlive whatever one batch does",
    ("core/store/sqlite.py", "_run_apart"): "what an operation raises is its caller's result",
    ("gateway/receiver.py", "keep_listening"): "one platform's trouble does not end the others",
}
MOST_SUPERVISORS = 6

LATE_IMPORTS: Mapping[str, str] = {
    "channels/registry.py": "loads a channel when it is configured",
    "core/models/litellm.py": "loads litellm with the first call to a model: it takes seconds",
    "gateway/cli/__init__.py": "loads the verb that was called",
    "core/store/store.py": "loads alembic for another version of a store, asyncpg for one that is no file: slow, both",
}

ENVIRONMENT: Mapping[str, str] = {
    "gateway/settings.py": "the one reader of the environment",
    "core/models/litellm.py": "tells litellm to use its own price list: it knows no other way",
}

ANY: Mapping[str, str] = {
    "core/models/litellm.py": "litellm has no types",
    "channels/registry.py": "holds channels of every kind of part",
    "channels/contract.py": "a ChannelSpec opens a channel of whatever kind of part",
}
ANY_BY_NAME = re.compile(r"channels/\w+/(inbound|outbound)\.py")  # raw events and parts are JSON

EXEMPTION = re.compile(r"#\s*(ruff:\s*)?noqa(?P<codes>:\s*[A-Z0-9, ]+)?", re.IGNORECASE)
SIZE_CODES = re.compile(r"C90|PLR|E501|SIM102|PLC0415")
UNNAMED_IGNORE = re.compile(r"#\s*type:\s*ignore(?!\[)|#\s*mypy:\s*ignore-errors")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

Rule = Callable[[Module], Iterator[Finding]]


def _finding(module: Module, line: int, say: str) -> Finding:
    return Finding(rule="", path=module.path, line=line, say=say)


def broad_excepts(module: Module) -> Iterator[Finding]:
    """Catching everything: only where something is supervised, and never to pass over it."""
    for body in module.bodies:
        listed = (module.path, body.scope) in SUPERVISORS
        for node in body.nodes:
            if isinstance(node, ast.ExceptHandler) and (node.type is None or _is_broad(node.type)):
                if _passes_over(node):
                    yield _finding(module, node.lineno, "everything is caught and passed over: name the error")
                elif not listed:
                    yield _finding(module, node.lineno, "everything is caught outside the listed supervisors")
            elif _suppresses_all(node):
                yield _finding(module, node.lineno, "everything is suppressed: name the error")


def _passes_over(node: ast.ExceptHandler) -> bool:
    return all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)


def _suppresses_all(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and _called(node) == "suppress" and any(map(_is_broad, node.args))


def _is_broad(node: ast.expr) -> bool:
    match node:
        case ast.Tuple(elts=parts):
            return any(map(_is_broad, parts))
        case ast.Name(id=name):
            return name in {"Exception", "BaseException"}
    return False


def ownerless_tasks(module: Module) -> Iterator[Finding]:
    """A task that no TaskGroup waits for. The owner's name says that it is a group."""
    for node in module.nodes():
        match node:
            case ast.ImportFrom(module="asyncio", names=names) if {one.name for one in names} & _STARTERS:
                yield _finding(module, node.lineno, "every task has an owner: use a TaskGroup")
            case ast.Attribute(value=owner, attr=name) if name in _STARTERS and "group" not in ast.unparse(owner):
                yield _finding(
                    module, node.lineno, "every task has an owner: use a TaskGroup, in a variable named group"
                )


_STARTERS = frozenset({"create_task", "ensure_future"})


def late_imports(module: Module) -> Iterator[Finding]:
    """An import that is not at the top of its module, under whatever name."""
    if module.path in LATE_IMPORTS:
        return
    for body in module.bodies:
        for node in body.nodes:
            late = body.function and isinstance(node, ast.Import | ast.ImportFrom)
            if isinstance(node, ast.stmt | ast.expr) and (late or _imports_by_name(module, node)):
                yield _finding(module, node.lineno, "imports stand at the top of the module")


def _imports_by_name(module: Module, node: ast.AST) -> bool:
    return module.in_packages and isinstance(node, ast.Call) and _called(node) in {"import_module", "__import__"}


def literal_getattr(module: Module) -> Iterator[Finding]:
    """Asking for an attribute by a name that is written right there."""
    for node in module.nodes():
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
                yield _finding(module, node.lineno, "getattr with a literal name: write the attribute")


def exemptions(module: Module) -> Iterator[Finding]:
    """Comments that switch a check off without naming it, or one that is about size."""
    if not (EXEMPTION.search(module.text) or UNNAMED_IGNORE.search(module.text)):
        return
    for line, comment in module.comments():
        exempt = EXEMPTION.search(comment)
        if exempt and (not exempt["codes"] or SIZE_CODES.search(exempt["codes"])):
            yield _finding(module, line, "no exemption from sizes, and none without a code: split it instead")
        if UNNAMED_IGNORE.search(comment):
            yield _finding(module, line, "a type error is ignored without its code")


def environment(module: Module) -> Iterator[Finding]:
    """Reading the process environment outside the settings."""
    if module.path in ENVIRONMENT:
        return
    for node in module.nodes():
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in _ENVIRONMENT_NAMES:
                yield _finding(module, node.lineno, "the environment enters through gateway/settings.py")
            case ast.ImportFrom(module="os", names=names) if {one.name for one in names} & _ENVIRONMENT_NAMES:
                yield _finding(module, node.lineno, "the environment enters through gateway/settings.py")


_ENVIRONMENT_NAMES = frozenset({"environ", "environb", "getenv", "getenvb", "putenv"})


def untyped(module: Module) -> Iterator[Finding]:
    """`Any` outside the files that meet untyped data first."""
    if module.path in ANY or ANY_BY_NAME.fullmatch(module.path):
        return
    for node in module.nodes():
        match node:
            case ast.ImportFrom(module="typing", names=names) if any(one.name == "Any" for one in names):
                yield _finding(module, node.lineno, "Any: give the value its type, or object and a check")
            case ast.Attribute(value=ast.Name(id="typing"), attr="Any"):
                yield _finding(module, node.lineno, "Any: give the value its type, or object and a check")


def global_state(module: Module) -> Iterator[Finding]:
    """Functions that change their module."""
    for node in module.nodes():
        if isinstance(node, ast.Global):
            yield _finding(module, node.lineno, "no global state: pass it as an argument")


def loose_values(module: Module) -> Iterator[Finding]:
    """Dataclasses that can change, or be built by position. With `eq=False` it is an object, which may change."""
    for node in module.nodes():
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                if _called(decorator) == "dataclass" and not _is_strict(decorator):
                    yield _finding(module, node.lineno, f"{node.name}: frozen=True, slots=True, kw_only=True")


def _is_strict(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call):
        return False
    given = {(one.arg, one.value.value) for one in decorator.keywords if isinstance(one.value, ast.Constant)}
    return given >= {("frozen", True), ("slots", True), ("kw_only", True)} or given >= {("eq", False), ("slots", True)}


def unfinished(module: Module) -> Iterator[Finding]:
    """Marks of work that was left for later."""
    for node in module.nodes():
        if isinstance(node, ast.Name) and node.id == "NotImplementedError":
            yield _finding(module, node.lineno, "not implemented: build it or leave it out")
    if UNFINISHED.search(module.text):
        for line, comment in module.comments():
            if UNFINISHED.search(comment):
                yield _finding(module, line, "unfinished: do it, or write down why it is right as it is")


def mocks(module: Module) -> Iterator[Finding]:
    """Stand-ins that only repeat what a test believes."""
    for node in module.nodes():
        match node:
            case ast.Import(names=names) if any(one.name in _MOCKS for one in names):
                yield _finding(module, node.lineno, "no mocks: use a real server on loopback or a fake of tests/fakes")
            case ast.ImportFrom(module=name, names=names) if _mocks(name, names):
                yield _finding(module, node.lineno, "no mocks: use a real server on loopback or a fake of tests/fakes")


_MOCKS = frozenset({"mock", "unittest.mock", "pytest_mock"})


def _mocks(name: str | None, names: Sequence[ast.alias]) -> bool:
    return name in _MOCKS or (name == "unittest" and any(one.name == "mock" for one in names))


def sleeps(module: Module) -> Iterator[Finding]:
    """Tests that wait for a time instead of for a thing. `asyncio.sleep(0)` waits for nothing."""
    if not re.search(r"(^|/)(test_\w+|conftest)\.py$", module.path):
        return
    for node in module.nodes():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="asyncio"), attr="sleep"), args=[ast.Constant(value=0)]):
                continue
            case ast.Call(func=ast.Attribute(value=ast.Name(id="asyncio" | "time"), attr="sleep")):
                yield _finding(module, node.lineno, "a test never sleeps: wait for the thing, or move the clock")


def unexplained_skips(module: Module) -> Iterator[Finding]:
    """Tests that are left out without a word."""
    explained = {id(node.func) for node in module.nodes() if isinstance(node, ast.Call) and _says_why(node)}
    for node in module.nodes():
        if isinstance(node, ast.Attribute) and ast.unparse(node) in _SKIPS and id(node) not in explained:
            yield _finding(module, node.lineno, "say why the test is left out: reason=...")


_SKIPS = frozenset({"pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail", "pytest.skip"})


def _says_why(node: ast.Call) -> bool:
    return any(one.arg == "reason" for one in node.keywords) or (bool(node.args) and _called(node) == "skip")


def _called(node: ast.expr) -> str:
    target = node.func if isinstance(node, ast.Call) else node
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


# Rule -> its function. The first group holds for the product, the second for tests, the third for both.
PRODUCT: Mapping[str, Rule] = {
    "broad excepts": broad_excepts,
    "environment reads": environment,
    "loose values": loose_values,
    "unfinished marks": unfinished,
}
TESTS: Mapping[str, Rule] = {
    "mocks": mocks,
    "sleeps in tests": sleeps,
    "unexplained skips": unexplained_skips,
}
EVERYWHERE: Mapping[str, Rule] = {
    "ownerless tasks": ownerless_tasks,
    "late imports": late_imports,
    "literal getattr": literal_getattr,
    "exemptions": exemptions,
    "Any": untyped,
    "global state": global_state,
}


def unwanted(modules: Sequence[Module]) -> Iterator[Finding]:
    """Every unwanted habit in the product and its tests."""
    for module in modules:
        own = PRODUCT if module.in_packages else TESTS
        for name, rule in {**own, **EVERYWHERE}.items():
            for found in rule(module):
                yield Finding(rule=name, path=found.path, line=found.line, say=found.say)
    yield from _stale_lists(modules)


def _stale_lists(modules: Sequence[Module]) -> Iterator[Finding]:
    known = {(module.path, body.scope) for module in modules for body in module.bodies}
    here = "tests/checks/habits.py"
    for place in SUPERVISORS:
        if place not in known:
            yield Finding(rule="broad excepts", path=here, line=1, say=f"SUPERVISORS lists {place}, which is gone")
    if len(SUPERVISORS) > MOST_SUPERVISORS:
        say = f"{len(SUPERVISORS)} supervisors, at most {MOST_SUPERVISORS}"
        yield Finding(rule="broad excepts", path=here, line=1, say=say)
