"""The server around the page: bodies are limited, no text comes into a log, and the document speaks of itself.

Gradio prints the traceback of every error to standard error, and its message may hold what a visitor sent. So nothing
is printed there while the server runs. Unexpected errors of the app are logged here, by their kind and their places.
"""

import contextlib
import ctypes
import functools
import gc
import json
import logging
import os
import re
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse
from starlette.routing import Route

from sari.web import rendering
from sari.web.inputs import MAX_MEGABYTES, RefusedError

TITLE = "SARI, explained"
DESCRIPTION = "See word by word why a text simplification gets its SARI, under every published variant."
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "screenshot.png"

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]

_MEGABYTE = 1_000_000
#: What stands around the texts: names of fields and files, and characters that JSON writes as several.
_MAX_FILES, _MAX_CALL = (MAX_MEGABYTES + 1) * _MEGABYTE, 2 * MAX_MEGABYTES * _MEGABYTE
_UPLOAD = "/gradio_api/upload"
#: Gradio's own description of the page, which previews of links would take, since it comes first.
_OF_GRADIO = re.compile(rb'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>\s*')
_END_OF_HEAD, _APP = re.compile(rb"(?=</head>)"), b"<gradio-app"
_LOG = logging.getLogger("sari.web")


def settings(first_view: str) -> dict[str, Any]:
    """Return what Gradio's server is started with; `first_view` stands in the page until the app starts."""
    document = Middleware(CompletedDocument, fields=preview(), first_view=first_view)
    middleware = [Middleware(GZipMiddleware), document, Middleware(LimitedBodies)]
    return {"middleware": middleware, "lifespan": lifespan, "routes": [Route(f"/{PICTURE.name}", picture)]}


# Calls


class _TooLargeError(Exception):
    """A body that is larger than its limit."""


class LimitedBodies:
    """An ASGI middleware that refuses large bodies before they are read."""

    def __init__(self, app: Any):
        """Stand before `app`."""
        self._app = app

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request, or refuse its body."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        limit = _MAX_FILES if scope["path"].startswith(_UPLOAD) else _MAX_CALL
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        received, has_begun = 0, False

        async def limited() -> _Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise _TooLargeError
            return message

        async def answered(message: _Message) -> None:
            nonlocal has_begun
            if has_begun or received <= limit:  # otherwise the app answers that it could not read the body
                has_begun = True
                await send(message)

        is_too_large = not announced.isdigit() or int(announced) > limit
        if not is_too_large:
            with contextlib.suppress(_TooLargeError):
                await self._app(scope, limited, answered)
            is_too_large = received > limit and not has_begun
        if is_too_large:
            await _refuse(send, f"This is too much at once: a request takes {limit // _MEGABYTE} MB.")


async def _refuse(send: _Send, line: str) -> None:
    body = json.dumps({"detail": line}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# What the page says of itself


class CompletedDocument:
    """An ASGI middleware that adds to Gradio's document the page's own title, description, picture and first view."""

    def __init__(self, app: Any, fields: str, first_view: str):
        """Stand before `app`; the other arguments are those of `completed`."""
        self._app, self._parts = app, (fields, first_view)

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request; the document with what it lacks."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] not in ("", "/"):
            await self._app(scope, receive, send)
            return
        parts: list[_Message] = []

        async def gathered(message: _Message) -> None:
            parts.append(message)
            if message["type"] == "http.response.start" or message.get("more_body"):
                return
            start, *bodies = parts
            body = completed(b"".join(part.get("body", b"") for part in bodies), *self._parts)
            headers = [header for header in start["headers"] if header[0].lower() != b"content-length"]
            await send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, gathered)


def completed(document: bytes, fields: str, first_view: str) -> bytes:
    """Return a document with fields in its head, in place of Gradio's, and a first view before the app."""
    head, *body = _END_OF_HEAD.split(document, maxsplit=1)
    before, app, after = b"".join(body).partition(_APP)
    if not app:  # it is another document
        return document
    return b"".join([_OF_GRADIO.sub(b"", head), fields.encode(), before, first_view.encode(), app, after])


def preview() -> str:
    """Return the fields for the head of the page; on Hugging Face's servers, the address of the picture is absolute."""
    host = os.environ.get("SPACE_HOST")
    address = f"{f'https://{host}' if host else ''}/{PICTURE.name}"
    return rendering.render("page", "preview", TITLE, DESCRIPTION, address)


def picture(_request: object) -> FileResponse:
    """Return the picture that previews of links show."""
    return FileResponse(PICTURE)


# Logs and memory


def log_errors(page: gr.Blocks) -> None:
    """Let the functions of a page answer refusals and unexpected errors in a line, and log the latter."""
    for function in page.fns.values():
        if function.fn is not None:
            function.fn = logging_errors(function.fn)


def logging_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that raises errors of Gradio alone.

    Of an unexpected error it logs the kind and the places, but nothing of what it says.
    """

    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        try:
            return function(*values, **named)
        except gr.Error:
            raise
        except RefusedError as refusal:
            raise gr.Error(str(refusal), print_exception=False) from None
        except Exception as error:
            _LOG.error("%s", "\ncaused by ".join(map(_kind_and_places, _with_causes(error))))
            raise gr.Error("The app has a fault here, not your texts.", print_exception=False) from None

    return call


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _kind_and_places(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    places = (f"\n  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames)
    return type(error).__name__ + "".join(places)


@contextlib.asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Print nothing but the log as long as the server runs."""
    handler = logging.StreamHandler(sys.stderr)
    _LOG.addHandler(handler)
    _LOG.propagate = False
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stderr(nowhere):
            yield
    finally:
        _LOG.removeHandler(handler)


@contextlib.contextmanager
def memory_released() -> Iterator[None]:
    """Give memory back to the system afterwards, which glibc's malloc keeps otherwise (see malloc_trim(3))."""
    try:
        yield
    finally:
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
