"""The fetch layer against real servers on loopback. `public` sites are the addresses that a test names as reachable."""

import asyncio
import gzip
import itertools
import shutil
import ssl
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.domain.errors import ToolError
from core.tools.fetch import Caps, Fetch, Reach
from tests.fakes.web import Names, Site, answer, endless, literal, moved, silence

LOOPBACK = "127.0.0.1"
PUBLIC = "93.184.216.34"


def reaching(*sites: Site, names: Names, caps: Caps | None = None, tls: ssl.SSLContext | None = None) -> Fetch:
    """A fetch for which these sites, and nothing else on this machine, count as public."""
    return Fetch(resolve=names, reach=Reach(also=frozenset(site.place for site in sites)), caps=caps, tls=tls)


def here(name: str = "site.example") -> Names:
    return Names({name: [[LOOPBACK]]})


async def refusal(fetch: Fetch, url: str) -> str:
    with pytest.raises(ToolError) as caught:
        await fetch.get(url)
    return str(caught.value)


async def test_a_page_is_fetched_under_its_name_with_our_own_headers() -> None:
    async with Site({"/a": answer("hello", content_type="text/plain; charset=utf-8")}) as site:
        page = await reaching(site, names=here()).get(f"http://site.example:{site.port}/a?q=1#part")
    assert (page.status, page.body, page.media_type, page.charset) == (200, b"hello", "text/plain", "utf-8")
    assert (page.url, page.size, page.cut) == (f"http://site.example:{site.port}/a?q=1", 5, False)
    (asked,) = site.seen
    assert (asked.method, asked.target) == ("GET", "/a?q=1")
    assert asked.headers == {
        "host": f"site.example:{site.port}",
        "user-agent": "Parley",
        "accept-encoding": "gzip",
        "accept": "*/*",
        "connection": "close",
    }


async def test_the_status_of_a_page_is_the_callers_to_judge() -> None:
    async with Site() as site:
        page = await reaching(site, names=here()).get(f"http://site.example:{site.port}/none")
    assert (page.status, page.media_type, page.charset) == (404, "", "")


async def test_private_targets_by_redirect_by_name_trick_and_by_odd_notation_are_all_refused() -> None:
    async with Site({"/": answer("private")}) as private, Site() as public:
        port = private.port
        public.pages["/go"] = moved(f"http://169.254.169.254:{public.port}/latest/meta-data/")
        public.pages["/back"] = moved(f"http://{LOOPBACK}:{port}/")
        names = Names({"site.example": [[LOOPBACK]], "rebind.example": [[PUBLIC], [LOOPBACK]]})
        fetch = reaching(public, names=names, caps=Caps(seconds=0.5))
        for url in (
            f"http://site.example:{public.port}/go",
            f"http://site.example:{public.port}/back",
            f"http://[::ffff:127.0.0.1]:{port}/",
            f"http://[::ffff:7f00:1]:{port}/",
            f"http://2130706433:{port}/",
            f"http://0x7f.1:{port}/",
            "file:///etc/passwd",
            f"http://rebind.example:{port}/",
            f"http://user@{LOOPBACK}:{port}/",
            f"http://localhost.:{port}/",
            f"http://{LOOPBACK}:{port}/",
            f"http://localhost:{port}/",
        ):
            assert "refused" in await refusal(fetch, url), url
        assert len(public.seen) == 2
        assert private.connections == 0


@pytest.mark.parametrize(
    "host",
    ["[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fec0::1]", "224.0.0.1", "0.0.0.0", "[::]", "[::1]"],
)
async def test_an_address_that_leads_home_in_disguise_is_refused_as_literal_and_as_answer(host: str) -> None:
    bare = host.strip("[]")
    assert "not public" in await refusal(Fetch(resolve=Names({})), f"http://{host}/")
    assert "not public" in await refusal(Fetch(resolve=Names({"a.example": [[bare]]})), "http://a.example/")


async def test_a_name_is_looked_up_once_and_the_checked_address_is_the_one_connected_to() -> None:
    async with Site({"/": answer("private")}) as private, Site({"/": answer("public")}) as public:
        names = Names({"site.example": [[LOOPBACK], ["10.0.0.1"]]})
        page = await reaching(public, names=names).get(f"http://site.example:{public.port}/")
        assert (page.body, names.asked) == (b"public", ["site.example"])
        public.pages["/self"] = moved("/")
        names = Names({"site.example": [[LOOPBACK], ["10.0.0.1"]]})
        told = await refusal(reaching(public, names=names), f"http://site.example:{public.port}/self")
        assert "not public" in told
        assert len(names.asked) == 2  # the second hop is a check of its own
        assert private.connections == 0


