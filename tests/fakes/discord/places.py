"""Routes of who and where: the app itself, users, guilds, channels, DMs, threads and forum posts."""

from collections.abc import Mapping

from tests.fakes.discord.calls import Answer, Call, Route
from tests.fakes.discord.compose import composed
from tests.fakes.discord.refused import invalid_form, unknown
from tests.fakes.discord.world import APP, BOT, CONTENT_FLAGS, FORUM, GUILD, MEMBER_RIGHTS, OWNER, World, iso
from tests.fakes.wire import Json, flag_at, object_at, text_at


def guild(world: World) -> Json:
    """All of the guild, as GUILD_CREATE has it."""
    everyone: Json = {"id": GUILD, "name": "@everyone", "color": 0, "hoist": False, "position": 0, "flags": 0}
    everyone |= {"permissions": MEMBER_RIGHTS, "managed": False, "mentionable": False}
    named = sorted({str(role) for user in world.users.values() for role in _roles(user)})
    roles = [everyone, *(everyone | {"id": role, "name": f"role {role}", "permissions": "0"} for role in named)]
    data: Json = {"id": GUILD, "name": "a guild", "owner_id": OWNER, "icon": None, "splash": None, "roles": roles}
    data |= {"discovery_splash": None, "afk_channel_id": None, "afk_timeout": 60, "verification_level": 0, "emojis": []}
    data |= {"default_message_notifications": 0, "explicit_content_filter": 0, "features": [], "mfa_level": 0}
    data |= {"application_id": None, "system_channel_id": None, "system_channel_flags": 0, "rules_channel_id": None}
    data |= {"vanity_url_code": None, "description": None, "banner": None, "premium_tier": 0, "stickers": []}
    data |= {"preferred_locale": "en-US", "nsfw_level": 0, "premium_progress_bar_enabled": False, "large": False}
    data |= {"joined_at": iso(0), "unavailable": False, "member_count": len(world.users), "voice_states": []}
    data |= {"members": [world.member(user) | {"user": world.public(user)} for user in world.users], "presences": []}
    data |= {"channels": _channels(world, thread=False), "threads": _awake(world)}
    return data | {"stage_instances": [], "guild_scheduled_events": [], "soundboard_sounds": []}


def application(world: World) -> Json:
    """The app; its flags say whether it may read what people write."""
    data: Json = {"id": APP, "name": "parley", "description": "", "icon": None, "bot_public": True, "summary": ""}
    data |= {
        "bot_require_code_grant": False,
        "verify_key": "00",
        "owner": world.public(OWNER),
        "bot": world.public(BOT),
    }
    return data | {"flags": CONTENT_FLAGS if world.content_intent else 0, "approximate_guild_count": 1}


def _roles(user: Json) -> list[object]:
    roles = user["roles"]
    assert isinstance(roles, list)
    return roles


def _awake(world: World) -> list[Json]:
    return [one for one in _channels(world, thread=True) if not flag_at(one, "thread_metadata", "archived")]


def _channels(world: World, *, thread: bool) -> list[Json]:
    return [
        place.data
        for place in world.places.values()
        if "guild_id" in place.data and place.is_thread == thread and "view" not in place.denied
    ]


async def me(call: Call) -> Answer:
    """The app's own user."""
    return call.world.public(BOT) | {"flags": 0, "email": None, "verified": True, "mfa_enabled": True}


async def user(call: Call) -> Answer:
    """Anybody."""
    return call.world.public(call.ids["user"])


async def app(call: Call) -> Answer:
    """Both of its addresses give the same here."""
    return application(call.world)


async def direct(call: Call) -> Answer:
    """Opens a DM; also with somebody who takes none: only sending is refused."""
    return call.world.places[call.world.direct(call.text("recipient_id"))].data


async def guilds(call: Call) -> Answer:
    """Where the app is."""
    return [
        {"id": GUILD, "name": "a guild", "icon": None, "owner": False, "permissions": MEMBER_RIGHTS, "features": []}
    ]


