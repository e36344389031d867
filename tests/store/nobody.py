"""A process without rights in the folder that it is given: it opens the store there and says how that went."""

import os
import sys
from pathlib import Path

from core.domain.errors import StoreError
from core.store.store import open_sqlite
from tests.fakes.clock import FakeClock

NOBODY = 65534


def main() -> None:
    """Root may do everything, so it first becomes somebody else."""
    folder = Path(sys.argv[1])
    folder.chmod(0o500)
    if os.geteuid() == 0:
        os.chdir(folder)
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        open_sqlite(folder / "parley.db", FakeClock()).close()
    except StoreError as exc:
        sys.stdout.write(f"{type(exc).__name__}: {exc}\n")
    else:
        sys.stdout.write("opened\n")
    finally:
        if os.geteuid() != NOBODY:
            folder.chmod(0o700)


if __name__ == "__main__":
    main()
