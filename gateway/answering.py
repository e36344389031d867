"""The agents that the settings name: each must be there and answer people."""

from collections.abc import Iterator

from core.domain.errors import SettingsError
from core.ports import Agents
from core.validation import KeyPath, Problem
from gateway.settings import Settings


def require_agents(settings: Settings, agents: Agents) -> None:
    """Raises SettingsError for the first agent that is named and cannot answer."""
    for refusal in refusals(settings, agents):
        raise refusal


def refusals(settings: Settings, agents: Agents) -> Iterator[SettingsError]:
    """One for each agent that is named and cannot answer, with the place that names it and what is wrong.

    A channel that is not enabled may be half written.
    """
    named: dict[KeyPath, str] = {("agent",): settings.agent}
    named |= {
        (*account.key.split("."), "agent"): account.common.agent
        for account in settings.accounts()
        if account.common.enabled and account.common.agent
    }
    for path, agent_id in named.items():
        try:
            agents.get(agent_id)
        except SettingsError as error:
            yield settings.source.error(Problem(path=path, text=f"names an agent that cannot answer: {error}"))
