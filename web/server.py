"""The server around the page: bodies are limited, no text comes into a log, and a first view is there at once.

Gradio prints the traceback of every error to standard error, and its message may hold what a visitor sent. So nothing
is printed there while the server runs. Faults of the app are logged here, with their tracebacks but without messages.
"""

import contextlib
import ctypes
import functools
import gc
import logging
import os
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, MutableMapping
from typing import Any

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.gzip import GZipMiddleware

from sari.web.inputs import MAX_MEGABYTES, RefusedError

_APP = b"<gradio-app"
_LOG = logging.getLogger("sari.web")


def settings(first_view: str) -> dict[str, Any]:
    """Return the settings of Gradio's server; `first_view` stands in the page until the app starts."""
    limit = Middleware(RequestBodyLimitMiddleware, max_body_size=2 * MAX_MEGABYTES * 1_000_000)
    first = Middleware(FirstView, view=first_view.encode())
    return {"middleware": [Middleware(GZipMiddleware), first, limit], "lifespan": lifespan}


class FirstView:
    """An ASGI middleware that puts a first view into Gradio's document, before the app."""

    def __init__(self, app: Any, view: bytes):
        """Stand before `app`."""
        self._app, self._view = app, view

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer a request."""

        async def send_with_view(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [pair for pair in message["headers"] if pair[0].lower() != b"content-length"]
            else:
                message["body"] = message.get("body", b"").replace(_APP, self._view + _APP, 1)
            await send(message)

        is_document = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in ("", "/")
        await self._app(scope, receive, send_with_view if is_document else send)


def answering(instead: Callable[[str], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator of the app's functions: for refusals and faults they return `instead` of a line."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*values: Any, **named: Any) -> Any:
            try:
                return function(*values, **named)
            except RefusedError as refusal:
                return instead(str(refusal))
            except Exception as error:
                cause = f" caused by {type(error.__cause__).__name__}" if error.__cause__ else ""
                places = "".join(traceback.format_tb(error.__traceback__))
                _LOG.error("%s%s\n%s", type(error).__name__, cause, places)
                return instead("The app has a fault here, not your texts.")

        return call

    return decorate


def raise_line(message: str) -> None:
    """Raise an error of one line: for programs, and where the page has no place for it."""
    raise gr.Error(message, print_exception=False)


@contextlib.asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Print nothing but the log as long as the server runs."""
    _LOG.addHandler(logging.StreamHandler(sys.stderr))
    _LOG.propagate = False
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stderr(nowhere):
        yield


@contextlib.contextmanager
def memory_released() -> Iterator[None]:
    """Give memory back to the system afterwards, which glibc's malloc keeps otherwise (see malloc_trim(3))."""
    try:
        yield
    finally:
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
