"""Processes on a home folder of their own."""

from tests.processes.fixtures import house as house
from tests.processes.fixtures import nursery as nursery
