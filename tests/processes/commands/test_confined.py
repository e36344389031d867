"""What a command can see and change: with a sandbox nearly nothing, and the gateway's environment never."""

import http.server
import os
import socket
import threading
from pathlib import Path

import pytest

from tests.processes.commands.bench import Bench

HOSTILE = (
    *("LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PERL5LIB"),
    *("PERL5OPT", "RUBYOPT", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "GIT_DIR"),
    *("GIT_EXTERNAL_DIFF", "EDITOR", "PAGER", "IFS", "PS4", "PROMPT_COMMAND", "CARGO_HOME", "RUSTC_WRAPPER", "CC"),
    *("http_proxy", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "KUBECONFIG", "DOCKER_HOST"),
)


async def test_nothing_of_our_environment_is_passed_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in HOSTILE:
        monkeypatch.setenv(name, "canary")
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("PATH", f"{bench.workspace}:{os.environ['PATH']}")
    said = await bench.says("env")
    assert "canary" not in said
    names = {line.partition("=")[0] for line in said.splitlines()}
    assert names <= {"PATH", "HOME", "LANG", "TERM", "TMPDIR", "TZ", "PWD"}
    assert f"HOME={bench.workspace.resolve()}\n" in said
    assert str(bench.workspace) not in said.partition("PATH=")[2].partition("\n")[0]


async def test_other_processes_cannot_be_seen(boxed: Bench) -> None:
    said = await boxed.says("sh", "-c", "cat /proc/[0-9]*/comm")
    assert "bwrap" in said
    assert set(said.split()) <= {"bwrap", "cat", "sh"}


async def test_settings_store_and_logs_are_not_there(boxed: Bench) -> None:
    (boxed.home / "parley.toml").write_text("canary")
    (boxed.home / "parley.db").write_text("canary")
    (boxed.home / "logs").mkdir()
    (boxed.home / "logs" / "parley.log").write_text("canary")
    (boxed.workspace / "way").symlink_to(boxed.home / "parley.db")
    said = await boxed.says("sh", "-c", "ls -A ..; cat ../parley.toml ../parley.db way ../logs/* 2>&1; true")
    assert "canary" not in said
    assert said.splitlines()[0] == "workspace"


@pytest.mark.parametrize("place", ["/etc/shadow", "/home", "/var", "/sys", "/opt", "/mnt", "/srv", "/run/docker.sock"])
async def test_a_place_outside_is_not_there(boxed: Bench, place: str) -> None:
    assert (await boxed.runs("ls", place)).text.startswith("exit status 2")


async def test_no_socket_of_any_service_is_there(boxed: Bench) -> None:
    assert await boxed.says("sh", "-c", "find / -type s 2>/dev/null; ls -A /run; echo end") == "end\n"


@pytest.mark.parametrize("place", ["/usr/bin/made", "/usr/lib/made", "/etc/made", "/made", "/proc/made"])
async def test_only_the_workspace_can_be_written(boxed: Bench, place: str) -> None:
    done = await boxed.runs("sh", "-c", f"echo x > {place}")
    assert done.failed
    await boxed.runs("sh", "-c", "echo x > ../made")
    assert not (boxed.home / "made").exists()
    await boxed.says("sh", "-c", "echo x > made && mkdir -p data && mv made data && echo y > /tmp/scratch")
    assert (boxed.workspace / "data" / "made").read_text() == "x\n"
    assert not Path("/tmp/scratch").exists()


async def test_uploads_of_other_chats_are_not_there(boxed: Bench) -> None:
    for chat in ("own", "other"):
        (boxed.workspace / "uploads" / chat).mkdir(exist_ok=True)
        (boxed.workspace / "uploads" / chat / "letter.txt").write_text(chat)
    assert await boxed.says("sh", "-c", "cat uploads/*/letter.txt; ls uploads") == "ownown\n"
    await boxed.says("sh", "-c", "echo more > uploads/own/more.txt")
    assert (boxed.workspace / "uploads" / "own" / "more.txt").read_text() == "more\n"


async def test_there_is_no_network(boxed: Bench, tmp_path: Path) -> None:
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    abstract.bind("\0parley-test-" + tmp_path.name)
    abstract.listen()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    program = (
        "import socket, sys\n"
        "for kind, place in ((socket.AF_INET, ('127.0.0.1', int(sys.argv[1]))), "
        "(socket.AF_INET, ('169.254.169.254', 80)), (socket.AF_UNIX, '\\0' + sys.argv[2])):\n"
        "    try:\n"
        "        socket.socket(kind, socket.SOCK_STREAM).connect(place)\n"
        "        print('connected')\n"
        "    except OSError:\n"
        "        print('none')\n"
    )
    try:
        said = await boxed.says("python3", "-c", program, str(server.server_address[1]), "parley-test-" + tmp_path.name)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        abstract.close()
    assert said == "none\nnone\nnone\n"


async def test_it_gains_no_rights(boxed: Bench) -> None:
    status = await boxed.says("cat", "/proc/self/status")
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {facts[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert facts["NoNewPrivs"] == "1"


async def test_what_it_may_use_is_bounded(bench: Bench) -> None:
    said = await bench.says("sh", "-c", "ulimit -c; ulimit -f; ulimit -d; ulimit -n")
    assert said.split() == ["0", str((1 << 30) // 512), str((4 << 30) // 1024), "1024"]


async def test_files_that_it_makes_are_private(bench: Bench) -> None:
    await bench.says("sh", "-c", "echo x > made")
    assert (bench.workspace / "made").stat().st_mode & 0o077 == 0
