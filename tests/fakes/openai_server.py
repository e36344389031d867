"""A scripted model server that speaks the OpenAI wire format, so that the real model library can talk to it.

In a test: `async with OpenAIServer(answers("hi")) as server: ... server.url ...`. As a process of its own, which
survives the gateway that is killed beside it:

    python -m tests.fakes.openai_server --port 0 --script acts.json

It writes `ready PORT` to stdout, answers GET /ledger with what it has seen and POST /release frees one held answer.
A script is a list of acts in JSON, or `{"acts": [...], "repeat_last": true}`; an act has the fields of `Act`.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

HOLD: Mapping[str, object] = {"hold": True}
HANG: Mapping[str, object] = {"hang": True}
CUT: Mapping[str, object] = {"cut": True}
USAGE: Mapping[str, int] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCall:
    """A tool call as a provider sends it; id and arguments may be null, as they sometimes are."""

    name: str
    arguments: str | None = "{}"
    id: str | None = "call_1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What the server does with one request.

    `kind` is answer (text and calls, streamed if the request asks for it), echo (text and then the newest user
    message), stream (`events` literally: chunks, or HOLD, HANG, CUT, {"raw": "..."}), reply (status, headers and body
    literally), hang (until the client leaves) or cut (the connection closes without a word). A `held` answer waits
    for a release.
    """

    kind: str = "answer"
    text: str | None = ""
    calls: tuple[WireCall, ...] = ()
    finish: str | None = None
    held: bool = False
    events: tuple[Mapping[str, object], ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request and what became of it: open, answered, or aborted by the client."""

    body: Mapping[str, object]
    authorization: str
    outcome: str = "open"

    @property
    def messages(self) -> list[dict[str, object]]:
        """The conversation that was sent."""
        found = self.body.get("messages")
        return [message for message in found if isinstance(message, dict)] if isinstance(found, list) else []


def answers(text: str | None = "", *, calls: Sequence[WireCall] = (), finish: str | None = None) -> Act:
    """A whole, well-formed answer."""
    return Act(text=text, calls=tuple(calls), finish=finish)


def held(text: str) -> Act:
    """An answer that waits for `release()`."""
    return Act(text=text, held=True)


def echoes(prefix: str = "echo: ") -> Act:
    """The newest user message behind a prefix: for many chats at once."""
    return Act(kind="echo", text=prefix)


def streams(*events: Mapping[str, object]) -> Act:
    """These events, literally; `[DONE]` follows unless the list ends the connection itself."""
    return Act(kind="stream", events=events)


def replies(status: int, body: str, *, headers: Mapping[str, str] | None = None) -> Act:
    """This status and body, literally."""
    return Act(kind="reply", status=status, body=body, headers=tuple((headers or {}).items()))


def fails(status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None) -> Act:
    """An error in the provider's own form."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    return replies(
        status, json.dumps({"error": error}), headers={"Content-Type": "application/json", **(headers or {})}
    )


def hangs() -> Act:
    """No answer until the client leaves."""
    return Act(kind="hang")


def cuts() -> Act:
    """The connection closes without an answer."""
    return Act(kind="cut")


def delta(finish: str | None = None, **fields: object) -> Mapping[str, object]:
    """One chunk of a stream with this delta."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call_delta(index: int | None, name: str | None = None, arguments: str | None = None, **rest: object) -> object:
    """One piece of a tool call, for `delta(tool_calls=[...])`; `id=` only where it is given."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    place = {} if index is None else {"index": index}
    return {**place, "type": "function", "function": function, **rest}


def act_from_json(raw: Mapping[str, object]) -> Act:
    """An act out of a script file; an unknown field is an error that names it."""
    calls, events, headers = raw.get("calls", []), raw.get("events", []), raw.get("headers", {})
    if not isinstance(calls, list) or not isinstance(events, list) or not isinstance(headers, dict):
        raise ValueError("an act's calls and events are lists and its headers are an object")
    plain = {key: value for key, value in raw.items() if key not in {"calls", "events", "headers"}}
    return replace(
        Act(**plain),  # type: ignore[arg-type]  # a wrong type in a script fails where the server uses it
        calls=tuple(WireCall(**call) for call in calls),
        events=tuple(events),
        headers=tuple((str(name), str(value)) for name, value in headers.items()),
    )


def script_from_json(text: str) -> tuple[list[Act], bool]:
    """The acts of a script file, and whether its last one repeats."""
    raw = json.loads(text)
    listed = raw if isinstance(raw, list) else raw["acts"]
    return [act_from_json(act) for act in listed], isinstance(raw, dict) and bool(raw.get("repeat_last"))


