"""The size budgets: what counts, and how much."""

from textwrap import dedent

import pytest

from tests.checks.sizes import LIMITS, Measure, measure, too_large
from tests.checks.source import parse


def measured(text: str, kind: str, path: str = "core/example.py") -> list[Measure]:
    return [one for one in measure([parse(path, dedent(text))]) if one.kind == kind]


def figure(text: str, kind: str) -> int:
    return max((one.value for one in measured(text, kind)), default=0)


def test_a_file_may_have_four_hundred_lines_and_not_one_more() -> None:
    fits = list(measure([parse("core/example.py", "x = 1\n" * 400)]))
    too_long = list(measure([parse("core/example.py", "x = 1\n" * 401)]))
    assert not list(too_large(fits))
    assert [str(found) for found in too_large(too_long)] == [
        "core/example.py:1: the file: 401 lines in a file, at most 400; split it"
    ]


def test_a_function_is_as_long_as_from_its_def_to_its_last_line() -> None:
    assert figure("@decorated\ndef f():\n    a = 1\n\n    return a\n", "lines in a function") == 4


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("return 1", 1),
        ("if a: pass\n elif b: pass\n else: pass", 3),
        ("return a and b and c", 3),
        ("return [x for x in y if x if z]", 4),
        ("return 1 if a else 2", 2),
        ("for x in y: pass\n while z: pass", 3),
        ("try: pass\n except ValueError: pass\n except KeyError: pass", 3),
        ("match a:\n  case 1: pass\n  case 2: pass\n  case _: pass", 3),
    ],
)
def test_each_way_to_branch_off_adds_one(body: str, value: int) -> None:
    assert figure(f"def f():\n {body}\n", "complexity of a function") == value


def test_a_function_inside_another_is_measured_on_its_own() -> None:
    text = "def f():\n def g():\n  if a: pass\n  if b: pass\n if c: pass\n"
    assert {one.what: one.value for one in measured(text, "complexity of a function")} == {"f": 2, "f.g": 3}


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("pass", 0),
        ("if a:\n  for b in c:\n   with d:\n    pass", 3),
        ("if a: pass\n elif b: pass\n elif c:\n  if d: pass", 2),
        ("try: pass\n except ValueError:\n  while a: pass", 2),
        ("match a:\n  case 1:\n   if b: pass", 2),
        ("async with a:\n  async for b in c: pass", 2),
    ],
)
def test_nesting_counts_the_blocks_that_lie_in_each_other(body: str, value: int) -> None:
    assert figure(f"async def f():\n {body}\n", "nesting in a function") == value


PROTOCOL = "class Port(Protocol):\n" + "".join(f"    def m{number}(self): ...\n" for number in range(20))


def test_a_protocol_may_have_more_methods_than_a_class() -> None:
    assert not measured(PROTOCOL, "methods of a class")
    assert figure(PROTOCOL.replace("Protocol", "Base"), "methods of a class") == 20


def test_a_class_has_the_attributes_that_it_declares_and_that_it_sets() -> None:
    text = """
        class Worker:
            limits: Limits
            def __init__(self, a, *, b):
                self.a = a
                self.b: int = b
            def go(self):
                self.c, self.a = 1, 2
    """
    assert figure(text, "attributes of a class") == 4
    assert figure(text, "arguments of a constructor") == 2


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass(frozen=True)\nclass Value:\n a: int\n b: int\n",
        "class Value(BaseModel):\n a: int\n b: int\n",
        "class Base(BaseModel):\n pass\nclass Value(Base):\n a: int\n b: int\n",
    ],
)
def test_the_fields_of_a_value_are_no_state(text: str) -> None:
    assert figure(text, "attributes of a class") == 0
    assert figure(text, "fields of a value") == 2


def test_the_columns_of_a_table_are_not_counted() -> None:
    text = "class Chats(TypedColumns):\n" + "".join(f" c{number}: int\n" for number in range(30))
    assert not list(too_large(list(measure([parse("core/example.py", text)]))))


def test_imports_are_counted_in_both_directions() -> None:
    files = {
        "core/bus.py": "",
        "core/store/__init__.py": "",
        "core/store/inbox.py": "from core import bus\nfrom core.store.inbox import x\nimport os\n",
        "core/runtime/turn.py": "import core.bus\nfrom core.bus import Bus\nfrom core.store import inbox\n",
    }
    found = list(measure([parse(path, text) for path, text in files.items()]))
    figures = {(one.path, one.kind): one.value for one in found if one.kind.startswith("modules")}
    assert figures["core/runtime/turn.py", "modules that one imports"] == 2
    assert figures["core/bus.py", "modules that import one"] == 2
    assert figures["core/store/inbox.py", "modules that one imports"] == 1


def test_what_the_files_of_a_room_share_is_not_counted_as_being_imported() -> None:
    users = {f"core/store/m{number}.py": "from core.store.schema import x\n" for number in range(3)}
    files = {"core/store/schema.py": "", **users, "gateway/m.py": "from core.store.schema import x\n"}
    found = measure([parse(path, text) for path, text in files.items()])
    assert [one.value for one in found if one.kind == "modules that import one"] == [1]


def test_everybody_may_import_the_domain_and_the_wiring_may_import_everybody() -> None:
    many = LIMITS["modules that import one"] + 1
    users = [parse(f"core/runtime/m{number}.py", "import core.domain.chat\n") for number in range(many)]
    wiring = "".join(f"import core.runtime.m{number}\n" for number in range(many))
    files = [parse("core/domain/chat.py", ""), *users, parse("gateway/wiring.py", wiring)]
    assert not list(too_large(list(measure(files))))
    assert list(too_large(list(measure([*files[:-1], parse("gateway/roles.py", wiring)]))))


def test_tests_are_measured_by_the_line_and_by_the_branch_only() -> None:
    found = measure([parse("tests/unit/test_example.py", PROTOCOL.replace("Protocol", "Base"))])
    assert {one.kind for one in found} == {
        "lines in a file",
        "lines in a function",
        "complexity of a function",
        "nesting in a function",
    }
