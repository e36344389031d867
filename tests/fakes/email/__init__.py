"""A mail server on loopback: a mailbox over IMAP, submission over SMTP, with faults and a ledger."""

from tests.fakes.email.postbox import Box as Box
from tests.fakes.email.postbox import Folder as Folder
from tests.fakes.email.server import PASSWORD as PASSWORD
from tests.fakes.email.server import MailServer as MailServer
