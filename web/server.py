"""The server around the page: what becomes of errors, the gate, and the document that browsers get."""

import functools
import json
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

import gradio as gr
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from sari.messages import RefusedError, short_line
from sari.web import visitor_files
from sari.web.gate import Gate, check_files, fault_logged

_APP = b"<gradio-app"
#: What visitors read where a call fails.
FAULT = "This call failed: the app has a fault here, or the call is none that its page makes."


class Page(gr.Blocks):
    """The page. What goes wrong in a call is one line for the visitor, and the log has no text of visitors.

    Gradio prints the traceback of every error whose `print_exception` is true, also where it reads the values of a
    call, and the message may have them. All calls come through this method.
    """

    async def process_api(self, block_fn: Any, inputs: list[Any], *values: Any, **named: Any) -> dict[str, Any]:
        """Call a function of the page with what a visitor sent."""
        try:
            json.dumps(inputs, ensure_ascii=False, default=str).encode()
            check_files(inputs, visitor_files.folder())
            with fault_logged(but=(RefusedError, gr.Error)):
                return await super().process_api(block_fn, inputs, *values, **named)
        except UnicodeEncodeError:
            line = "The text has a lone surrogate, half a character, which is no text."
        except RefusedError as error:
            line = str(error)
        except gr.Error as error:  # Gradio's own say that a value is none of the choices
            line = short_line(error.message)
        except Exception:
            line = FAULT
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


def settings(first_view: str, *, functions: Iterable[int] = (), endpoints: Iterable[str] = ()) -> dict[str, Any]:
    """Return the settings of Gradio's server.

    Args:
        first_view: stands in the page until the app starts.
        functions, endpoints: the numbers of the page's functions, and the names of those for programs.
    """
    middleware = [
        Middleware(Gate, functions={*functions}, endpoints=[*endpoints]),
        Middleware(GZipMiddleware),
        Middleware(_FirstView, view=first_view),
    ]
    return {"middleware": middleware, "lifespan": visitor_files.swept}
