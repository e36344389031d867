"""Updates by polling: what is confirmed, and when."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from channels.telegram.taking import ALBUM_S
from core.domain.message import Attachment, InboundKind
from core.domain.message import says as words
from tests.contract.telegram.desk import ANNA, BEN, GROUP, Held, Impatient, Kept, awake, serving
from tests.fakes.telegram import BOT, TOKEN, TelegramServer
from tests.fakes.telegram.calls import Call
from tests.fakes.waiting import until
from tests.fakes.wire import Json


async def test_what_came_while_nobody_listened_is_taken_in_order(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        for text in ("one", "two", "three"):
            await server.people.says(ANNA, ANNA, text)
        async with awake(server, tmp_path, kept):
            assert [event.content for event in await kept.has(3)] == ["one", "two", "three"]
        assert not any(args.get("drop_pending_updates") for args in server.asked("deleteWebhook"))


async def test_a_process_that_ends_before_it_stores_gets_the_update_again(tmp_path: Path) -> None:
    async with serving() as server:
        await server.people.says(ANNA, ANNA, "one")
        async with awake(server, tmp_path, Kept(refuses=10**6)):
            await until(lambda: len(server.updates.offsets) >= 3)
        assert server.updates.taken == []
        kept = Kept()
        await server.people.says(ANNA, ANNA, "two")
        async with awake(server, tmp_path, kept):
            assert [event.content for event in await kept.has(2)] == ["one", "two"]


async def test_a_process_that_ends_before_it_confirms_repeats_nothing(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        await server.people.says(ANNA, ANNA, "one")
        async with awake(server, tmp_path, kept):
            await kept.has(1)
        await server.people.says(ANNA, ANNA, "two")
        async with awake(server, tmp_path, kept):
            await kept.has(2)
            await until(lambda: len(server.updates.taken) == 2)
    assert kept.repeats == 0


async def test_a_full_store_stops_only_the_chat_whose_message_it_refused(tmp_path: Path) -> None:
    kept = Kept(refuses=1)
    async with serving() as server:
        for who, text in ((ANNA, "one"), (ANNA, "two"), (BEN, "hello")):
            await server.people.says(who, who, text)
        async with awake(server, tmp_path, kept):
            await kept.has(3)
            await until(lambda: len(server.updates.taken) == 3)
    assert [event.content for event in kept.said if event.chat.chat_id == str(ANNA)] == ["one", "two"]


async def test_an_update_that_nobody_can_read_is_stored_as_a_drop_and_passed(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        await server.updates.add("message", {"message_id": "odd", "chat": 7})
        await server.people.says(ANNA, ANNA, "after it")
        async with awake(server, tmp_path, kept):
            await kept.has(1)
            await kept.dropped("malformed")
            await until(lambda: len(server.updates.taken) == 2)


async def test_after_a_quiet_week_lower_numbers_are_taken_too(tmp_path: Path) -> None:
    kept, clock = Kept(), Impatient()
    async with serving() as server:
        await server.people.says(ANNA, ANNA, "before")
        async with awake(server, tmp_path, kept, clock):
            await kept.has(1)
        server.updates.restart_ids(5)
        clock.ahead += 8 * 24 * 3_600_000
        await server.people.says(ANNA, ANNA, "after")
        async with awake(server, tmp_path, kept, clock):
            await kept.has(2)


async def test_another_poller_is_explained_once_and_asked_less_and_less(tmp_path: Path) -> None:
    clock, said = Impatient(), "Conflict: terminated by other getUpdates request"
    async with serving() as server:
        server.faults.refuse("getUpdates", 409, said, times=8)
        await server.people.says(ANNA, ANNA, "at last")
        with capture_logs() as logs:
            kept = Kept()
            async with awake(server, tmp_path, kept, clock):
                await kept.has(1)
    assert [one["reason"].split(":")[0] for one in logs if one["event"] == "telegram.no_updates"] == [
        "somebody else takes the updates of this bot"
    ]
    assert clock.waits[:8] == [1, 2, 4, 8, 16, 32, 60, 60]


async def test_a_webhook_that_is_set_makes_way_and_nothing_that_waits_is_dropped(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        await server.people.says(ANNA, ANNA, "hello")
        hook: Json = {"url": "https://elsewhere.example/hook"}
        await server.updates.set_webhook(_call(server, hook))
        async with awake(server, tmp_path, kept):
            await kept.has(1)
        assert [args.get("drop_pending_updates") for args in server.asked("deleteWebhook")] == ["false"]


def _call(server: TelegramServer, args: Json) -> Call:
    return Call(method="setWebhook", args=args, world=server.world, uploads={})


async def test_no_token_stands_in_logs_and_errors(tmp_path: Path) -> None:
    async with serving() as server:
        server.faults.cut("getMe", after=False, times=2)
        server.faults.cut("getUpdates", after=False, times=2)
        await server.people.says(ANNA, ANNA, "hello")
        kept = Kept()
        with capture_logs() as logs:
            async with awake(server, tmp_path, kept):
                await kept.has(1)
        secret = TOKEN.partition(":")[2]
        assert logs
        assert secret not in str(logs)


async def test_an_album_becomes_one_message_however_its_pieces_come(tmp_path: Path) -> None:
    kept, clock = Kept(), Held()
    async with serving() as server, awake(server, tmp_path, kept, clock):
        album: Json = {"media_group_id": "g1"}
        await server.people.sends_file(ANNA, ANNA, "a.jpg", b"aaa", kind="photo", caption="before", **album)
        await until(lambda: clock.waits == [ALBUM_S])
        await server.people.sends_file(ANNA, ANNA, "b.jpg", b"bb", kind="photo", **album)
        await server.people.sends_file(ANNA, ANNA, "c.jpg", b"c", kind="photo", caption="after", **album)
        await server.people.says(ANNA, ANNA, "that was it")
        await server.people.says(BEN, BEN, "hello")
        clock.go.release()
        assert [event.content for event in await kept.has(1)] == ["hello"]
        clock.go.release()
        await kept.has(3)
        await until(lambda: len(server.updates.taken) == 5)
    by_anna = [event for event in kept.said if event.chat.chat_id == str(ANNA)]
    assert [event.content for event in by_anna] == ["(1) before\n(3) after", "that was it"]
    assert [(tmp_path / str(one.path)).read_bytes() for one in by_anna[0].attachments] == [b"aaa", b"bb", b"c"]


async def test_an_album_that_was_stored_in_part_gets_its_rest(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        album: Json = {"media_group_id": "g1"}
        await server.people.sends_file(ANNA, ANNA, "a.jpg", b"a", kind="photo", **album)
        async with awake(server, tmp_path, kept):
            await kept.has(1)
        kept.cursors.clear()
        server.updates.taken.clear()
        await server.people.sends_file(ANNA, ANNA, "b.jpg", b"b", kind="photo", caption="late", **album)
        async with awake(server, tmp_path, kept):
            events = await kept.has(2)
    assert events[1].content == "late"


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("plan.pdf", "3-plan.pdf"),
        ("../../etc/passwd", "3-_.._etc_passwd"),
        ("\u202egpj.exe", "3-_gpj.exe"),
        ("", "3-document-3.bin"),
    ],
)
async def test_a_file_lies_in_the_folder_of_its_chat_under_a_name_that_is_safe(
    tmp_path: Path, name: str, stored: str
) -> None:
    kept = Kept()
    async with serving() as server:
        await server.people.says(ANNA, ANNA, "1")
        await server.people.says(ANNA, ANNA, "2")
        await server.people.sends_file(ANNA, ANNA, "x", b"%PDF", caption="look")
        server.updates.waiting()[-1].update["message"]["document"]["file_name"] = name  # type: ignore[index]
        async with awake(server, tmp_path, kept):
            event = (await kept.has(3))[2]
    (attachment,) = event.attachments
    assert attachment.path is not None
    assert attachment.path.startswith(f"uploads/{ANNA}/3-")
    assert Path(attachment.path).name == stored
    assert (tmp_path / attachment.path).read_bytes() == b"%PDF"
    assert (tmp_path / attachment.path).stat().st_mode & 0o777 == 0o600


async def test_a_file_that_is_too_large_or_cannot_be_had_is_named(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        await server.people.sends_file(ANNA, ANNA, "big.bin", b"x" * 1_001, caption="big")
        server.faults.refuse("getFile", 400, "Bad Request: file is too big")
        await server.people.sends_file(ANNA, ANNA, "small.bin", b"x", caption="small")
        async with awake(server, tmp_path, kept, file_mb=0.001):
            big, small = await kept.has(2)
    assert [one.attachments[0].path for one in (big, small)] == [None, None]
    assert big.attachments[0].name == "big.bin"
    assert isinstance(small.attachments[0], Attachment)


async def test_a_press_is_stored_before_its_button_is_answered(tmp_path: Path) -> None:
    kept = Kept(refuses=1)
    async with serving() as server:
        card = server.world.new_message(server.world.chats[ANNA], BOT, text="Which?")
        await server.people.calls_back(ANNA, ANNA, int(str(card["message_id"])), "t1")
        async with awake(server, tmp_path, kept):
            (event,) = await kept.has(1)
            await until(lambda: len(server.asked("answerCallbackQuery")) == 1)
    assert (event.kind, event.content) == (InboundKind.BUTTON, "t1")


async def test_a_press_that_is_too_old_to_be_answered_counts_all_the_same(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        server.faults.refuse("answerCallbackQuery", 400, "Bad Request: query is too old")
        card = server.world.new_message(server.world.chats[ANNA], BOT, text="Which?")
        await server.people.calls_back(ANNA, ANNA, int(str(card["message_id"])), "t1")
        async with awake(server, tmp_path, kept):
            await kept.has(1)
            await server.people.says(ANNA, ANNA, "and now")
            await kept.has(2)


async def test_who_rules_a_group_is_asked_once(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        server.world.chats[GROUP].members[BEN] = "administrator"
        async with awake(server, tmp_path, kept):
            for number in range(3):
                await server.people.says(BEN, GROUP, f"/status {number}")
            await server.people.says(ANNA, GROUP, "/status")
            events = await kept.has(4)
        assert [event.admin for event in events] == [True, True, True, False]
        assert len(server.asked("getChatAdministrators")) == 1


async def test_a_group_that_moves_keeps_its_conversation_over_a_restart(tmp_path: Path) -> None:
    kept, old, new = Kept(), -4001, -1009
    async with serving() as server:
        server.world.group(old, "Old", ANNA, kind="group")
        await server.people.says(ANNA, old, "/status")
        async with awake(server, tmp_path, kept):
            await kept.has(1)
            await server.people.migrates(old, new)
            await until(lambda: "moved" in kept.cursors)
        await server.people.says(ANNA, new, "/status again")
        async with awake(server, tmp_path, kept) as channel:
            first, second = await kept.has(2)
            await channel.send(first.chat, channel.render(words("here"))[0], "k")
    assert second.chat == first.chat
    assert server.world.ledger[-1].chat == new


async def test_the_menu_is_made_from_the_registry_for_each_scope(tmp_path: Path) -> None:
    async with serving() as server:
        async with awake(server, tmp_path, Kept()):
            await until(lambda: len(server.asked("setMyCommands")) == 2)
        menus = {scope: [one["command"] for one in found] for scope, found in server.world.commands.items()}
    private, group = (next(v for k, v in menus.items() if wanted in k) for wanted in ("private", "group"))
    assert {"help", "stop", "approve", "new"} <= set(private)
    assert "exit" not in private
    assert set(group) < set(private)
    assert "approve" not in group


async def test_many_chats_do_not_wait_for_one_slow_file(tmp_path: Path) -> None:
    kept = Kept()
    async with serving() as server:
        await server.people.sends_file(ANNA, ANNA, "slow.bin", b"x", caption="slow")
        await server.people.says(BEN, BEN, "quick")
        gate = server.faults.delay("getFile")
        async with awake(server, tmp_path, kept):
            assert [event.content for event in await kept.has(1)] == ["quick"]
            gate.set()
            await kept.has(2)
