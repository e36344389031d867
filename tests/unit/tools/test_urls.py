"""Which URLs are looked up at all."""

from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from yarl import URL

from core.domain.errors import ToolError
from core.tools.urls import redirected, target_of

quick = settings(max_examples=200, deadline=None, database=None)


def usual(port: int) -> bool:
    return port in (80, 443)


REFUSED = {
    "another scheme": ["file:///etc/passwd", "ftp://example.com/", "gopher://example.com/", "javascript:alert(1)"],
    "no scheme": ["example.com", "//example.com/", "/etc/passwd", "", "http", "http:"],
    "odd slashes": ["http:example.com", "http:/example.com", "http:///example.com", "http:////example.com"],
    "a user name": [
        "http://user@example.com/",
        "http://good.example@10.0.0.1/",
        "http://a:b@example.com",
        "http://@example.com",
    ],
    "a backslash": [
        "http://example.com\\@10.0.0.1/",
        "http:\\\\example.com",
        "http://example.com/\\..",
        "http://10.0.0.1\\.example.com",
    ],
    "an encoded host": ["http://example.com%2f@10.0.0.1/", "http://10.0.0.1%2f.example.com/", "http://exa%6dple.com/"],
    "spaces and controls": [
        " http://example.com",
        "http://example.com ",
        "ht\ttp://example.com",
        "http://exam\nple.com/",
        "http://example.com/a b",
        "http://example.com\x00.evil.com",
        "http://example.com/\x7f",
        "\ufeffhttp://example.com",
        "http://example.com/\u2028",
        "http://example.com/\ud800",
        "http\r\n://example.com",
    ],
    "a number for a host": [
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://017700000001/",
        "http://0177.0.0.1/",
        "http://127.0.0.01/",
        "http://127.0.0.1.1/",
        "http://1.2.3.256/",
        "http://example.1/",
        "http://example.0x7f/",
        "http://0/",
        "http://0x/",
    ],
    "a dot at the end": [
        "http://example.com./",
        "http://localhost.:8080/",
        "http://127.0.0.1./",
        "http://./",
        "http://../",
    ],
    "an odd name": [
        "http://exa_mple..com/",
        "http://-a.com/",
        "http://a-.com/",
        "http://.example.com/",
        "http://a*b.com",
        "http://" + "a" * 64 + ".com/",
        "http://" + "a." * 127 + "com/",
        "http://ex,ample.com/",
        "http://exa$mple.com",
    ],
    "another alphabet": [
        "http://münchen.de/",
        "http://１２７.0.0.1/",
        "http://example。com/",
        "http://ⓔxample.com/",
        "http://exampl℮.com",
    ],
    "a local name": [
        "http://localhost/",
        "http://LOCALHOST/",
        "http://x.localhost/",
        "http://metadata.google.internal/",
        "http://printer.local/",
        "http://intranet/",
        "http://router.lan/",
        "http://nas.home.arpa/",
        "http://svc.test/",
    ],
    "an odd address": [
        "http://[::1%25eth0]/",
        "http://[127.0.0.1]/",
        "http://[::1",
        "http://::1/",
        "http://[0:0::1]/",
        "http://[::FFFF:1]:0/",
        "http://[v1.x]/",
        "http://[::1]x/",
        "http://[]/",
        "http://1:2:3/",
    ],
    "a port": [
        "http://example.com:22/",
        "http://example.com:0/",
        "http://example.com:65536/",
        "http://example.com:99999999/",
        "http://example.com:-1/",
        "http://example.com:80a/",
        "http://example.com:8٠/",
        "http://example.com: 80/",
        "http://example.com:/",
    ],
    "too long": ["http://example.com/" + "x" * 4_096],
}


