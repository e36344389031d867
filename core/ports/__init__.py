"""What core needs from the outside, as small protocols, each beside its consumer's others."""

from core.ports.ambient import Chance as Chance
from core.ports.ambient import Clock as Clock
from core.ports.ambient import Wakeup as Wakeup
from core.ports.delivery import Lane as Lane
from core.ports.delivery import Outbox as Outbox
from core.ports.delivery import Retry as Retry
from core.ports.delivery import Sending as Sending
from core.ports.intake import Accepted as Accepted
from core.ports.intake import ChatSettings as ChatSettings
from core.ports.intake import Inbox as Inbox
from core.ports.intake import PendingCommand as PendingCommand
from core.ports.intake import QueueView as QueueView
from core.ports.model import Model as Model
from core.ports.model import Models as Models
from core.ports.tool import Agents as Agents
from core.ports.tool import Tool as Tool
from core.ports.tool import ToolContext as ToolContext
from core.ports.turns import Asks as Asks
from core.ports.turns import Children as Children
from core.ports.turns import Claim as Claim
from core.ports.turns import Ending as Ending
from core.ports.turns import Finished as Finished
from core.ports.turns import Lease as Lease
from core.ports.turns import Signal as Signal
from core.ports.turns import Turns as Turns
from core.ports.turns import Waits as Waits
