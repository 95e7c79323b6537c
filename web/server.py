"""The server around the page: what it takes, and what becomes of errors."""

import functools
import json
import logging
import traceback
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.route_utils import FnIndexInferError
from gradio.utils import get_upload_folder
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse

from sari.messages import RefusedError, short_line
from sari.web.inputs import MAX_MEGABYTES

_LOG = logging.getLogger("sari.web")
_APP = b"<gradio-app"
#: What visitors read where a call fails.
FAULT = "This call failed: the app has a fault here, or the call is none that its page makes."
#: Megabytes of the files of all visitors together.
MAX_UPLOADED = 1_000


class Page(gr.Blocks):
    """The page. What goes wrong in a call is one line for the visitor, and the log has no text of visitors.

    Gradio prints the traceback of every error whose `print_exception` is true, also where it reads the values of a
    call, and the message may have them. All calls come through this method.
    """

    async def process_api(self, block_fn: Any, inputs: list[Any], *values: Any, **named: Any) -> dict[str, Any]:
        """Call a function of the page with what a visitor sent."""
        try:
            json.dumps(inputs, ensure_ascii=False, default=str).encode()
            return await super().process_api(block_fn, inputs, *values, **named)
        except UnicodeEncodeError:
            line = "The text has a lone surrogate, half a character, which is no text."
        except RefusedError as error:
            line = str(error)
        except gr.Error as error:  # Gradio's own say that a value is none of the choices
            line = short_line(error.message)
        except Exception as error:
            line = FAULT
            cause = f" caused by {type(error.__cause__).__name__}" if error.__cause__ else ""
            _LOG.error("%s%s\n%s", type(error).__name__, cause, "".join(traceback.format_tb(error.__traceback__)))
        raise gr.Error(line, print_exception=False)


def refusals_as(answer: Callable[[str], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator of functions of the page, which return `answer(line)` for input that they refuse."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*values: Any, **named: Any) -> Any:
            try:
                return function(*values, **named)
            except RefusedError as refusal:
                return answer(str(refusal))

        return call

    return decorate


# Files


def _uploaded_megabytes() -> float:
    size = 0
    for path in Path(get_upload_folder()).rglob("*"):
        with suppress(OSError):  # deleted meanwhile
            size += path.stat().st_size
    return size / 1e6


class _UploadLimit:
    """An ASGI middleware that refuses files while those of all visitors together are too large."""

    def __init__(self, app: Any):
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        is_upload = scope["type"] == "http" and scope["path"].endswith("/upload")
        if is_upload and _uploaded_megabytes() > MAX_UPLOADED:
            refusal = PlainTextResponse("The server takes no more files at the moment: please try later.", 507)
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


# Requests


class _FirstView:
    """An ASGI middleware that puts a first view into Gradio's document, before the app."""

    def __init__(self, app: Any, view: str):
        self._app, self._view = app, view.encode()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        is_document = False

        async def send_with_view(message: MutableMapping[str, Any]) -> None:
            nonlocal is_document
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_document = headers.get("content-type", "").startswith("text/html")
                if is_document:
                    del headers["content-length"]
            elif is_document:
                message["body"] = message["body"].replace(_APP, self._view + _APP)
            await send(message)

        await self._app(scope, receive, send_with_view)


# Gradio's routes fail so for requests that are none of its page, before any function of the page is called.
def _bad_request(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse({"detail": "There is no such endpoint, or the call is not what it takes."}, 400)


def settings(first_view: str) -> dict[str, Any]:
    """Return the settings of Gradio's server; `first_view` stands in the page until the app starts."""
    middleware = [
        Middleware(_UploadLimit),
        Middleware(GZipMiddleware),
        Middleware(_FirstView, view=first_view),
        Middleware(RequestBodyLimitMiddleware, max_body_size=2 * MAX_MEGABYTES * 1_000_000),
    ]
    bad_calls = (FnIndexInferError, LookupError, OSError, TypeError, ValueError)
    return {"middleware": middleware, "exception_handlers": dict.fromkeys(bad_calls, _bad_request)}
