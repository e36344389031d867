"""Dovecot and Postfix as Debian ships them, in a folder of their own, on free ports of the loopback."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("dovecot", "doveadm", "postfix", "openssl")
DOMAIN = "example.test"
PASSWORD = "pw"

DOVECOT = """
base_dir = {folder}/run
log_path = {folder}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
mail_location = maildir:~/Maildir
mail_max_userip_connections = 200
passdb {{
  driver = static
  args = password=pw
}}
userdb {{
  driver = static
  args = uid=vmail gid=vmail home={folder}/mail/%u
}}
namespace inbox {{
  inbox = yes
  mailbox Sent {{
    auto = create
    special_use = \\Sent
  }}
}}
service imap-login {{
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
service auth {{
  inet_listener {{
    address = 127.0.0.1
    port = {sasl}
  }}
}}
service stats {{
  unix_listener stats-writer {{
    mode = 0666
  }}
}}
"""

MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/spool
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
myhostname = mx.example.test
mydestination =
virtual_mailbox_domains = example.test
local_recipient_maps =
alias_maps =
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
inet_interfaces = 127.0.0.1
mynetworks = 127.0.0.0/8
smtpd_tls_cert_file = {folder}/cert.pem
smtpd_tls_key_file = {folder}/key.pem
smtpd_tls_security_level = may
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{sasl}
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
default_transport = bouncer
relay_transport = error:no relay in this test
message_size_limit = 30000000
virtual_mailbox_limit = 0
"""

MASTER = """
127.0.0.1:{smtp} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
bouncer unix - n n - - pipe user=nobody argv=/bin/sh -c {{exit 67}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """Everybody at example.test has a mailbox there, under the same password."""

    folder: Path
    imaps: int
    smtp: int

    @property
    def certificate(self) -> Path:
        """What to trust."""
        return self.folder / "cert.pem"

    def settings(self, address: str, **more: object) -> dict[str, object]:
        """Of a mailbox there."""
        return {
            "address": address,
            "password": PASSWORD,
            "imap_host": "127.0.0.1",
            "imap_port": self.imaps,
            "smtp_host": "127.0.0.1",
            "smtp_port": self.smtp,
            "smtp_tls": "starttls",
            "ca_file": str(self.certificate),
            "trusted_authserv_id": "mx.example.test",
            **more,
        }


def missing() -> str | None:
    """Why they cannot be started here."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    if absent:
        return f"{', '.join(absent)}: not installed; Debian has dovecot-imapd, dovecot-lmtpd, postfix, openssl"
    return None if os.geteuid() == 0 else "Postfix can only be started by root"


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def _run(*command: str) -> None:
    # Servers keep what they inherit: a pipe would never end.
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(command, stdout=said, stderr=said, check=False, env={"PATH": _path()}, timeout=60)
        if done.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)}: {said.read()}")


@contextmanager
def started(folder: Path) -> Iterator[Peers]:
    """Both, until the end of the block. The folder has to be readable for everybody down from the root."""
    ports = dict(zip(("imaps", "lmtp", "sasl", "smtp"), _free(4), strict=True))
    for name in ("run", "mail", "postfix", "spool", "data"):
        (folder / name).mkdir()
    _certify(folder)
    if subprocess.run(["id", "vmail"], capture_output=True, check=False).returncode:
        _run("useradd", "-r", "vmail")
    shutil.chown(folder / "data", "postfix")
    shutil.chown(folder / "mail", "vmail")
    (folder / "dovecot.conf").write_text(DOVECOT.format(folder=folder, **ports))
    (folder / "postfix" / "main.cf").write_text(MAIN.format(folder=folder, **ports))
    (folder / "postfix" / "master.cf").write_text(MASTER.format(**ports))
    with ExitStack() as stack:
        _run("dovecot", "-c", str(folder / "dovecot.conf"))
        stack.callback(_run, "doveadm", "-c", str(folder / "dovecot.conf"), "stop")
        _run("postfix", "-c", str(folder / "postfix"), "start")
        stack.callback(_run, "postfix", "-c", str(folder / "postfix"), "stop")
        yield Peers(folder=folder, imaps=ports["imaps"], smtp=ports["smtp"])


def _certify(folder: Path) -> None:
    key = ("-newkey", "rsa:2048", "-nodes", "-keyout", str(folder / "key.pem"))
    name = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
    _run("openssl", "req", "-x509", *key, "-out", str(folder / "cert.pem"), "-days", "30", *name)


def _free(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]
