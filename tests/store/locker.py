"""A process that holds a store's write lock from the moment it says so until its input ends."""

import sqlite3
import sys


def main() -> None:
    """One argument: the file."""
    connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
    connection.execute("BEGIN IMMEDIATE")
    sys.stdout.write("locked\n")
    sys.stdout.flush()
    sys.stdin.read()
    connection.execute("ROLLBACK")
    connection.close()


if __name__ == "__main__":
    main()
