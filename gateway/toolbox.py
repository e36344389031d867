"""The tools of this process, as the operator wants them."""

from collections.abc import Iterator, Mapping, Sequence

from channels.contract import AnyChannel
from core.domain.chat import ChatKey
from core.ports import Agents, Lane, Skills, Tool
from core.tools.fetch import Caps, Fetch
from core.tools.registry import shipped
from core.tools.run_command import RunCommand
from gateway.settings import DEFAULT_ACCOUNT, Settings


class Places(Mapping[str, ChatKey]):
    """The chats that settings name. An account is looked up each time: it may become known while the process runs."""

    def __init__(self, names: Sequence[str], channels: Sequence[AnyChannel]) -> None:
        self._names = tuple(names)
        self._channels = channels

    def __getitem__(self, name: str) -> ChatKey:
        if name not in self._names:
            raise KeyError(name)
        return place_of(name, [channel.lane for channel in self._channels])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def tools_of(settings: Settings, channels: Sequence[AnyChannel], agents: Agents, skills: Skills) -> Mapping[str, Tool]:
    """All but those that are denied. Raises SettingsError for a section of a tool that there is not."""
    bounds = settings.web_fetch
    caps = Caps(body=bounds.max_bytes, seconds=bounds.timeout_s, redirects=bounds.redirects)
    commands = settings.run_command
    command = RunCommand(sandboxed=commands.sandbox != "none", longest_s=commands.longest_s)
    tools = shipped(Fetch(caps=caps), agents, skills, command, Places(settings.send_to, channels))
    settings.require_tools(tools)
    denied = {name for name, tool in settings.tools.items() if tool.approval == "deny"}
    return {name: tool for name, tool in tools.items() if name not in denied}


def place_of(name: str, lanes: Sequence[Lane]) -> ChatKey:
    """The chat that a setting names. The account `default` is the one that this process serves on that channel."""
    channel, account, chat_id, *thread = name.split(":")
    if account == DEFAULT_ACCOUNT:
        account = next((lane.account for lane in lanes if lane.channel == channel), account)
    return ChatKey(channel=channel, account=account, chat_id=chat_id, thread_id=thread[0] if thread else None)