@pytest.mark.parametrize("private", ["10.0.0.1", "fd00::1", "169.254.169.254", "::ffff:10.0.0.1", "not an address"])
async def test_one_private_address_among_public_ones_refuses_the_name(private: str) -> None:
    async with Site() as site:
        for answers in ([LOOPBACK, private], [private, LOOPBACK]):
            names = Names({"site.example": [answers]})
            assert "refused" in await refusal(reaching(site, names=names), f"http://site.example:{site.port}/")
        assert site.connections == 0


async def test_a_name_without_an_answer_or_with_far_too_many_is_not_fetched() -> None:
    many = [f"93.184.{n}.1" for n in range(100)]
    fetch = Fetch(resolve=Names({"empty.example": [[]], "many.example": [many]}))
    assert "could not be looked up" in await refusal(fetch, "http://none.example/")
    assert "no usable address" in await refusal(fetch, "http://empty.example/")
    assert "no usable address" in await refusal(fetch, "http://many.example/")


async def test_by_default_nothing_on_this_machine_and_only_web_ports_are_reached() -> None:
    async with Site() as site:
        fetch = Fetch(resolve=Names({"site.example": [[LOOPBACK]], "pub.example": [[PUBLIC]]}))
        assert f"port {site.port} is not allowed" in await refusal(fetch, f"http://site.example:{site.port}/")
        assert "port 22 is not allowed" in await refusal(fetch, "http://pub.example:22/")
        for port in (80, 443, 8080):
            assert "not public" in await refusal(fetch, f"http://site.example:{port}/")
        assert site.connections == 0


async def test_a_reachable_place_is_one_port_of_one_address() -> None:
    reach = Reach(also=frozenset({(LOOPBACK, 4_000)}))
    assert reach.permits(LOOPBACK, 4_000)
    assert not reach.permits(LOOPBACK, 80)
    assert not reach.permits("127.0.0.2", 4_000)
    assert not reach.permits(PUBLIC, 4_000)
    assert reach.permits(PUBLIC, 80)


async def test_proxies_and_credentials_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine site.example login ada password secret")
    netrc.chmod(0o600)
    async with Site({"/": answer("direct")}) as site, Site({"/": answer("proxied")}) as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{LOOPBACK}:{proxy.port}")
            monkeypatch.setenv(name.lower(), f"http://{LOOPBACK}:{proxy.port}")
        monkeypatch.setenv("NETRC", str(netrc))
        page = await reaching(site, names=here()).get(f"http://site.example:{site.port}/")
        assert page.body == b"direct"
        assert "authorization" not in site.seen[0].headers
        assert proxy.connections == 0


async def test_redirects_are_followed_up_to_the_limit_and_not_once_more() -> None:
    async with Site({"/0": answer("end")}) as site:
        for n in range(1, 8):
            site.pages[f"/{n}"] = moved(f"/{n - 1}", status=(301, 302, 303, 307, 308)[n % 5])
        fetch = reaching(site, names=here())
        page = await fetch.get(f"http://site.example:{site.port}/5")
        assert (page.body, page.url) == (b"end", f"http://site.example:{site.port}/0")
        assert "more than 5 times" in await refusal(fetch, f"http://site.example:{site.port}/6")


async def test_no_cookie_is_carried_from_one_hop_to_the_next() -> None:
    async with Site({"/": answer("end")}) as site:
        site.pages["/set"] = answer(status=302, location="/", set_cookie="id=1")
        await reaching(site, names=here()).get(f"http://site.example:{site.port}/set")
    assert all("cookie" not in asked.headers for asked in site.seen)


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://site.example/", "//localhost/", "http://10.0.0.1/", "\\\\x"]
)
async def test_a_redirect_to_anything_but_a_public_page_is_refused(location: str) -> None:
    async with Site({"/": moved(location)}) as site:
        assert "is refused" in await refusal(reaching(site, names=here()), f"http://site.example:{site.port}/")


async def test_a_body_is_read_at_the_limit_and_cut_one_byte_past_it() -> None:
    async with Site({"/at": answer(b"x" * 1_000), "/past": answer(b"x" * 1_001)}) as site:
        fetch = reaching(site, names=here(), caps=Caps(body=1_000))
        at = await fetch.get(f"http://site.example:{site.port}/at")
        past = await fetch.get(f"http://site.example:{site.port}/past")
    assert (len(at.body), at.cut) == (1_000, False)
    assert (len(past.body), past.cut, past.size) == (1_000, True, 1_001)


async def test_an_endless_body_is_left_at_the_limit() -> None:
    async with Site({"/": endless(itertools.repeat(b"x" * 65_536))}) as site:
        page = await reaching(site, names=here()).get(f"http://site.example:{site.port}/")
    assert (len(page.body), page.cut) == (Caps().body, True)


