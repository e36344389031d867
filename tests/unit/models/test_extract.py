"""JSON out of model text."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.models.extract import extract_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=5)
LISTS = st.lists(VALUES, max_size=5)
PROSE = st.text(alphabet=st.characters(exclude_characters="{}[]`~<", exclude_categories=["Cs"]), max_size=60)
LAYOUTS = st.sampled_from([None, 2])


@settings(max_examples=50)
@given(OBJECTS | LISTS, LAYOUTS)
def test_text_that_is_json_is_that_json(value: object, indent: int | None) -> None:
    assert extract_json(json.dumps(value, indent=indent)) == value


@settings(max_examples=50)
@given(PROSE, OBJECTS, PROSE, LAYOUTS)
def test_an_object_in_prose_is_found(before: str, value: object, after: str, indent: int | None) -> None:
    assert extract_json(f"{before}{json.dumps(value, indent=indent)}{after}") == value


@settings(max_examples=50)
@given(PROSE, OBJECTS | LISTS, PROSE, st.sampled_from(["```", "```json", "~~~~JSON", "``` json"]), LAYOUTS)
def test_json_in_a_fence_is_found(before: str, value: object, after: str, fence: str, indent: int | None) -> None:
    mark = fence.split("j")[0].split("J")[0].strip()
    assert extract_json(f"{before}\n{fence}\n{json.dumps(value, indent=indent)}\n{mark}\n{after}") == value


@settings(max_examples=50)
@given(OBJECTS, OBJECTS)
def test_thinking_is_not_searched(thought: object, value: object) -> None:
    inside = json.dumps(thought).replace("<", "\\u003c")
    assert extract_json(f"<think>maybe {inside}</think>\n{json.dumps(value)}") == value


@settings(max_examples=50)
@given(OBJECTS)
def test_a_fence_goes_before_what_stands_in_prose(value: object) -> None:
    text = f'Instead of {{"draft": true}} take this:\n```json\n{json.dumps(value)}\n```'
    assert extract_json(text) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("Nothing here.", None),
        ("42", None),
        ('"words"', None),
        ("see [1] and [2]", [1]),
        ('As [1] says: {"a": 1}', {"a": 1}),
        ("use { and } like this: {'a': 1}", None),
        ('a stray { and then {"a": 1}', {"a": 1}),
        ('{answer: {"a": 1}}', {"a": 1}),
        ('{"a": 1', None),
        ('{"a": 1,}', None),
        ('{"a": "<think>"}', {"a": "<think>"}),
        ('{"a": "```"}', {"a": "```"}),
        ('{"a": 1}{"b": 2}', {"a": 1}),
        ('```python\nprint({1: 2})\n```\n```json\n{"a": 1}\n```', {"a": 1}),
        ('```json\n{"a": 1}', {"a": 1}),
        ('{"n": ' + "9" * 5_000 + "}", {"n": float("inf")}),
    ],
)
def test_the_first_object_counts_then_the_first_list_and_nothing_is_repaired(text: str, expected: object) -> None:
    assert extract_json(text) == expected


@given(st.text(alphabet='{}[]",:\\ntf1 ae`\n<>/thik'))
@example("[" * 5_000)
def test_no_text_breaks_it(text: str) -> None:
    found = extract_json(text)
    assert found is None or isinstance(found, dict | list)


@pytest.mark.parametrize(
    "unit", ["{", "[", '{"a":', '["', '["\\', "{{", "[1,", "{x", "```json\n{", "[\n", '"[', '{"a":[', "[[1],", "[1]x"]
)
def test_half_a_megabyte_of_anything_takes_less_than_a_second(unit: str) -> None:
    text = unit * (500_000 // len(unit))
    started = time.perf_counter()
    extract_json(text)
    assert time.perf_counter() - started < 1.0
