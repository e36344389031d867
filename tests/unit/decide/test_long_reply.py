"""The beginning of a reply that goes as a file."""

from hypothesis import given
from hypothesis import strategies as st

from core.decide.long_reply import opening, with_file
from core.domain.chat import Principal
from core.domain.message import Choice, Fragment, Markdown, Mention, OutgoingFile, Reply, Text, plain
from tests.unit.decide.logs import steady

ANNA = Principal(channel="fake", account="acme", user_id="u1", name="Anna")
words = st.text("ab \n", max_size=40)
fragments: st.SearchStrategy[Fragment] = st.one_of(
    words.map(lambda text: Markdown(source=text)),
    words.map(lambda text: Text(text=text)),
    st.just(Mention(principal=ANNA)),
)
replies = st.lists(fragments, max_size=6).map(lambda found: Reply(fragments=tuple(found)))


def of(size: int, reply: Reply) -> Reply:
    """The longest beginning of so many characters."""
    return opening(reply, lambda one: len(plain(one)) <= size)


def test_a_beginning_ends_behind_the_last_line_in_its_second_half() -> None:
    reply = Reply(fragments=(Markdown(source="one two\nthree four five"),))
    assert plain(of(14, reply)) == "one two"
    assert plain(of(12, reply)) == "one two"


def test_a_beginning_ends_behind_a_word_where_no_line_ends_near() -> None:
    assert plain(of(10, Reply(fragments=(Text(text="one two three"),)))) == "one two"
    assert plain(of(10, Reply(fragments=(Text(text="x" * 30),)))) == "x" * 10


def test_a_person_is_named_whole_or_not_at_all() -> None:
    reply = Reply(fragments=(Text(text="ask "), Mention(principal=ANNA), Text(text=" now")))
    assert of(6, reply).fragments == (Text(text="ask"),)
    assert plain(of(8, reply)) == "ask Anna"


def test_the_whole_reply_follows_the_files_that_it_had_and_its_choices_stay() -> None:
    mine, choice = OutgoingFile(path="a.txt", name="a.txt"), Choice(label="yes", token="t")
    reply = Reply(fragments=(Text(text="one two"),), files=(mine,), choices=(choice,))
    found = with_file(reply, Reply(fragments=(Text(text="one"),)), "uploads/c/replies/7.md")
    file = OutgoingFile(path="uploads/c/replies/7.md", name="reply.md")
    assert found == Reply(fragments=(Text(text="one"),), files=(mine, file), choices=(choice,))


@steady
@given(replies, st.integers(0, 200))
def test_a_beginning_fits_and_is_one(reply: Reply, size: int) -> None:
    found = plain(of(size, reply))
    assert len(found) <= size
    assert plain(reply).startswith(found)
    if len(plain(reply)) <= size:
        assert found == plain(reply)
