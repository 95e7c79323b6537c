"""What stands before the server: calls that cannot be answered are refused in one line, and no text comes into a log.

Gradio prints the traceback of every error, and the message of many holds what a visitor sent. So calls are checked
before Gradio reads them, bodies are limited before anybody does, and what goes wrong nevertheless is told in the log
by its kind and place alone.
"""

import inspect
import sys
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import gradio as gr
import orjson
from gradio import queueing, route_utils, routes, utils

from sari.web.limits import MAX_MEGABYTES

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]

_MEGABYTE = 1_000_000
#: What stands around the texts: names of fields and files, and characters that JSON writes as several.
_MAX_FILES, _MAX_CALL = (MAX_MEGABYTES + 1) * _MEGABYTE, 2 * MAX_MEGABYTES * _MEGABYTE
_PREFIX = "/gradio_api"
_CALLS = ("/call/v2/", "/call/", "/run/", "/api/")


class _RefusedCallError(Exception):
    """A call that is refused: an HTTP status and a line."""

    def __init__(self, status: int, line: str):
        super().__init__(line)
        self.status = status


class Guard:
    """An ASGI middleware around the server of a page."""

    def __init__(self, app: Any, page: gr.Blocks):
        """Stand before `app`, which serves `page`."""
        self._app, self._page = app, page

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request, or refuse it in one line."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        answered = _Answered(send, is_direct=scope["path"].startswith((f"{_PREFIX}/run/", f"{_PREFIX}/api/")))
        try:
            path = scope["path"].removeprefix(_PREFIX)
            limit = _MAX_FILES if path.startswith("/upload") else _MAX_CALL
            _check_announced(scope, limit)
            limited = _limited(receive, limit)
            if path.startswith((*_CALLS, "/queue/join")):
                limited = await self._checked(path, limited)
            await self._app(scope, limited, answered)
        except _RefusedCallError as refusal:
            await answered.refuse(refusal.status, str(refusal))
        except Exception as error:
            if not isinstance(error, (TypeError, ValueError, LookupError)):  # which a strange call makes Gradio raise
                _tell(error)
            await answered.refuse(400, "This call cannot be answered: it is not of the form that the API page shows.")

    async def _checked(self, path: str, receive: _Receive) -> _Receive:
        """Return what receives the body again, once it is known to be a call that can be made, with all its values."""
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        body = self._completed(path, body)
        messages: list[_Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> _Message:
            return messages.pop() if messages else await receive()

        return again

    def _completed(self, path: str, body: bytes) -> bytes:
        """Return the body of a call that can be made, with the values that may be left out."""
        try:
            call = orjson.loads(body)
        except ValueError:
            raise _RefusedCallError(422, "The body is not JSON.") from None
        if not isinstance(call, dict):
            raise _RefusedCallError(422, f"The body is a JSON {_kind(call)}, wanted an object.")
        prefix = next((prefix for prefix in _CALLS if path.startswith(prefix)), None)
        name = path.removeprefix(prefix).strip("/") if prefix else None
        function = self._function(name, call)
        if prefix == "/call/v2/":
            _check_named(name, function, call)
            return body
        if not isinstance(call.get("data"), list):
            raise _RefusedCallError(422, f"data: got {_kind(call.get('data'))}, wanted an array of values.")
        left_out = _left_out(name, function, call["data"])
        return orjson.dumps({**call, "data": [*call["data"], *left_out]}) if left_out else body

    def _function(self, name: str | None, call: dict) -> Any:
        """Return the function that is called, by its name or, by the page itself, its number."""
        index = call.get("fn_index")
        functions = self._page.fns
        if index is None:
            found = [function for function in functions.values() if function.api_name == name and name]
        else:
            found = [functions[index]] if isinstance(index, int) and index in functions else []
        if not found:
            public = (function.api_name for function in functions.values() if function.api_visibility == "public")
            raise _RefusedCallError(404, f"There is no such endpoint, wanted one of {', '.join(map(str, public))}.")
        return found[0]


class _Answered:
    """Sends an answer, and knows whether it has begun; a direct call that fails is the caller's fault, not ours."""

    def __init__(self, send: _Send, *, is_direct: bool):
        self._send, self._is_direct, self._begun = send, is_direct, False

    async def __call__(self, message: _Message) -> None:
        self._begun = True
        if self._is_direct and message.get("status") == 500:
            message = {**message, "status": 422}
        await self._send(message)

    async def refuse(self, status: int, line: str) -> None:
        if self._begun:
            return
        body = orjson.dumps({"detail": line})
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if status == 413:
            headers.append((b"connection", b"close"))
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


class _Quiet:
    """Stands for `traceback` where Gradio prints what went wrong."""

    def __getattr__(self, name: str) -> Any:
        return getattr(traceback, name)

    def print_exc(self, *_args: Any, **_options: Any) -> None:
        """Tell of the error at hand; a refusal was told to whom it concerns."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, gr.Error):
            _tell(error)


def quieten() -> None:
    """Have Gradio print no error with its message, which may hold what a visitor sent."""
    for module in (queueing, route_utils, routes, utils):
        module.traceback = _Quiet()  # type: ignore[attr-defined]


def _tell(error: BaseException) -> None:
    """Tell of an error by its kind and place."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    print(f"{type(error).__name__} in {place}", file=sys.stderr)


def _check_announced(scope: _Message, limit: int) -> None:
    """Refuse a body by the length that it announces."""
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if not announced.isdigit() or int(announced) > limit:
        raise _too_large(limit)


def _limited(receive: _Receive, limit: int) -> _Receive:
    """Return what receives a body, and refuses it as soon as it is too large."""
    size = 0

    async def limited() -> _Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit:
            raise _too_large(limit)
        return message

    return limited


def _too_large(limit: int) -> _RefusedCallError:
    return _RefusedCallError(413, f"This is too much at once: a request takes {limit // _MEGABYTE} MB.")


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Return the values that an endpoint takes, by name."""
    return dict(inspect.signature(function.fn).parameters) if function.fn else {}


def _check_named(name: str | None, function: Any, call: dict) -> None:
    """Refuse values that an endpoint does not know, and the lack of those that it needs."""
    takes = _parameters(function)
    unknown = sum(key not in takes for key in call)
    missing = [key for key, value in takes.items() if value.default is value.empty and key not in call]
    if unknown:
        raise _RefusedCallError(422, f"/{name} takes {', '.join(takes)}; {unknown} of those that came are unknown.")
    if missing:
        raise _RefusedCallError(422, f"/{name} needs {', '.join(missing)} too.")


def _left_out(name: str | None, function: Any, values: list) -> list:
    """Return the values that were left out at the end and have defaults; refuse too few values and too many.

    So clients of before an endpoint got a further option go on working.
    """
    wanted = {len(function.inputs), sum(not block.skip_api for block in function.inputs)}
    if len(values) in wanted:
        return []
    takes = _parameters(function) if name else {}
    defaults = [value.default for value in takes.values()]
    needed = defaults.count(inspect.Parameter.empty)
    if needed <= len(values) < len(defaults) and len(defaults) in wanted:
        return defaults[len(values) :]
    most = max(wanted)
    number = f"{needed} to {most}" if takes and needed < most else str(most)
    names = f" ({', '.join(takes)})" if takes else ""
    raise _RefusedCallError(422, f"{f'/{name}' if name else 'This'} takes {number} values{names}, got {len(values)}.")


def _kind(value: Any) -> str:
    """Return what JSON calls a value.

    >>> [_kind(value) for value in ({}, [], "", 1, 1.5, True, None)]
    ['object', 'array', 'string', 'number', 'number', 'boolean', 'null']
    """
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return kinds.get(type(value), "null")