@pytest.mark.parametrize(("kind", "url"), [(kind, url) for kind, urls in REFUSED.items() for url in urls])
def test_a_url_that_is_not_in_plain_public_form_is_refused(kind: str, url: str) -> None:
    with pytest.raises(ToolError, match="is refused"):
        target_of(url, usual)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.com/", "only http:// and https:// are fetched"),
        ("http:///example.com", "exactly two slashes"),
        ("http://user@example.com/", "a user name"),
        ("http://example.com%2f/", "percent-encoded"),
        ("http://example.com/ ", "a space, a backslash or a control character"),
        ("http://127.1/", "a number that is not a plain address"),
        ("http://example.com./", "ends with a dot"),
        ("http://münchen.de/", "write it in its xn-- form"),
        ("http://intranet/", "a name of a local network"),
        ("http://example.com:22/", "port 22 is not allowed"),
    ],
)
def test_the_refusal_says_what_is_wrong_with_the_url(url: str, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        target_of(url, usual)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://example.com", "example.com", 80),
        ("HTTPS://Example.COM/Path?q=1#part", "example.com", 443),
        ("https://example.com:443/", "example.com", 443),
        ("http://example.com?q=http://10.0.0.1/", "example.com", 80),
        ("http://example.com/@10.0.0.1/", "example.com", 80),
        ("http://xn--mnchen-3ya.de/größe/%2e%2e/x", "xn--mnchen-3ya.de", 80),
        ("http://my_host.example.com/", "my_host.example.com", 80),
        ("http://93.184.216.34/", "93.184.216.34", 80),
        ("http://127.0.0.1/", "127.0.0.1", 80),  # in plain form; the address is judged after this
        ("http://[2606:4700::1111]/", "2606:4700::1111", 80),
        ("http://123.com/", "123.com", 80),
        ("http://localhost.example.com/", "localhost.example.com", 80),
    ],
)
def test_a_plain_url_gives_host_and_port(url: str, host: str, port: int) -> None:
    target = target_of(url, usual)
    assert (target.host, target.port) == (host, port)
    assert target.is_address is (host in ("93.184.216.34", "127.0.0.1", "2606:4700::1111"))


def test_the_part_after_the_hash_is_not_sent() -> None:
    assert str(target_of("http://example.com/a#secret", usual).url) == "http://example.com/a"


authority_pieces = st.sampled_from(
    [
        "example.com",
        "10.0.0.1",
        "@",
        ":",
        "80",
        "\\",
        "/",
        "%2f",
        "%40",
        "[",
        "]",
        "::1",
        ".",
        "?",
        "#",
        "\t",
        "\n",
        " ",
        "0x7f",
        "．",
        "a",
    ]
)
urls = st.lists(authority_pieces, max_size=6).map(lambda pieces: "http://" + "".join(pieces))


@quick
@given(st.one_of(urls, st.text(max_size=30).map("http://{}".format), st.text()))
def test_every_parser_finds_the_host_that_was_checked(url: str) -> None:
    with suppress(ToolError):
        target = target_of(url, usual)
        for reading in (url, str(target.url)):
            assert urlsplit(reading).hostname == target.host
            assert URL(reading).raw_host == target.host
            assert urlsplit(reading).username is None
        assert target.host.isascii()
        assert target.port in (80, 443)


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("/b?x=1", "https://example.com/b?x=1"),
        ("b", "https://example.com/a/b"),
        ("//other.example/b", "https://other.example/b"),
        ("http://other.example/", "http://other.example/"),
        ("?q", "https://example.com/a/?q"),
        ("#part", "https://example.com/a/"),
    ],
)
def test_a_redirect_leads_where_a_browser_would_go(location: str, leads_to: str) -> None:
    assert str(redirected(target_of("https://example.com/a/", usual), location, usual).url) == leads_to


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "//localhost/",
        "http://user@10.0.0.1/",
        "\\\\10.0.0.1\\",
        "/a\r\nb",
        "http://[::1",
        "data:text/html,x",
    ],
)
def test_a_redirect_is_judged_as_strictly_as_the_first_url(location: str) -> None:
    with pytest.raises(ToolError, match="is refused"):
        redirected(target_of("https://example.com/a/", usual), location, usual)


@quick
@given(st.text())
def test_no_redirect_ends_otherwise_than_in_a_target_or_a_refusal(location: str) -> None:
    with suppress(ToolError):
        assert redirected(target_of("https://example.com/a/", usual), location, usual).url.scheme in ("http", "https")
