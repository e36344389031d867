"""The edge to the model library. litellm is imported here only, when the first call needs it, and nothing of it leaves.

The import takes 2 s and 190 MB, so it runs in a thread. Retries, time-outs, failover and draft are ours: one `answer`
is one request. Unstreamed unless somebody watches, since streaming costs two and a half times the processor time.
"""

import asyncio
import importlib
import logging
import os
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

from core.domain.errors import ModelBroken, ModelError, ModelRefused, ModelUnreachable
from core.domain.prompt import ModelSize, Prompt
from core.domain.step import Call, ModelAnswered
from core.domain.turn import Usage
from core.models.entry import ModelEntry
from core.models.failures import Facts, failure
from core.models.rebuild import CallPieces, Piece
from core.models.think import spoken, spoken_so_far
from core.models.wire import wire_messages, wire_tools

MILLION = 1_000_000
CAUSES_FOLLOWED = 8
LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
# Keeps the library from fetching a price list and from reading a .env file that lies above the installation.
ENVIRONMENT: Mapping[str, str] = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
# A server of one's own wants no key, but without one the library would send it the environment's key for OpenAI.
NO_KEY = "none"
STREAMED: Mapping[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
# The library's own time-out only backs ours up.
GRACE_S = 5.0

ResultT = TypeVar("ResultT")


class Library:
    """litellm, loaded once and shared by all models of a process."""

    def __init__(self) -> None:
        self._module: Any = None
        self._loading = asyncio.Lock()

    async def load(self) -> Any:
        """The module; the first caller waits for the import, the event loop does not."""
        if self._module is None:
            async with self._loading:
                if self._module is None:
                    self._module = await asyncio.to_thread(_import_quietly)
        return self._module

    async def warm(self) -> None:
        """Load it before anybody waits for it, its parts for the first call included."""
        library = await self.load()
        await library.acompletion(model="openai/warm", messages=[{"role": "user", "content": "-"}], mock_response="-")

    async def close(self) -> None:
        """Close the connections that it keeps open; nothing happens if it was never loaded."""
        if self._module is not None:
            await self._module.close_litellm_async_clients()


class LiteLLMModel:
    """One entry of the settings as a model."""

    def __init__(self, entry: ModelEntry, library: Library) -> None:
        self._entry = entry
        self._library = library

    @property
    def name(self) -> str:
        """The entry's name."""
        return self._entry.name

    @property
    def size(self) -> ModelSize:
        """The entry's limits."""
        return self._entry.size

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """One request. Cancelling closes its connection. Raises ModelError and nothing else."""
        library = await self._library.load()
        request = self._request(prompt)
        try:
            async with asyncio.timeout(self._entry.whole_s):
                if on_text is None:
                    return self._checked(await self._whole(library, request))
                return self._checked(await self._streamed(library, request, on_text))
        except TimeoutError:
            late = f"{self.name}: no whole answer within {self._entry.whole_s:g} s, see whole_s in [models.{self.name}]"
        raise ModelUnreachable(late)

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        entry = self._entry
        request: dict[str, Any] = {
            "model": entry.model,
            "messages": wire_messages(prompt),
            "max_tokens": entry.output,
            "timeout": entry.whole_s + GRACE_S,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }
        tools = wire_tools(prompt)
        if tools:
            request["tools"] = tools
        if entry.api_base is not None:
            request |= {"api_base": entry.api_base, "api_key": NO_KEY}
        if entry.api_key:
            request["api_key"] = entry.api_key.reveal()
        return request

    async def _whole(self, library: Any, request: Mapping[str, Any]) -> "_Raw":
        return await self._ours(_ask(library, request))

    async def _streamed(self, library: Any, request: Mapping[str, Any], on_text: Callable[[str], None]) -> "_Raw":
        growing = _Growing()
        shown = ""
        async with aclosing(self._chunks(library, request)) as chunks:
            async for chunk in chunks:
                growing.take(chunk)
                text = spoken_so_far(growing.text) if chunk.text else shown
                if text != shown:
                    on_text(text)
                    shown = text
                # What has already come is handed out without a pause: others would not get a turn, nor a time-out.
                await asyncio.sleep(0)
        return growing.raw()

    async def _chunks(self, library: Any, request: Mapping[str, Any]) -> AsyncGenerator["_Chunk", None]:
        async with AsyncExitStack() as closing:
            try:
                async with asyncio.timeout(self._entry.first_byte_s):
                    stream = await self._ours(library.acompletion(**request, **STREAMED))
                    closing.push_async_callback(stream.aclose)
                    chunk = await self._ours(_next(stream))
            except TimeoutError:
                stream = None
            if stream is None:
                limit = f"{self._entry.first_byte_s:g} s, see first_byte_s in [models.{self.name}]"
                raise ModelUnreachable(f"{self.name}: not a byte of an answer within {limit}")
            while chunk is not None:
                yield chunk
                chunk = await self._ours(_next(stream))

    async def _ours(self, call: Awaitable[ResultT]) -> ResultT:
        """The call's result, or one of our errors.

        A library of three thousand modules raises whatever it pleases, IndexError included, so this catches all and
        maps all. It raises outside of the handler: their errors hold requests with keys and must not be chained.
        """
        error: ModelError
        try:
            return await call
        except Exception as theirs:
            error = failure(self.name, _facts(theirs), self._entry.api_key)
        raise error

    def _checked(self, raw: "_Raw") -> ModelAnswered:
        """The answer in our words. An empty one is an answer, unless nothing came at all or a filter ended it."""
        text = spoken(raw.text).strip()
        if not text and not raw.calls:
            if raw.finish == "content_filter":
                raise ModelRefused(f"{self.name}: the provider's content filter ended the answer")
            if not raw.counted:
                raise ModelBroken(f"{self.name}: no answer came back; check api_base in [models.{self.name}]")
        prompt_tokens, completion_tokens = raw.tokens
        usage = Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost=self._cost(raw))
        return ModelAnswered(text=text, calls=raw.calls, cut=raw.finish == "length", model=self.name, usage=usage)

    def _cost(self, raw: "_Raw") -> float:
        entry = self._entry
        if entry.price_in is None and entry.price_out is None:
            return raw.cost
        prompt_tokens, completion_tokens = raw.tokens
        return (prompt_tokens * (entry.price_in or 0.0) + completion_tokens * (entry.price_out or 0.0)) / MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    """What came back, in plain values. `counted` says that the provider sent an answer in the protocol's form."""

    text: str
    calls: tuple[Call, ...] = ()
    finish: str = ""
    tokens: tuple[int, int] = (0, 0)
    cost: float = 0.0
    counted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    """One event of a stream, in plain values."""

    text: str = ""
    pieces: tuple[Piece, ...] = ()
    finish: str = ""
    tokens: tuple[int, int] | None = None
    cost: float = 0.0


