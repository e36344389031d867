"""Making a prompt that fits."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decide.context import Block, block, fit, system_text, tokens_of
from core.decide.prompt import exchange_messages, said_message, step_messages
from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey, Principal
from core.domain.history import Exchange, Said
from core.domain.prompt import Prompt, PromptCall, PromptMessage
from core.domain.step import Call, CallId, ModelAnswered, Stamped, ToolFinished
from core.models.validity import faults
from tests.unit.decide.logs import exchanges, stamped, steady

SYSTEM = block([PromptMessage(role="system", content="You are a test.")])
ANNA = Principal(channel="fake", account="acme", user_id="U1")
AGENT = AgentDefinition(id="main", name="Main", instructions="  Be kind.\n", tools=())
CHAT = ChatKey(channel="slack", account="T1", chat_id="C1")

sizes = st.sampled_from([0, 1, 50, 199, 200, 300, 1_000, 5_000])


def round_of(turn: int, question: str, result: str, answer: str) -> tuple[PromptMessage, ...]:
    """A question, one call, its result, an answer."""
    steps = stamped(
        [
            ModelAnswered(text="", calls=(Call(name="look", arguments="{}"),)),
            ToolFinished(call=CallId(step=1, index=0), result=result),
            ModelAnswered(text=answer),
        ]
    )
    said = Said(inbound=turn, sender=ANNA, content=question, at=0)
    return tuple(exchange_messages(Exchange(turn=turn, said=(said,), steps=steps), shared=False))


rounds = st.builds(
    lambda turn, question, result, answer: round_of(turn, "q" * question, "r" * result, "a" * (answer + 1)),
    st.integers(1, 10**9),
    sizes,
    sizes,
    sizes,
)
pasts = st.lists(rounds, max_size=6, unique_by=lambda one: one[1].calls[0].id).map(
    lambda some: [block(one) for one in some]
)


@st.composite
def currents(draw: st.DrawFn) -> Block:
    """A running turn: a message, and rounds of one call each."""
    found = [said_message(Said(inbound=1, sender=ANNA, content="q" * draw(sizes), at=0), shared=False)]
    log: list[Stamped] = []
    for result in draw(st.lists(sizes, max_size=3)):
        seq = len(log) + 1
        log.append(Stamped(seq=seq, step=ModelAnswered(text="", calls=(Call(name="look", arguments="{}"),))))
        log.append(Stamped(seq=seq + 1, step=ToolFinished(call=CallId(step=seq, index=0), result="r" * result)))
    return block([*found, *step_messages(10**10, log)])


rooms = st.integers(-1_000, 8_000)


def test_what_fits_is_left_alone() -> None:
    past = [block(round_of(n, "q", "r" * 900, "a")) for n in range(3)]
    current = block([PromptMessage(role="user", content="now")])
    room = SYSTEM.tokens + sum(one.tokens for one in past) + current.tokens
    whole = (*SYSTEM.messages, *(message for one in past for message in one.messages), *current.messages)
    assert fit(SYSTEM, past, current, room=room) == whole
    assert fit(SYSTEM, past, current, room=room - 1) != whole


def test_old_tool_results_become_one_line_before_anything_goes() -> None:
    past = [block(round_of(n, "q", f"line one of {n}\n" * 400, "a")) for n in range(2)]
    current = block([PromptMessage(role="user", content="now")])
    total = SYSTEM.tokens + sum(one.tokens for one in past) + current.tokens
    fitted = fit(SYSTEM, past, current, room=total - 10)
    assert len(fitted) == 1 + 4 + 4 + 1
    first, second = [message.content for message in fitted if message.role == "tool"]
    assert first.startswith("[shortened, 5600 characters] line one of 0 line one of 0")
    assert "\n" not in first
    assert second == "line one of 1\n" * 400


def test_the_oldest_whole_exchanges_go_next() -> None:
    past = [block(round_of(n, f"question {n} " + "q" * 900, "r", "a")) for n in range(4)]
    current = block([PromptMessage(role="user", content="now")])
    room = SYSTEM.tokens + past[0].tokens * 2 + current.tokens
    fitted = fit(SYSTEM, past, current, room=room)
    assert [message.content.split(" q")[0] for message in fitted if message.role == "user"] == [
        "question 2",
        "question 3",
        "now",
    ]


def test_the_newest_message_stays_even_when_it_alone_is_too_long() -> None:
    past = [block(round_of(1, "q", "r", "a"))]
    current = block([PromptMessage(role="user", content="x" * 90_000)])
    assert fit(SYSTEM, past, current, room=100) == (*SYSTEM.messages, *current.messages)


def test_results_of_the_running_turn_are_shortened_last() -> None:
    past = [block(round_of(1, "q", "r" * 3_000, "a"))]
    current = block([*round_of(2, "now", "r" * 3_000, "a")[:3]])
    room = SYSTEM.tokens + current.tokens - 10
    fitted = fit(SYSTEM, past, current, room=room)
    assert [message.role for message in fitted] == ["system", "user", "assistant", "tool"]
    assert fitted[-1].content.startswith("[shortened, 3000 characters] rrr")


@pytest.mark.parametrize("size", range(201, 240, 6))
def test_shortening_never_makes_a_result_longer(size: int) -> None:
    current = block(round_of(1, "q", "r" * size, "a")[:3])
    (*_, result) = fit(SYSTEM, [], current, room=1)
    assert len(result.content) <= size


@steady
@given(pasts, currents(), rooms)
def test_the_room_is_kept_wherever_the_rules_allow_it(past: list[Block], current: Block, room: int) -> None:
    fitted = fit(SYSTEM, past, current, room=room)
    used = sum(tokens_of(message) for message in fitted)
    gone = len(fitted) == 1 + len(current.messages)
    long = [message for message in fitted if message.role == "tool" and len(message.content) > 240]
    assert used <= room or (gone and not long), (used, room)


@steady
@given(pasts, currents(), rooms)
def test_no_persons_message_of_the_running_turn_and_no_system_message_is_touched(
    past: list[Block], current: Block, room: int
) -> None:
    fitted = fit(SYSTEM, past, current, room=room)
    assert fitted[:1] == SYSTEM.messages
    kept = fitted[-len(current.messages) :]
    for before, after in zip(current.messages, kept, strict=True):
        assert after == before or (before.role == "tool" and after.content.startswith("[shortened, "))


@steady
@given(pasts, currents(), rooms)
def test_what_is_kept_of_the_past_is_its_newest_end_in_whole_exchanges(
    past: list[Block], current: Block, room: int
) -> None:
    fitted = fit(SYSTEM, past, current, room=room)
    middle = fitted[1 : len(fitted) - len(current.messages)]
    assert len(middle) % 4 == 0
    kept = past[len(past) - len(middle) // 4 :]
    before = [message for one in kept for message in one.messages]
    assert [shape(message) for message in middle] == [shape(message) for message in before]


@steady
@given(pasts, currents(), rooms)
def test_whatever_is_cut_every_provider_takes_it(past: list[Block], current: Block, room: int) -> None:
    assert faults(Prompt(messages=fit(SYSTEM, past, current, room=room))) == ()


@steady
@given(st.lists(exchanges, max_size=4, unique_by=lambda one: one.turn), currents(), rooms)
def test_whatever_is_cut_of_a_damaged_past_every_provider_takes_it(
    past: list[Exchange], current: Block, room: int
) -> None:
    blocks = [block(exchange_messages(one, shared=False)) for one in past]
    assert faults(Prompt(messages=fit(SYSTEM, blocks, current, room=room))) == ()


@steady
@given(pasts, currents(), st.integers(0, 3_000), st.integers(0, 3_000))
def test_more_room_never_keeps_fewer_exchanges(past: list[Block], current: Block, room: int, more: int) -> None:
    assert len(fit(SYSTEM, past, current, room=room)) <= len(fit(SYSTEM, past, current, room=room + more))


@steady
@given(st.text(max_size=300))
def test_an_estimate_errs_upwards_and_takes_every_text(text: str) -> None:
    tokens = tokens_of(PromptMessage(role="user", content=text))
    assert tokens >= len(text.encode("utf-8", "surrogatepass")) // 4
    assert tokens_of(PromptMessage(role="user", content=text + "more words")) >= tokens


def test_calls_count_with_their_names_and_arguments() -> None:
    bare = PromptMessage(role="assistant", content="")
    calling = PromptMessage(
        role="assistant", content="", calls=(PromptCall(id="c", name="look", arguments='{"q": "' + "x" * 300 + '"}'),)
    )
    assert tokens_of(calling) >= tokens_of(bare) + 100


def test_the_system_message_holds_the_agent_the_workspace_and_the_place() -> None:
    files = {"MEMORY.md": "m\n", "AGENTS.md": "a", "OTHER.md": "never", "USER.md": "  "}
    assert system_text(AGENT, files, chat=CHAT, speakers=["Anna", "Ben"], today="Friday") == (
        "Be kind.\n\n# AGENTS.md\n\na\n\n# MEMORY.md\n\nm\n\n"
        "# Now\n\nDate: Friday\nConversation: slack chat C1\nSpeaking with: Anna, Ben"
    )


def test_a_thread_is_named_and_nobody_is_said_so() -> None:
    chat = ChatKey(channel="slack", account="T1", chat_id="C1", thread_id="17.5")
    text = system_text(AGENT, {}, chat=chat, speakers=[], today="Friday")
    assert text.endswith("Conversation: slack chat C1, thread 17.5\nSpeaking with: nobody yet")


def shape(message: PromptMessage) -> tuple[str, str | None, Sequence[str], str]:
    """All that shortening must not touch."""
    kept = "" if message.role == "tool" else message.content
    return message.role, message.call_id, [call.id for call in message.calls], kept
