"""The servers, once for all tests of this folder."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.email.peers import Peers, missing, started


@pytest.fixture(scope="session")
def peers() -> Iterator[Peers]:
    """Dovecot and Postfix."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    # Not where pytest keeps its folders: these servers' own users have to get there.
    with tempfile.TemporaryDirectory(prefix="mail-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with started(folder) as servers:
            yield servers
