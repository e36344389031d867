"""What the app asks of a workspace: one list of scopes and events, for the manifest and for the check."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Each scope and what would not work without it.
SCOPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "app_mentions:read": "hears that it is called in a channel",
        "assistant:write": "shows under an assistant's thread that work is going on",
        "channels:history": "reads messages of public channels that it is in",
        "channels:read": "knows the public channels that it is in",
        "chat:write": "answers",
        "commands": "takes /parley",
        "files:read": "fetches files that people share with it",
        "files:write": "sends files",
        "groups:history": "reads messages of private channels that it is in",
        "groups:read": "knows the private channels that it is in",
        "im:history": "reads direct messages",
        "im:read": "knows its direct conversations",
        "mpim:history": "reads conversations of several people that it is in",
        "mpim:read": "knows the conversations of several people that it is in",
        "reactions:read": "hears of reactions",
        "reactions:write": "shows by a reaction that it works on a message",
        "users:read": "calls people by their names",
    }
)
# Without these there is no conversation at all.
VITAL: Final = frozenset({"chat:write", "app_mentions:read", "im:history"})
EVENTS: Final = (
    "app_mention",
    "assistant_thread_context_changed",
    "assistant_thread_started",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
)


def manifest(name: str = "Parley", url: str = "") -> dict[str, object]:
    """https://docs.slack.dev/reference/app-manifest. With a `url` events are posted there, else sockets carry them."""
    posted = {"request_url": url} if url else {}
    command = {"command": "/parley", "description": "Ask, or give a command such as stop or status"}
    return {
        "display_information": {"name": name, "description": "An assistant that forgets no message"},
        "features": {
            "app_home": {"messages_tab_enabled": True, "messages_tab_read_only_enabled": False},
            "assistant_view": {"assistant_description": "Answers, asks back, and does what it may"},
            "bot_user": {"display_name": name, "always_online": True},
            "slash_commands": [
                command
                | {"usage_hint": "[help | stop | status | ...]", "should_escape": True}
                | ({"url": url} if url else {})
            ],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": posted | {"bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True} | posted,
            "org_deploy_enabled": False,
            "socket_mode_enabled": not url,
            "token_rotation_enabled": False,
        },
    }