async def test_a_compressed_page_is_unpacked_and_a_bomb_stops_at_the_limit() -> None:
    bomb = gzip.compress(bytes(100_000_000), 1)
    async with Site({"/": answer(gzip.compress(b"hello"), content_encoding="gzip")}) as site:
        site.pages["/bomb"] = answer(bomb, content_encoding="gzip")
        site.pages["/parts"] = answer(gzip.compress(b"") * 50_000, content_encoding="gzip")
        site.pages["/br"] = answer(b"x", content_encoding="br")
        fetch = reaching(site, names=here())
        assert (await fetch.get(f"http://site.example:{site.port}/")).body == b"hello"
        page = await fetch.get(f"http://site.example:{site.port}/bomb")
        assert (len(page.body), page.cut) == (2_000_000, True)
        assert "too many parts" in await refusal(fetch, f"http://site.example:{site.port}/parts")
        assert "not asked for" in await refusal(fetch, f"http://site.example:{site.port}/br")


async def test_a_server_that_is_silent_or_drips_is_left_when_the_time_is_up() -> None:
    async with Site({"/silent": silence}) as site:

        async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nx")
            await silence(reader, writer)

        site.pages["/drip"] = drip
        fetch = reaching(site, names=here(), caps=Caps(seconds=0.1))
        start = time.perf_counter()
        for path in ("silent", "drip"):
            assert "within 0.1 seconds" in await refusal(fetch, f"http://site.example:{site.port}/{path}")
        assert time.perf_counter() - start < 2


async def test_a_name_service_that_does_not_answer_is_left_when_the_time_is_up() -> None:
    async def never(host: str, port: int) -> tuple[str, ...]:
        await asyncio.Event().wait()
        return ()

    assert "within 0.05 seconds" in await refusal(Fetch(resolve=never, caps=Caps(seconds=0.05)), "http://a.example/")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff" * 100,
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"x%d: y\r\n" % n for n in range(20_000)) + b"\r\n",
        b"HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\nlocation: /\r\ncontent-length: 0\r\n\r\n",
    ],
)
async def test_an_answer_that_is_no_proper_http_is_a_told_error(data: bytes) -> None:
    async with Site({"/": literal(data)}) as site:
        told = await refusal(reaching(site, names=here()), f"http://site.example:{site.port}/")
    assert told.isprintable()


async def test_a_place_where_nothing_listens_is_told_as_out_of_reach() -> None:
    async with Site() as site:
        port = site.port
    fetch = Fetch(resolve=here(), reach=Reach(also=frozenset({(LOOPBACK, port)})))
    assert "cannot be reached" in await refusal(fetch, f"http://site.example:{port}/")


Certificate = Callable[[str], tuple[ssl.SSLContext, Path]]


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    """A fresh self-signed certificate for a name: the server's side of TLS, and the file that a client may trust."""
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command makes the certificates of these tests and is not installed")

    def make(name: str) -> tuple[ssl.SSLContext, Path]:
        key, cert = tmp_path / f"{name}.key", tmp_path / f"{name}.pem"
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
        files = ["-keyout", str(key), "-out", str(cert), "-days", "2"]
        subprocess.run([*request, *names, *files], check=True, capture_output=True)
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(cert, key)
        return server, cert

    return make


async def test_a_certificate_is_verified_against_its_issuer_and_its_name(certificate: Certificate) -> None:
    server, trusted = certificate("site.example")
    trusting = ssl.create_default_context(cafile=str(trusted))
    names = Names({"site.example": [[LOOPBACK]], "other.example": [[LOOPBACK]]})
    async with Site({"/": answer("safe")}, tls=server) as site:
        site.pages["/go"] = moved(f"https://other.example:{site.port}/")
        good, strange = f"https://site.example:{site.port}", f"https://other.example:{site.port}"
        assert (await reaching(site, names=names, tls=trusting).get(f"{good}/")).body == b"safe"
        assert "cannot be verified" in await refusal(reaching(site, names=names), f"{good}/")
        assert "cannot be verified" in await refusal(reaching(site, names=names, tls=trusting), f"{strange}/")
        assert "cannot be verified" in await refusal(reaching(site, names=names, tls=trusting), f"{good}/go")
    assert [asked.target for asked in site.seen] == ["/", "/go"]


async def test_a_server_without_tls_is_not_spoken_to_in_plain_text_instead() -> None:
    async with Site({"/": answer("plain")}, greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n") as site:
        assert "TLS" in await refusal(reaching(site, names=here()), f"https://site.example:{site.port}/")
    assert site.seen == []


def test_a_context_that_verifies_nothing_is_not_accepted() -> None:
    lax = ssl.create_default_context()
    lax.check_hostname = False
    with pytest.raises(ValueError, match="create_default_context"):
        Fetch(tls=lax)
