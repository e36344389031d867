"""Asks a server on this machine one question, without a client library."""

import asyncio
import json

MAX_BYTES = 1_000_000


async def get_json(host: str, port: int, path: str, *, patience_s: float) -> object:
    """The decoded body of a 200; None for anything else, a server that is not there included. Raises nothing."""
    try:
        async with asyncio.timeout(patience_s):
            body = await _get(host, port, path)
        return json.loads(body)
    except (TimeoutError, OSError, ValueError, RecursionError, asyncio.LimitOverrunError, asyncio.IncompleteReadError):
        return None


async def _get(host: str, port: int, path: str) -> bytes:
    """HTTP/1.0, so that the answer ends with the connection."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\nAccept: application/json\r\n\r\n".encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        if head.split(b" ", 2)[1:2] != [b"200"]:
            return b""
        body = b""
        while len(body) < MAX_BYTES and (piece := await reader.read(65_536)):
            body += piece
        return body
    finally:
        writer.close()
