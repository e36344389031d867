"""What `parley doctor` finds out about a bot: its token, its view of groups, who takes its updates, its rights."""

from collections.abc import Sequence

from channels.contract import Finding, Health
from channels.telegram.calls import Api
from channels.telegram.raw import Raw, flag_at, number_at, text_at
from channels.telegram.sending import receipt_of
from channels.telegram.settings import TelegramSettings
from core.domain.errors import SendError

NEEDED = ("can_delete_messages", "can_manage_topics")


async def findings(api: Api, settings: TelegramSettings, *, deep: bool) -> Sequence[Finding]:
    """Calls out and listens to nothing; a poll here would take the updates from whoever serves this bot."""
    try:
        me = _object(await api.call("getMe"))
    except SendError as exc:
        fix = "take the token from @BotFather (/mybots, API Token) and put it where token_env or token says"
        return [Finding(health=Health.FAULT, what=f"the bot cannot be reached: {exc}", fix=fix)]
    found = [Finding(health=Health.GOOD, what=f"the bot is @{text_at(me, 'username')}"), _privacy(me)]
    found += await _webhook(api, settings)
    if settings.doctor_chat:
        found += await _rights(api, settings.doctor_chat, str(number_at(me, "id") or ""))
        if deep:
            found.append(await _round_trip(api, settings.doctor_chat))
    return found


def _privacy(me: Raw) -> Finding:
    if flag_at(me, "can_read_all_group_messages"):
        return Finding(health=Health.GOOD, what="in groups it sees every message (privacy mode is off)")
    fix = (
        "where it should hear more than that: /setprivacy in @BotFather, choose Disable, then take the bot out of the "
        "group and put it in again; or make it an administrator there"
    )
    what = "in groups it sees only commands, mentions and replies to itself (privacy mode is on)"
    return Finding(health=Health.WARNING, what=what, fix=fix)


async def _webhook(api: Api, settings: TelegramSettings) -> list[Finding]:
    try:
        info = _object(await api.call("getWebhookInfo"))
    except SendError as exc:
        return [Finding(health=Health.WARNING, what=f"the webhook cannot be looked at: {exc}", fix="try again later")]
    url, waiting = text_at(info, "url"), number_at(info, "pending_update_count") or 0
    found = []
    if settings.mode == "polling" and url:
        fix = "nothing: parley run takes it away when it starts; if another program set it, that one loses its updates"
        found.append(
            Finding(health=Health.WARNING, what=f"a webhook is set to {url}, so polling gets nothing", fix=fix)
        )
    elif settings.mode == "webhook" and url and url != settings.webhook_url:
        found.append(
            Finding(health=Health.WARNING, what=f"Telegram calls {url}", fix="start parley run: it sets its own")
        )
    else:
        found.append(Finding(health=Health.GOOD, what=f"updates come by {settings.mode}, {waiting} are waiting"))
    if text_at(info, "last_error_message") and url:
        what = f"Telegram's last call to the webhook failed: {text_at(info, 'last_error_message')}"
        fix = "make the address reachable from outside by https with a valid certificate, and webhook_secret the same"
        found.append(Finding(health=Health.FAULT, what=what, fix=fix))
    return found


async def _rights(api: Api, chat_id: str, me: str) -> list[Finding]:
    try:
        chat = _object(await api.call("getChat", {"chat_id": chat_id}))
        member = _object(await api.call("getChatMember", {"chat_id": chat_id, "user_id": me}))
    except SendError as exc:
        fix = "put the bot into that chat, or write to it once in private; doctor_chat has to be the chat's number"
        return [Finding(health=Health.FAULT, what=f"the chat {chat_id} cannot be seen: {exc}", fix=fix)]
    return _standing(text_at(chat, "title") or text_at(chat, "first_name") or chat_id, member)


def _standing(name: str, member: Raw) -> list[Finding]:
    status = text_at(member, "status")
    if status in ("left", "kicked") or (status == "restricted" and not flag_at(member, "can_send_messages")):
        fix = "let it in again and let it write: the group's settings, Permissions or Administrators"
        return [Finding(health=Health.FAULT, what=f"in {name} the bot may not write ({status})", fix=fix)]
    found = [Finding(health=Health.GOOD, what=f"in {name} the bot is {status} and may write")]
    missing = [right for right in NEEDED if status == "administrator" and not flag_at(member, right)]
    if missing:
        what = f"in {name} it is an administrator without {', '.join(missing)}"
        found.append(Finding(health=Health.WARNING, what=what, fix="nothing needs them; they only tidy up"))
    return found


async def _round_trip(api: Api, chat_id: str) -> Finding:
    """Writes, changes and deletes one message."""
    try:
        sent = receipt_of(await api.call("sendMessage", {"chat_id": chat_id, "text": "parley doctor"}))
        where: dict[str, object] = {"chat_id": chat_id, "message_id": int(sent.message_id)}
        await api.call("editMessageText", {**where, "text": "parley doctor: fine"})
        await api.call("deleteMessage", where)
    except SendError as exc:
        return Finding(health=Health.FAULT, what=f"a message to {chat_id} did not go through: {exc}", fix="see above")
    return Finding(health=Health.GOOD, what=f"a message was written, changed and deleted in {chat_id}")


def _object(found: object) -> Raw:
    return found if isinstance(found, dict) else {}
