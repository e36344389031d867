"""Slack on one port of loopback, as its documents describe it: for the real SDK, which does not know the difference.

async with SlackServer() as slack:
    slack.world.person("U1", "anna")
    slack.world.conversation("C1", "U1")
    ... connect the SDK with slack.api_url, BOT_TOKEN and APP_TOKEN ...
    await slack.people.says("U1", "C1", f"<@{BOT}> hello")
    slack.world.ledger     # what the app had accepted, whatever it heard
    slack.faults.cut("chat.postMessage", after=True)
"""

from tests.fakes.slack.server import SlackServer
from tests.fakes.slack.signed import SECRET, SignedPosts
from tests.fakes.slack.world import APP, APP_TOKEN, BOT, BOT_ID, BOT_TOKEN, TEAM, Accepted

__all__ = ["APP", "APP_TOKEN", "BOT", "BOT_ID", "BOT_TOKEN", "SECRET", "TEAM", "Accepted", "SignedPosts", "SlackServer"]
