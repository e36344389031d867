"""Whether a bot is set up right: token, intents, and what it may do in each channel. Nothing here listens."""

from collections.abc import Iterator, Mapping, Sequence

from channels.contract import Finding, Health
from channels.discord.fields import Json, inner, number, objects, text, texts
from channels.discord.rest import Refused, Rest
from channels.discord.settings import DiscordSettings
from core.domain.errors import SendError

# https://docs.discord.com/developers/topics/permissions: what is used, and nothing else.
RIGHTS: Mapping[str, int] = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Send Messages in Threads": 1 << 38,
    "Read Message History": 1 << 16,
    "Add Reactions": 1 << 6,
    "Attach Files": 1 << 15,
}
THREADS: Mapping[str, int] = {"Create Public Threads": 1 << 35}
ADMINISTRATOR = 1 << 3
CONTENT_FLAGS = (1 << 18) | (1 << 19)
INVITE = "https://discord.com/oauth2/authorize?client_id={id}&scope=bot+applications.commands&permissions={rights}"
TEXT_CHANNELS = frozenset({0, 5})
PORTAL = "in the developer portal (Bot, Privileged Gateway Intents)"


def rights_of(settings: DiscordSettings) -> Mapping[str, int]:
    """The permissions that these settings need, by their names in Discord."""
    return {**RIGHTS, **THREADS} if settings.auto_thread else RIGHTS


def invite(application: str, settings: DiscordSettings) -> str:
    """The link that lets the bot into a server, with exactly the permissions that it uses."""
    return INVITE.format(id=application, rights=sum(rights_of(settings).values()))


async def check(rest: Rest, settings: DiscordSettings, *, deep: bool) -> Sequence[Finding]:
    """Each thing that was found, good or not."""
    try:
        app = _object(await rest.call("GET", "/applications/@me"))
    except Refused as refused:
        fix = "copy the token again from the developer portal (Bot, Reset Token) into channels.discord.bot_token"
        return [Finding(health=Health.FAULT, what=f"the token: {refused}", fix=fix if refused.status == 401 else "")]
    except SendError as error:
        return [
            Finding(health=Health.FAULT, what=f"{settings.api_url}: {error}", fix="is channels.discord.api_url right?")
        ]
    application = text(app, "id") or ""
    findings = [Finding(health=Health.GOOD, what=f"the token is that of {text(app, 'name') or application}")]
    findings.append(_content(number(app, "flags"), settings))
    findings += await _places(rest, application, settings)
    if deep:
        findings.append(await _gateway(rest))
    link = invite(application, settings)
    return [*findings, Finding(health=Health.GOOD, what=f"the link to invite the bot with: {link}")]


def _content(flags: int, settings: DiscordSettings) -> Finding:
    """Asking for an intent that is switched off ends the connection; not asking leaves the words of others empty."""
    if not settings.message_content:
        what = "message_content is off: in servers only mentions of the bot, and replies to it, can be read"
        return Finding(health=Health.WARNING, what=what)
    if flags & CONTENT_FLAGS:
        return Finding(health=Health.GOOD, what="the message content intent is switched on")
    fix = f"switch it on {PORTAL}, or set channels.discord.message_content = false"
    return Finding(health=Health.FAULT, what="the message content intent is switched off", fix=fix)


async def _places(rest: Rest, bot: str, settings: DiscordSettings) -> list[Finding]:
    findings: list[Finding] = []
    try:
        guilds = [one for one in _list(await rest.call("GET", "/users/@me/guilds")) if text(one, "id")]
        for guild in guilds:
            findings += await _guild(rest, bot, guild, settings)
    except (Refused, SendError) as error:
        return [*findings, Finding(health=Health.WARNING, what=f"servers could not be looked at: {error}")]
    if not guilds:
        fix = f"open {invite(bot, settings)}"
        return [Finding(health=Health.WARNING, what="the bot is in no server: only direct messages reach it", fix=fix)]
    return findings


async def _guild(rest: Rest, bot: str, guild: Json, settings: DiscordSettings) -> list[Finding]:
    guild_id, name = text(guild, "id") or "", text(guild, "name") or "a server"
    member = _object(await rest.call("GET", "/guilds/{guild_id}/members/{user_id}", guild_id=guild_id, user_id=bot))
    whole = _object(await rest.call("GET", "/guilds/{guild_id}", guild_id=guild_id))
    channels = _list(await rest.call("GET", "/guilds/{guild_id}/channels", guild_id=guild_id))
    roles = {text(one, "id"): _bits(one, "permissions") for one in objects(whole, "roles")}
    mine = [guild_id, *texts(member, "roles")]
    base = 0
    for role in mine:
        base |= roles.get(role, 0)
    lacking = list(_lacking(channels, bot, mine, base, settings))
    good = Finding(health=Health.GOOD, what=f"{name}: {len(channels) - len(lacking)} channels can be used")
    return [good, *(Finding(health=Health.WARNING, what=f"{name}, {what}", fix=fix) for what, fix in lacking)]


def _lacking(
    channels: Sequence[Json], bot: str, roles: Sequence[str], base: int, settings: DiscordSettings
) -> Iterator[tuple[str, str]]:
    """Channels that the bot can see, and what it may not do there. One that it does not see was not meant for it."""
    for channel in channels:
        rights = effective(base, objects(channel, "permission_overwrites"), bot, roles)
        missing = [name for name, bit in rights_of(settings).items() if not rights & bit]
        if channel.get("type") in TEXT_CHANNELS and missing and rights & RIGHTS["View Channels"]:
            place = f"#{text(channel, 'name') or text(channel, 'id')}"
            yield f"{place}: not allowed to {', '.join(missing)}", f"allow it in the permissions of {place}"


def effective(base: int, overwrites: Sequence[Json], bot: str, roles: Sequence[str]) -> int:
    """What somebody may do in a channel: everyone's overwrite first, then those of the roles, then the own one."""
    if base & ADMINISTRATOR:
        return -1
    by_id = {text(one, "id"): one for one in overwrites}
    everyone, others = by_id.get(roles[0], {}), [by_id[one] for one in roles[1:] if one in by_id]
    rights = (base & ~_bits(everyone, "deny")) | _bits(everyone, "allow")
    denied = allowed = 0
    for one in others:
        denied, allowed = denied | _bits(one, "deny"), allowed | _bits(one, "allow")
    rights = (rights & ~denied) | allowed
    own = by_id.get(bot, {})
    return (rights & ~_bits(own, "deny")) | _bits(own, "allow")


async def _gateway(rest: Rest) -> Finding:
    try:
        told = _object(await rest.call("GET", "/gateway/bot"))
    except (Refused, SendError) as error:
        return Finding(health=Health.FAULT, what=f"the gateway is not offered: {error}")
    left = number(inner(told, "session_start_limit"), "remaining")
    health = Health.GOOD if left > 10 else Health.WARNING
    return Finding(health=health, what=f"the gateway is there; {left} connections are left for today")


def _bits(told: Json, key: str) -> int:
    found = text(told, key) or "0"
    return int(found) if found.isdigit() and len(found) <= 20 else 0


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
