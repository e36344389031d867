"""The composition root: the only package that sees channels and core together."""

from typing import Final

VERSION: Final = "0.1.0"
