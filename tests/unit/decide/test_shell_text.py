"""Which programs a piece of shell text names."""

import time
from collections.abc import Sequence

import pytest

from core.decide.shell_text import Simple, read_shell

PLAIN: dict[str, Sequence[Sequence[str]]] = {
    "ls -l notes": [["ls", "-l", "notes"]],
    "a; b && c || d & e\nf": [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]],
    "(a; b)": [["a"], ["b"]],
    "echo 'a; b' \"c | d\" e\\ f": [["echo", "a; b", "c | d", "e f"]],
    "r''m \"r\"m \\rm": [["rm", "rm", "rm"]],
    "rm \\\n-rf \\\n/": [["rm", "-rf", "/"]],
    "'a\\\nb'": [["a\\\nb"]],
    "rm${IFS}-rf$IFS/": [["rm", "-rf", "/"]],
    "r$@m$9 ${1}x": [["rm", "x"]],
    "{rm,-rf,/}": [["rm", "-rf", "/"]],
    "$'\\x72m' $'\\162m' $'\\u0072m' $'a\\'b'": [["rm", "rm", "rm", "a'b"]],
    "a # b; c\nd": [["a"], ["d"]],
    "a#b": [["a#b"]],
    "cat <<END\nrm x\nEND": [["cat"], ["rm", "x"], ["END"]],
    "cat <<< text": [["cat"]],
    "“a b”": [["“a", "b”"]],
    "echo $HOME/x ${HOME}": [["echo", "$HOME/x", "$HOME"]],
    "a 2>&1 3>b": [["a"]],
    "": [],
    "'": [[""]],
}


@pytest.mark.parametrize("text", PLAIN)
def test_words_are_read_as_a_shell_would_split_them(text: str) -> None:
    assert [list(stage.words) for pipeline in read_shell(text) for stage in pipeline] == PLAIN[text]


def test_a_pipeline_keeps_its_stages_together() -> None:
    pipelines = read_shell("a | b |& c; d")
    assert [[stage.words[0] for stage in pipeline] for pipeline in pipelines] == [["a", "b", "c"], ["d"]]


def test_files_that_are_written_are_no_words() -> None:
    ((found,),) = read_shell("echo x >a >> b 2>c <d &>e")
    assert found == Simple(words=("echo", "x"), writes=("a", "b", "c", "e"))


@pytest.mark.parametrize("text", ["x $(rm y) z", "x `rm y` z", 'x "$(rm y)" z', "x <(rm y) z", "x >(rm y) z"])
def test_what_is_substituted_is_kept_as_text(text: str) -> None:
    ((found,),) = read_shell(text)
    assert found.inner == ("rm y",)
    assert found.words == ("x", "$()", "z")


def test_nested_substitutions_are_taken_whole() -> None:
    ((found,),) = read_shell("a $(b $(c ')' \\) d) e) f")
    assert found.inner == ("b $(c ')' \\) d) e",)
    assert found.words[-1] == "f"


@pytest.mark.parametrize("unit", ["$(", "`", "(", "'", '"', "\\", "<(", "$'", "{a,", ";", "a ", "$IFS", "#", ">", "\n"])
def test_the_time_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        read_shell(text)
        return time.process_time() - started

    small = min(seconds(20_000) for _ in range(5))
    assert min(seconds(80_000) for _ in range(5)) < 12 * small + 0.01