async def one_guild(call: Call) -> Answer:
    """The guild without what only the gateway tells."""
    _known(call)
    return {key: value for key, value in guild(call.world).items() if key not in ("channels", "threads", "members")}


async def guild_channels(call: Call) -> Answer:
    """What the app sees of them, threads left out."""
    _known(call)
    return _channels(call.world, thread=False)


async def active_threads(call: Call) -> Answer:
    """All threads of the guild that are not archived."""
    _known(call)
    return {"threads": _awake(call.world), "members": [], "has_more": False}


async def archived_threads(call: Call) -> Answer:
    """The others, below one channel."""
    call.world.place(call.ids["channel"], to="history")
    found = [one for one in _channels(call.world, thread=True) if flag_at(one, "thread_metadata", "archived")]
    return {
        "threads": [one for one in found if one["parent_id"] == call.ids["channel"]],
        "members": [],
        "has_more": False,
    }


async def member(call: Call) -> Answer:
    """A member of the guild."""
    _known(call)
    if call.ids["user"] not in call.world.users:
        raise unknown("Member")
    return call.world.member(call.ids["user"]) | {"user": call.world.public(call.ids["user"])}


async def channel(call: Call) -> Answer:
    """Any place."""
    return call.world.place(call.ids["channel"]).data


async def start_thread(call: Call) -> Answer:
    """Below a channel; in a forum it is a post and brings its first message."""
    place = call.world.place(call.ids["channel"], to="send" if call.ids.get("message") else "view")
    if not 1 <= len(call.text("name")) <= 100:
        raise invalid_form("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    if call.ids.get("message"):
        call.world.message(place.id, call.ids["message"])
    made = call.world.thread(place.id, call.text("name"), BOT, thread_id=call.ids.get("message", ""))
    data = dict(call.world.places[made].data)
    await call.tell("THREAD_CREATE", data | {"newly_created": True})
    if place.kind == FORUM:
        first = composed(call.world, made, BOT, object_at(call.body, "message"), base=call.base, files=call.files)
        call.world.places[made].messages[text_at(first, "id")] = first
        call.world.accept("create", first)
        data["message"] = first
    return data


async def join_thread(call: Call) -> Answer:
    """Bots see a public thread anyway."""
    call.world.place(call.ids["channel"])
    return None


async def gateway(call: Call) -> Answer:
    """Where to connect."""
    limit: Json = {"total": 1000, "remaining": 999, "reset_after": 14_400_000, "max_concurrency": 1}
    return {"url": f"{call.base.replace('http', 'ws', 1)}/gw", "shards": 1, "session_start_limit": limit}


def _known(call: Call) -> None:
    if call.ids["guild"] != GUILD:
        raise unknown("Guild")


ROUTES: Mapping[tuple[str, str], Route] = {
    ("GET", "/users/@me"): me,
    ("GET", "/users/@me/guilds"): guilds,
    ("GET", "/users/{user}"): user,
    ("POST", "/users/@me/channels"): direct,
    ("GET", "/applications/@me"): app,
    ("GET", "/oauth2/applications/@me"): app,
    ("GET", "/gateway"): gateway,
    ("GET", "/gateway/bot"): gateway,
    ("GET", "/guilds/{guild}"): one_guild,
    ("GET", "/guilds/{guild}/channels"): guild_channels,
    ("GET", "/guilds/{guild}/threads/active"): active_threads,
    ("GET", "/guilds/{guild}/members/{user}"): member,
    ("GET", "/channels/{channel}"): channel,
    ("GET", "/channels/{channel}/threads/archived/public"): archived_threads,
    ("POST", "/channels/{channel}/threads"): start_thread,
    ("POST", "/channels/{channel}/messages/{message}/threads"): start_thread,
    ("PUT", "/channels/{channel}/thread-members/@me"): join_thread,
}
