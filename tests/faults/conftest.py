"""The dialogues' gateway, on a folder of its own."""

from tests.conversation.conftest import empty_store as empty_store
from tests.conversation.conftest import house as house
from tests.conversation.conftest import model as model
from tests.conversation.conftest import platform as platform
