"""How an account is guarded, from its settings."""

from core.decide.gate import DmPolicy, Door
from gateway.sections import ChannelCommon

BOT_TURNS = 3
BOT_MAILS = 1


def door_of(common: ChannelCommon, *, mail: bool) -> Door:
    """`mail`: on a channel whose answers to strangers would feed loops nobody gets a code, and programs one turn."""
    usual = DmPolicy.ALLOWLIST if mail else DmPolicy.PAIRING
    wanted = common.dm_policy or usual
    most = common.max_bot_turns_per_thread
    return Door(
        # Settings refuse this already; a code that goes out by mail would be one too many.
        dm=usual if mail and wanted is DmPolicy.PAIRING else wanted,
        group=common.group_policy,
        groups=frozenset(common.groups),
        authors=frozenset(common.group_allow_from),
        activation=common.activation,
        thread_follow=common.thread_follow,
        bots=common.allow_bots,
        bot_turns=most if most is not None else BOT_MAILS if mail else BOT_TURNS,
        context=common.group_context,
    )