class OpenAIServer:
    """Plays the script, one act a request. A request past its end gets status 500 unless the last act repeats."""

    def __init__(self, *script: Act, repeat_last: bool = False) -> None:
        self.ledger: list[Seen] = []
        self._script = list(script)
        self._repeat_last = repeat_last
        self._changed = asyncio.Event()
        self._releases = asyncio.Semaphore(0)
        self._port = 0
        self._runner = web.AppRunner(self._app(), handler_cancellation=True, shutdown_timeout=0.1, access_log=None)

    @property
    def url(self) -> str:
        """What belongs into `api_base`."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def port(self) -> int:
        """The port that the system chose."""
        return self._port

    @property
    def aborted(self) -> int:
        """How many requests the client left before they were answered."""
        return sum(1 for seen in self.ledger if seen.outcome == "aborted")

    def then(self, *acts: Act) -> None:
        """More acts at the end of the script."""
        self._script.extend(acts)

    def release(self) -> None:
        """Let one held answer, or one held place of a stream, go on."""
        self._releases.release()

    async def until(self, reached: Callable[[], bool]) -> None:
        """Return as soon as the ledger makes this true; fails after half a minute."""
        async with asyncio.timeout(PATIENCE_S):
            while not reached():
                self._changed.clear()
                await self._changed.wait()

    async def start(self, port: int = 0) -> None:
        """Listen on the loopback address."""
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self._port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Close all connections."""
        await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_get("/ledger", self._show_ledger)
        app.router.add_post("/release", self._release)
        # Other providers' addresses: `reply`, `hang` and `cut` mean the same there.
        app.router.add_post("/{other:.*}", self._completions)
        return app

    async def _show_ledger(self, request: web.Request) -> web.Response:
        return web.json_response({"aborted": self.aborted, "requests": [asdict(seen) for seen in self.ledger]})

    async def _release(self, request: web.Request) -> web.Response:
        self.release()
        return web.json_response({})

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        place = len(self.ledger)
        self.ledger.append(Seen(body={}, authorization=request.headers.get("Authorization", "")))
        try:
            self._note(place, body=await request.json())
            response = await self._play(self._next_act(), request, self.ledger[place])
        except (asyncio.CancelledError, ConnectionError):
            self._note(place, outcome="aborted")
            raise
        self._note(place, outcome="answered")
        return response

    def _note(self, place: int, *, body: Mapping[str, object] | None = None, outcome: str = "open") -> None:
        seen = self.ledger[place]
        self.ledger[place] = replace(seen, body=seen.body if body is None else body, outcome=outcome)
        self._changed.set()

    def _next_act(self) -> Act:
        if not self._script:
            return fails(500, "the script is over")
        return self._script[0] if self._repeat_last and len(self._script) == 1 else self._script.pop(0)

    async def _play(self, act: Act, request: web.Request, seen: Seen) -> web.StreamResponse:
        if act.held:
            await self._releases.acquire()
        match act.kind:
            case "hang":
                await asyncio.Event().wait()
            case "cut":
                _close(request)
            case "reply":
                return web.Response(status=act.status, text=act.body, headers=dict(act.headers))
            case "stream":
                return await self._stream(act.events, request)
            case "echo":
                return await self._answer(replace(act, text=f"{act.text}{_newest(seen)}"), request, seen)
            case "answer":
                return await self._answer(act, request, seen)
        return web.Response(status=500, text=f"no such act: {act.kind}")

    async def _answer(self, act: Act, request: web.Request, seen: Seen) -> web.StreamResponse:
        if not seen.body.get("stream"):
            return web.json_response(whole(act))
        wants = seen.body.get("stream_options")
        usage = isinstance(wants, dict) and bool(wants.get("include_usage"))
        return await self._stream(chunked(act, usage=usage), request)

    async def _stream(self, events: Sequence[Mapping[str, object]], request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            if "hold" in event:
                await self._releases.acquire()
            elif "hang" in event:
                await asyncio.Event().wait()
            elif "cut" in event:
                _close(request)
                return response
            elif "raw" in event:
                await response.write(str(event["raw"]).encode())
            else:
                base = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
                await response.write(f"data: {json.dumps({**base, **event})}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response


def _close(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()


def _newest(seen: Seen) -> str:
    said = [message.get("content") for message in seen.messages if message.get("role") == "user"]
    return str(said[-1]) if said else ""


def whole(act: Act) -> dict[str, object]:
    """The body of an unstreamed answer."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in act.calls
    ]
    message: dict[str, object] = {"role": "assistant", "content": act.text}
    if calls:
        message |= {"content": act.text or None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": _finish(act)}
    base = {"id": "r", "object": "chat.completion", "created": 1, "model": "scripted"}
    return {**base, "choices": [choice], "usage": USAGE}


def chunked(act: Act, *, usage: bool) -> list[Mapping[str, object]]:
    """The same answer as events: word by word, arguments four characters at a time."""
    events = [delta(role="assistant", content="")]
    words = (act.text or "").split(" ")
    events += [delta(content=word if last else f"{word} ") for word, last in _with_last(words) if word or not last]
    for index, call in enumerate(act.calls):
        events.append(delta(tool_calls=[call_delta(index, call.name, "", id=call.id)]))
        text = call.arguments or ""
        events += [delta(tool_calls=[call_delta(index, arguments=text[at : at + 4])]) for at in range(0, len(text), 4)]
    events.append(delta(_finish(act)))
    return [*events, {"choices": [], "usage": USAGE}] if usage else events


def _with_last(words: Sequence[str]) -> list[tuple[str, bool]]:
    return [(word, place == len(words) - 1) for place, word in enumerate(words)]


def _finish(act: Act) -> str:
    return act.finish or ("tool_calls" if act.calls else "stop")


async def serve(port: int, script: Path) -> None:
    """Until killed."""
    acts, repeat_last = script_from_json(script.read_text(encoding="utf-8"))
    server = OpenAIServer(*acts, repeat_last=repeat_last)
    await server.start(port)
    sys.stdout.write(f"ready {server.port}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> None:
    """The command line of the process."""
    parser = argparse.ArgumentParser(description="A scripted model server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, required=True)
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.port, chosen.script))


if __name__ == "__main__":
    main()