class _Growing:
    """An answer of which more may come."""

    def __init__(self) -> None:
        self.text = ""
        self._pieces = CallPieces()
        self._finish = ""
        self._tokens: tuple[int, int] | None = None
        self._cost = 0.0

    def take(self, chunk: _Chunk) -> None:
        self.text += chunk.text
        for piece in chunk.pieces:
            self._pieces.add(piece)
        self._finish = chunk.finish or self._finish
        if chunk.tokens is not None:
            self._tokens, self._cost = chunk.tokens, chunk.cost

    def raw(self) -> _Raw:
        return _Raw(
            text=self.text,
            calls=self._pieces.calls(),
            finish=self._finish,
            tokens=self._tokens or (0, 0),
            cost=self._cost,
            counted=self._tokens is not None,
        )


def _import_quietly() -> Any:
    os.environ.update(ENVIRONMENT)
    library: Any = importlib.import_module("litellm")
    library.telemetry = False
    library.suppress_debug_info = True
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL)
        logger.propagate = False
    # Answers that bend the protocol a little make pydantic complain to the terminal; they are read all the same.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
    return library


async def _ask(library: Any, request: Mapping[str, Any]) -> _Raw:
    response = await library.acompletion(**request)
    choice = response.choices[0]
    message = choice.message
    calls = [_call(call.function) for call in message.tool_calls or ()]
    if not calls and (older_form := message.get("function_call")):
        calls = [_call(older_form)]
    return _Raw(
        text=message.content or "",
        calls=tuple(calls),
        finish=choice.finish_reason or "",
        tokens=_tokens(response.usage),
        cost=response._hidden_params.get("response_cost") or 0.0,  # noqa: SLF001  # the documented place of the price
    )


def _call(function: Any) -> Call:
    return Call(name=function.name or "", arguments=function.arguments or "")


async def _next(stream: Any) -> _Chunk | None:
    """The next event; None behind the last one."""
    async for event in stream:
        return _chunk(event)
    return None


def _chunk(event: Any) -> _Chunk:
    usage = event.get("usage")
    counts: dict[str, Any] = {"tokens": _tokens(usage), "cost": usage.get("cost") or 0.0} if usage else {}
    if not event.choices:
        return _Chunk(**counts)
    choice = event.choices[0]
    return _Chunk(
        text=choice.delta.content or "",
        pieces=tuple(_piece(call) for call in choice.delta.tool_calls or ()),
        finish=choice.finish_reason or "",
        **counts,
    )


def _piece(call: Any) -> Piece:
    index, name = call.index or 0, call.id or ""
    if call.function is None:
        return Piece(index=index, id=name)
    return Piece(index=index, id=name, name=call.function.name or "", arguments=call.function.arguments or "")


def _tokens(usage: Any) -> tuple[int, int]:
    return usage.prompt_tokens or 0, usage.completion_tokens or 0


def _facts(error: BaseException) -> Facts:
    """What the error says of itself. One that a stream wrapped around another is taken for that other one."""
    inner = _attribute(error, "original_exception")
    if isinstance(inner, BaseException):
        error = inner
    status, response = _attribute(error, "status_code"), _attribute(error, "response")
    headers = _attribute(error, "litellm_response_headers") or _attribute(response, "headers") or {}
    causes = list(_causes(error))
    return Facts(
        message=str(_attribute(error, "message") or error),
        status=status if isinstance(status, int) else None,
        code=str(_attribute(error, "code") or ""),
        kinds=frozenset(base.__name__ for cause in causes if not _library_own(cause) for base in type(cause).__mro__),
        library=_library_own(error),
        too_long=type(error).__name__ == "ContextWindowExceededError",
        retry_after=headers.get("retry-after"),
        date=headers.get("date"),
    )


def _attribute(thing: object, name: str) -> Any:
    """Their errors have different attributes each, so all of them may be missing."""
    return getattr(thing, name, None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    for _ in range(CAUSES_FOLLOWED):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _library_own(error: BaseException) -> bool:
    return type(error).__module__.split(".")[0] == "litellm"
