"""What `parley doctor` finds out about an app: its tokens, its scopes, and with `deep` one whole round trip."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from channels.contract import Finding, Health
from channels.slack.desk import Desk, app_token, signing_secret
from channels.slack.manifest import SCOPES, VITAL
from channels.slack.raw import objects_at, text_at
from core.domain.errors import SendError, SettingsError

WHERE: Final = "https://api.slack.com/apps"
WORDS: Final = "Parley checks that it can write here; this message goes away again."


async def check(desk: Desk, *, deep: bool) -> Sequence[Finding]:
    """Calls out and listens to nothing. What is wrong is a finding."""
    found = [one async for one in _tokens(desk)]
    if deep and not any(one.health is Health.FAULT for one in found):
        found.append(await _round_trip(desk))
    return found


async def _tokens(desk: Desk) -> AsyncIterator[Finding]:
    try:
        answer = await desk.api.answer("auth.test")
    except SendError as error:
        yield _fault(f"the bot token: {error}", f"{WHERE}, your app, OAuth & Permissions: copy the bot token anew")
        return
    yield _good(f"the bot token speaks for {text_at(answer.data, 'user')} in {text_at(answer.data, 'team')}")
    header = next((value for key, value in answer.headers.items() if key.lower() == "x-oauth-scopes"), "")
    granted = {one.strip() for one in header.split(",") if one.strip()}
    if granted:
        for one in _scopes(granted):
            yield one
    yield await _way_in(desk)


def _scopes(granted: set[str]) -> list[Finding]:
    missing = [scope for scope in SCOPES if scope not in granted]
    if not missing:
        return [_good(f"all {len(SCOPES)} scopes are granted")]
    fix = f"{WHERE}, your app, OAuth & Permissions: add the scope, then Reinstall to Workspace"
    return [
        Finding(
            health=Health.FAULT if scope in VITAL else Health.WARNING,
            what=f"the scope {scope} is missing: without it nothing {SCOPES[scope]}",
            fix=fix,
        )
        for scope in missing
    ]


async def _way_in(desk: Desk) -> Finding:
    settings, context = desk.settings, desk.context
    try:
        if settings.mode == "http":
            signing_secret(settings, context)
            return _good("there is a signing secret for posted events")
        await desk.api.call("apps.connections.open", token=app_token(settings, context).reveal())
    except SettingsError as error:
        return _fault(str(error), f"{WHERE}, your app, Basic Information")
    except SendError as error:
        fix = f"{WHERE}, your app, Basic Information, App-Level Tokens: one with connections:write; Socket Mode on"
        return _fault(f"the app token opens no socket: {error}", fix)
    return _good("the app token opens sockets")


async def _round_trip(desk: Desk) -> Finding:
    chat = desk.settings.doctor_chat
    if chat is None:
        return Finding(
            health=Health.WARNING,
            what="no message was sent: channels.slack.doctor_chat names no conversation",
            fix='set doctor_chat = "C..." to the id of a channel that the app is in',
        )
    try:
        posted = await desk.api.call("chat.postMessage", channel=chat, text=WORDS)
        ts = text_at(posted, "ts")
        await desk.api.call("chat.update", channel=chat, ts=ts, text=f"{WORDS} (changed)")
        page = await desk.api.call("conversations.history", channel=chat, oldest=ts, inclusive=True, limit=5)
        seen = any(text_at(one, "ts") == ts for one in objects_at(page, "messages"))
        await desk.api.call("chat.delete", channel=chat, ts=ts)
    except SendError as error:
        return _fault(f"a message to {chat} did not make the round trip: {error}", "invite the app into the channel")
    if not seen:
        return _fault(f"a message to {chat} was sent and could not be read back", "invite the app into the channel")
    return _good(f"a message to {chat} was sent, changed, read back and deleted")


def _good(what: str) -> Finding:
    return Finding(health=Health.GOOD, what=what)


def _fault(what: str, fix: str) -> Finding:
    return Finding(health=Health.FAULT, what=what, fix=fix)
