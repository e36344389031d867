"""Policies for tests that are about something else than access."""

from core.decide.gate import Activation, Door, GroupPolicy, Policy


def everywhere(place: tuple[str, str], people: frozenset[str], bosses: frozenset[str] = frozenset()) -> Policy:
    """These people are heard in every place of an account, whether they name us or not."""
    door = Door(group=GroupPolicy.OPEN, authors=people, activation=Activation.ALWAYS)
    return Policy(listed={place: people}, owners={place: bosses}, doors={place: door})
