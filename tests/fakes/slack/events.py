"""What Slack sends: bodies of the Events API, slash commands and interactions. Pure."""

from dataclasses import dataclass, field

from tests.fakes.slack.world import APP, BOT, TEAM, Person
from tests.fakes.wire import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Something for the app: `kind` is the envelope's type. A form goes out as such by HTTP."""

    kind: str
    payload: Json = field(hash=False)

    @property
    def answerable(self) -> bool:
        """Whether an acknowledgement may carry an answer."""
        return self.kind != "events_api"


def event_body(event: Json, event_id: str, at: float, team: str = TEAM) -> Delivery:
    """An event as the Events API wraps it. `team` is that of whoever caused it: another one in shared channels."""
    return Delivery(
        kind="events_api",
        payload={
            "token": "fake-verification-token",
            "team_id": TEAM,
            "context_team_id": TEAM,
            "api_app_id": APP,
            "type": "event_callback",
            "event_id": event_id,
            "event_time": int(at),
            "is_ext_shared_channel": team != TEAM,
            "authorizations": [
                {"enterprise_id": None, "team_id": TEAM, "user_id": BOT, "is_bot": True, "is_enterprise_install": False}
            ],
            "event": event,
        },
    )


def command_body(person: Person, channel: str, command: str, text: str, links: tuple[str, str]) -> Delivery:
    """A slash command. `links` are its response URL and its trigger."""
    response_url, trigger = links
    return Delivery(
        kind="slash_commands",
        payload={
            "token": "fake-verification-token",
            "team_id": person.team,
            "team_domain": "team",
            "channel_id": channel,
            "channel_name": "directmessage" if channel.startswith("D") else "general",
            "user_id": person.id,
            "user_name": person.name,
            "command": command,
            "text": text,
            "api_app_id": APP,
            "is_enterprise_install": "false",
            "response_url": response_url,
            "trigger_id": trigger,
        },
    )


def action_body(person: Person, channel: str, message: Json, action: Json, links: tuple[str, str]) -> Delivery:
    """A press on something in a message."""
    response_url, trigger = links
    container: Json = {"type": "message", "message_ts": message["ts"], "channel_id": channel, "is_ephemeral": False}
    if "thread_ts" in message:
        container["thread_ts"] = message["thread_ts"]
    return Delivery(
        kind="interactive",
        payload={
            "type": "block_actions",
            "user": {"id": person.id, "username": person.name, "name": person.name, "team_id": person.team},
            "api_app_id": APP,
            "token": "fake-verification-token",
            "container": container,
            "trigger_id": trigger,
            "team": {"id": TEAM, "domain": "team"},
            "channel": {"id": channel, "name": channel.lower()},
            "message": message,
            "state": {"values": {}},
            "response_url": response_url,
            "actions": [action],
        },
    )
