"""The one way out to the web. Whatever is fetched on behalf of a model or a person goes through here.

A URL is parsed once and strictly; its name is looked up once; every address of the answer must be permitted; the socket
is opened to one of exactly these addresses. Each redirect starts again at the first check. The environment (proxies,
netrc) is not asked, no cookie is kept, TLS is always verified, and bytes are counted after decompression.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from aiohttp import (
    AddrInfoType,
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientSSLError,
    ClientTimeout,
    DummyCookieJar,
    TCPConnector,
    hdrs,
)
from aiohttp.abc import AbstractResolver, ResolveResult

from core.domain.errors import ToolError
from core.tools.addresses import is_public
from core.tools.decoding import ACCEPTED, Decoder
from core.tools.paths import shown
from core.tools.urls import Target, redirected, target_of

MOST_ADDRESSES = 32
REDIRECTS = frozenset({301, 302, 303, 307, 308})

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Where connections may go: public addresses at `ports`, and the (address, port) pairs named in `also`."""

    ports: frozenset[int] = frozenset({80, 443, 8080, 8443})
    also: frozenset[tuple[str, int]] = frozenset()

    def allows_port(self, port: int) -> bool:
        """Whether any address may be permitted at this port."""
        return port in self.ports or any(port == named for _, named in self.also)

    def permits(self, address: str, port: int) -> bool:
        """Whether this may be connected to."""
        return (address, port) in self.also or (port in self.ports and is_public(address))


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Bounds of one fetch: decoded bytes, seconds from first lookup to last byte, redirects."""

    body: int = 2_000_000
    seconds: float = 30.0
    redirects: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """An answer. `url` is where it came from after redirects; `size` what the server announced, in bytes on the wire.

    `cut` says that `body`, which is decoded, is not all of it. `media_type` and `charset` are empty when not sent.
    """

    url: str
    status: int
    media_type: str
    charset: str
    body: bytes
    size: int | None
    cut: bool


async def system_lookup(host: str, port: int) -> Sequence[str]:
    """The operating system's answer, in its order. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


class Fetch:
    """Fetches with one set of rules; holds no connection between two calls."""

    def __init__(
        self,
        *,
        resolve: Resolve = system_lookup,
        reach: Reach | None = None,
        caps: Caps | None = None,
        agent: str = "Parley",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`tls` may name other authorities to trust. Raises ValueError if it does not verify server and name."""
        if tls is not None and not (tls.check_hostname and tls.verify_mode == ssl.CERT_REQUIRED):
            raise ValueError("tls must verify certificates and host names; use ssl.create_default_context()")
        self._resolve = resolve
        self._reach = reach or Reach()
        self._caps = caps or Caps()
        self._headers = {hdrs.USER_AGENT: agent, hdrs.ACCEPT_ENCODING: ACCEPTED, hdrs.ACCEPT: "*/*"}
        self._tls = tls

    async def get(self, url: str) -> Page:
        """GET a URL, whatever the status of the answer.

        Raises ToolError when the URL or a redirect is refused, nothing answers, or the time is up.
        """
        try:
            async with asyncio.timeout(self._caps.seconds):
                return await self._follow(target_of(url, self._reach.allows_port))
        except TimeoutError as exc:
            raise ToolError(
                f"{shown(url)} did not answer in whole within {self._caps.seconds:g} seconds. "
                f"Try again later or use another address."
            ) from exc

    async def _follow(self, target: Target) -> Page:
        for _ in range(self._caps.redirects + 1):
            answer = await self._hop(target)
            if isinstance(answer, Page):
                return answer
            target = redirected(target, answer, self._reach.allows_port)
        raise ToolError(f"{shown(str(target.url))} was redirected more than {self._caps.redirects} times. Use its end.")

    async def _hop(self, target: Target) -> Page | str:
        """The page, or where it has moved to."""
        pinned = _Pinned(await self._addresses(target), target.port)
        connector = TCPConnector(
            resolver=pinned,
            use_dns_cache=False,
            force_close=True,
            ssl=self._tls or True,
            socket_factory=pinned.socket,
        )
        session = ClientSession(
            connector=connector,
            trust_env=False,
            auto_decompress=False,
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None),
            headers=self._headers,
        )
        try:
            async with session, session.get(target.url, allow_redirects=False) as response:
                location = response.headers.get(hdrs.LOCATION)
                if response.status in REDIRECTS and location is not None:
                    return location
                return await self._page(target, response)
        except (ClientError, ValueError) as exc:
            raise _failed(target, exc) from exc

    async def _addresses(self, target: Target) -> tuple[str, ...]:
        if target.is_address:
            found: Sequence[str] = (target.host,)
        else:
            try:
                found = await self._resolve(target.host, target.port)
            except OSError as exc:
                raise ToolError(f"The name {target.host} could not be looked up. Check it or try again later.") from exc
        if not found or len(found) > MOST_ADDRESSES:
            raise ToolError(f"The name {target.host} has no usable address. Use another one.")
        if not all(self._reach.permits(address, target.port) for address in found):
            raise ToolError(f"{target.host} is refused: it leads to an address that is not public. Use a public one.")
        return tuple(found)

    async def _page(self, target: Target, response: ClientResponse) -> Page:
        decoder = Decoder(response.headers.get(hdrs.CONTENT_ENCODING, ""), self._caps.body)
        body = bytearray()
        async for chunk in response.content.iter_any():
            body += decoder.feed(chunk)
            if decoder.full:
                break
        return Page(
            url=str(target.url),
            status=response.status,
            media_type=response.content_type if hdrs.CONTENT_TYPE in response.headers else "",
            charset=str(response.charset or ""),
            body=bytes(body),
            size=response.content_length,
            cut=bool(body) and not decoder.complete,
        )


class _Pinned(AbstractResolver):
    """Answers with the checked addresses only, and opens sockets to nothing else."""

    def __init__(self, addresses: tuple[str, ...], port: int) -> None:
        self._addresses = addresses
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        """Nothing is held."""

    def socket(self, info: AddrInfoType) -> socket.socket:
        """The last look, at the very address that is connected to next."""
        family, kind, proto, _, address = info
        if address[0] not in self._addresses or address[1] != self._port:
            raise PermissionError(f"{address[0]} was not checked")
        return socket.socket(family, kind, proto)


def _failed(target: Target, exc: ClientError | ValueError) -> ToolError:
    where = shown(str(target.url))
    match exc:
        case ClientConnectorCertificateError():
            return ToolError(f"{where} has a certificate that cannot be verified. Use another address.")
        case ClientSSLError():
            return ToolError(f"{where} does not speak TLS as it should. Use another address.")
        case ClientConnectorError():
            return ToolError(f"{where} cannot be reached. Try again later or use another address.")
        case _:
            return ToolError(f"{where} gave an answer that cannot be read. Try again later or use another address.")
