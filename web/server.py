"""The server around the page: what it takes, and what becomes of errors.

Gradio prints the traceback of an error to standard error, and its message may have texts of visitors. `Page` is between
Gradio and every function of the page: what it lets through is one line for the visitor, and Gradio prints nothing.
"""

import functools
import json
import logging
import traceback
from collections import defaultdict
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.route_utils import FnIndexInferError
from gradio.utils import get_upload_folder
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse

from sari.validation import one_line
from sari.web.inputs import MAX_MEGABYTES, RefusedError

_LOG = logging.getLogger("sari.web")
_APP = b"<gradio-app"
#: What visitors read where the app fails.
FAULT = "The app has a fault here, not your texts."
# Gradio's functions that read what was sent.
_READING = {"preprocess_data", "special_args"}
_BAD_CALL = "The call has values that the page does not send."
#: Megabytes of the files of all visitors together.
MAX_UPLOADED = 1_000
# The files of each session, which go when it ends.
_UPLOADED: defaultdict[str | None, set[str]] = defaultdict(set)


class Page(gr.Blocks):
    """The page. Each error of its functions is one line for the visitor, and the log has no text of visitors."""

    async def process_api(self, block_fn: Any, inputs: list[Any], *values: Any, **named: Any) -> dict[str, Any]:
        """Call a function of the page with what a visitor sent."""
        try:
            function = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
            if len(inputs) < len(function.inputs):
                raise RefusedError(f"got {len(inputs)} values, expected {len(function.inputs)}")
            json.dumps(inputs, ensure_ascii=False, default=str).encode()
            return await super().process_api(block_fn, inputs, *values, **named)
        except (RefusedError, gr.Error) as error:  # Gradio's own say that a value is none of the choices
            raise gr.Error(one_line(str(error).strip("'\"")), print_exception=False) from None
        except UnicodeEncodeError:
            raise gr.Error("The call has text that UTF-8 cannot write.", print_exception=False) from None
        except Exception as error:
            if _READING & {frame.name for frame in traceback.extract_tb(error.__traceback__)}:
                raise gr.Error(_BAD_CALL, print_exception=False) from None
            cause = f" caused by {type(error.__cause__).__name__}" if error.__cause__ else ""
            places = "".join(traceback.format_tb(error.__traceback__))
            _LOG.error("%s%s\n%s", type(error).__name__, cause, places)  # the message may have a visitor's text
            raise gr.Error(FAULT, print_exception=False) from None


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


def remember_files(paths: str | list[str] | None, request: gr.Request) -> None:
    """Note that the files of a box belong to a session."""
    _UPLOADED[request.session_hash].update([paths] if isinstance(paths, str) else paths or ())


def forget_files(request: gr.Request) -> None:
    """Delete the files of a session that has ended; Gradio keeps equal files of several sessions once."""
    paths = _UPLOADED.pop(request.session_hash, set())
    for path in paths.difference(*_UPLOADED.values()):
        with suppress(OSError):
            Path(path).unlink()


def _uploaded_megabytes() -> float:
    size = 0
    for path in Path(get_upload_folder()).rglob("*"):
        with suppress(OSError):  # deleted meanwhile
            size += path.stat().st_size
    return size / 1e6


# Requests


class _UploadLimit:
    """An ASGI middleware that refuses files while those of all visitors together are too large."""

    def __init__(self, app: Any):
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        is_upload = scope["type"] == "http" and scope["method"] == "POST" and scope["path"].endswith("/upload")
        full = PlainTextResponse("The server has no room for more files: please try later.", 507)
        await (full if is_upload and _uploaded_megabytes() > MAX_UPLOADED else self._app)(scope, receive, send)


class _FirstView:
    """An ASGI middleware that puts a first view into Gradio's document, before the app."""

    def __init__(self, app: Any, view: bytes):
        self._app, self._view = app, view

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        is_document = False

        async def send_with_view(message: MutableMapping[str, Any]) -> None:
            nonlocal is_document
            if message["type"] == "http.response.start":
                headers = dict(message["headers"])
                if is_document := headers.get(b"content-type", b"").startswith(b"text/html"):
                    headers.pop(b"content-length", None)
                    message["headers"] = [*headers.items()]
            elif is_document:
                message["body"] = message.get("body", b"").replace(_APP, self._view + _APP, 1)
            await send(message)

        await self._app(scope, receive, send_with_view)


def _bad_request(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse({"detail": "There is no such endpoint, or the call is not what it takes."}, 400)


def settings(first_view: str) -> dict[str, Any]:
    """Return the settings of Gradio's server; `first_view` stands in the page until the app starts."""
    limit = Middleware(RequestBodyLimitMiddleware, max_body_size=2 * MAX_MEGABYTES * 1_000_000)
    kinds: tuple[type[Exception], ...] = (FnIndexInferError, LookupError, OSError, TypeError, ValueError)
    first = Middleware(_FirstView, view=first_view.encode())
    handlers = dict.fromkeys(kinds, _bad_request)
    middleware = [Middleware(_UploadLimit), Middleware(GZipMiddleware), first, limit]
    return {"middleware": middleware, "exception_handlers": handlers}
