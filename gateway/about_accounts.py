"""The enabled accounts of all channels: who they are, and what their channels find."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeVar

from channels import registry
from channels.contract import AnySpec, Checks, Closes, Finding, Health
from core.domain.errors import SendError, SettingsError
from gateway.findings import Found, fault, good, warning
from gateway.lines import wanted
from gateway.settings import ChannelSettings, Settings
from gateway.wiring import context_of

WITHIN_S: Final = 60.0
RETRY: Final = "is this machine online, and the platform up? Then run parley doctor again"

T = TypeVar("T")

Load = Callable[[str], AnySpec]
LOAD: Final[Load] = registry.load


async def accounts(settings: Settings, load: Load, *, deep: bool) -> AsyncIterator[Found]:
    """Each finding of each account, under its key."""
    sections = wanted(settings)
    if not sections:
        yield warning("channels", "no channel is configured: only this terminal", "run parley onboard")
    for section in sections:
        if not section.common.owners:
            what = "nobody is its owner: only the command line approves"
            yield warning(section.key, what, f"add owners = [ID] to [{section.key}]")
        for finding in await examined(settings, section, load(section.name), deep=deep):
            yield Found(part=section.key, finding=finding)


async def examined(settings: Settings, section: ChannelSettings, spec: AnySpec, *, deep: bool) -> Sequence[Finding]:
    """What the platform says of one account; what is wrong is a finding, no error."""
    found = await _within(_account(settings, section, spec), settings, section)
    if isinstance(found, Finding):
        return [found]
    checked = await _within(_checked(settings, section, spec, found, deep=deep), settings, section)
    return [checked] if isinstance(checked, Finding) else checked


async def _within(work: Awaitable[T], settings: Settings, section: ChannelSettings) -> T | Finding:
    try:
        async with asyncio.timeout(WITHIN_S):
            return await work
    except SettingsError as error:
        return fault("", str(error), f"correct it in [{section.key}] of {settings.file}").finding
    except (SendError, OSError) as error:
        return fault("", str(error) or "no answer in time", RETRY).finding


def _known(account: str) -> Finding:
    return good("", f"the account is {account}").finding


async def _account(settings: Settings, section: ChannelSettings, spec: AnySpec) -> str:
    if spec.identify is None:
        return section.account
    return await spec.identify(section.own, context_of(settings, section, section.account))


async def _checked(
    settings: Settings, section: ChannelSettings, spec: AnySpec, account: str, *, deep: bool
) -> Sequence[Finding]:
    channel = spec.build(section.own, context_of(settings, section, account))
    try:
        known = _known(account)
        if not isinstance(channel, Checks):
            return [known]
        found = await channel.check(deep=deep)
        return [known, *(_with_a_fix(finding, section) for finding in found)]
    finally:
        if isinstance(channel, Closes):
            with suppress(SendError, OSError):
                await channel.close()


def _with_a_fix(finding: Finding, section: ChannelSettings) -> Finding:
    if finding.health is Health.GOOD or finding.fix:
        return finding
    return replace(finding, fix=f"look at [{section.key}] and at the platform's own settings")
