"""`python -m gateway.cli`: the same as the `parley` command."""

from gateway.cli import main

if __name__ == "__main__":
    main()
