"""`parley channels slack VERB`."""

import json
from collections.abc import Sequence

from channels.slack.manifest import manifest
from channels.slack.settings import SlackSettings
from core.domain.errors import SettingsError


def print_manifest(settings: SlackSettings | None, arguments: Sequence[str]) -> str:
    """The app manifest to paste into Slack: [NAME] [https://HOST/channels/slack/default, for mode http]"""
    urls = [word for word in arguments if word.startswith(("https://", "http://"))]
    names = [word for word in arguments if word not in urls]
    if max(len(urls), len(names)) > 1:
        raise SettingsError("manifest takes a name and, for mode http, the address of the events, and nothing else")
    if not urls and _posted(settings):
        raise SettingsError("channels.slack.mode is http: give the address too, as https://HOST/channels/slack/default")
    return json.dumps(manifest("".join(names) or "Parley", "".join(urls)), indent=2)


def _posted(settings: SlackSettings | None) -> bool:
    return settings is not None and settings.mode == "http"
