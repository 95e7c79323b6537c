"""The gate before the app: what no visitor needs, and what is too large, goes no further.

A request is read as a whole, within limits, before anything of it is parsed or stored: nothing is left of one that
breaks off. What fails behind the gate is a fault of the server: visitors get one line, and the log has no text of
theirs.
"""

import asyncio
import json
import logging
import re
import traceback
from collections.abc import Collection, Iterator, MutableMapping
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Any

from starlette.responses import JSONResponse

from sari.messages import RefusedError
from sari.web import visitor_files
from sari.web.inputs import MAX_MEGABYTES, MAX_REFERENCES, check_json

_LOG = logging.getLogger("sari.web")

#: The megabytes of the body of a call, which has up to `MAX_MEGABYTES` of text, and of an upload.
MAX_CALL, MAX_UPLOAD = MAX_MEGABYTES + 2, 2 * MAX_MEGABYTES
#: The megabytes of all requests that are read at the same time, and the seconds that one may take to arrive.
MAX_WAITING, MAX_SECONDS = 200, 120
#: The files of one upload.
MAX_PARTS = MAX_REFERENCES
_SESSION = re.compile(r"[\w-]{1,100}")

# The routes of the page and of programs, by method, after the address of the app; everything else is closed. "{...}"
# stands for the names of endpoints and for the folder of visitors' files.
_READ = (
    r"|config|theme\.css|favicon\.ico|robots\.txt|manifest\.json|pwa_icon(/\w+)?|(assets|static|svelte)/.+",
    r"gradio_api/(info|openapi\.json|app_id|startup-events|upload_progress|queue/data|heartbeat/[\w-]+)",
    r"gradio_api/call/({endpoints})/[\w-]+",
    r"gradio_api/file={folder}/.+",
)
_WRITE = (r"gradio_api/(queue/join|run/predict|cancel|reset|upload)", r"gradio_api/call/({endpoints})")
_TOOLS = r"gradio_api/mcp(/.*)?"
_ROUTES = {"GET": (*_READ, _TOOLS), "HEAD": _READ, "POST": (*_WRITE, _TOOLS), "DELETE": (_TOOLS,)}


class _NotTakenError(Exception):
    """A request that goes no further: a status, and one line for whoever sent it."""


class _BrokenOffError(Exception):
    """Whoever sent a request is gone, and waits for no answer."""


def check_files(value: Any, folder: Path) -> None:
    """Refuse the values of files that are not in a folder; Gradio would fetch addresses, however large."""
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        check_files(one, folder)
    path = value.get("path") if isinstance(value, dict) else None
    if isinstance(path, str):
        value["url"] = None  # which the page sends, but nothing needs
        if not Path(path).is_relative_to(folder) or ".." in Path(path).parts:
            raise RefusedError("A file is not one that was uploaded here: please choose it again.")


@contextmanager
def fault_logged(but: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Log an error that is none of these by types and places, since messages may have texts, and raise it again."""
    try:
        yield
    except but:
        raise
    except Exception as error:
        causes = [error, *([error.__cause__] if error.__cause__ else [])]
        named = " caused by ".join(type(one).__name__ for one in causes)
        reason = f" ({error.strerror})" if isinstance(error, OSError) else ""
        _LOG.error("%s%s\n%s", named, reason, "".join(traceback.format_tb(error.__traceback__)))
        raise


class Gate:
    """An ASGI middleware, the outermost: see the module.

    Args:
        app: what is behind the gate.
        functions: the numbers of the page's functions.
        endpoints: the names of the endpoints for programs.
    """

    def __init__(self, app: Any, functions: Collection[int], endpoints: Collection[str]):
        self._app, self._functions, self._waiting = app, functions, 0
        places = {"endpoints": "|".join(endpoints), "folder": re.escape(visitor_files.folder().as_posix())}
        self._routes = {
            method: [re.compile(re.sub(r"\{(\w+)\}", lambda name: places[name[1]], route)) for route in routes]
            for method, routes in _ROUTES.items()
        }

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def send_on(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            begun = True
            await send(message)

        body = bytearray()
        try:
            await self._take(scope, receive, body)
            with fault_logged():
                await self._app(scope, _replaying(bytes(body), receive), send_on)
        except _BrokenOffError:
            pass
        except Exception as error:
            status, line = error.args if isinstance(error, _NotTakenError) else (500, "The server has a fault here.")
            if not begun:
                await JSONResponse({"detail": line}, status)(scope, receive, send)
        finally:
            self._waiting -= len(body)

    async def _take(self, scope: MutableMapping[str, Any], receive: Any, body: bytearray) -> None:
        """Read the body of a request that may pass; else raise `_NotTakenError`."""
        path = scope["path"].removeprefix(scope.get("root_path", "")).replace("\\", "/").strip("/")
        if not any(route.fullmatch(path) for route in self._routes.get(scope["method"], ())):
            raise _NotTakenError(404, "There is no such page or endpoint.")
        if scope["method"] != "POST":
            return
        is_upload = path.endswith("/upload")
        most = MAX_UPLOAD if is_upload else MAX_CALL
        try:
            async with asyncio.timeout(MAX_SECONDS):
                await self._read(receive, body, most)
        except TimeoutError:
            raise _NotTakenError(408, f"The request took more than {MAX_SECONDS} seconds to arrive.") from None
        if is_upload:
            await _check_upload(scope, body)
        else:
            try:
                check_json(body)
            except RefusedError as refusal:
                raise _NotTakenError(413, str(refusal)) from None
            if not path.startswith("gradio_api/mcp") and not self._is_call(path, body):
                raise _NotTakenError(400, "The call is not what the page and its endpoints take.")

    async def _read(self, receive: Any, body: bytearray, most: int) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _BrokenOffError
            part, more = message.get("body", b""), message.get("more_body", False)
            body += part
            self._waiting += len(part)
            if len(body) > most * 1_000_000:
                raise _NotTakenError(413, f"That is more than {most} MB, all that a request may have.")
            if self._waiting > MAX_WAITING * 1_000_000:
                raise _NotTakenError(503, "The server reads too much at the moment: please try later.")

    def _is_call(self, path: str, body: bytearray) -> bool:
        """Return whether a body is the JSON of a call of an endpoint or, by its number, of a function of the page."""
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            return False
        if not isinstance(call, dict):
            return False
        session = call.get("session_hash")
        is_named = session is None or (isinstance(session, str) and _SESSION.fullmatch(session) is not None)
        has_function = type(call.get("fn_index")) is int and call["fn_index"] in self._functions
        needs_function = path.endswith(("/join", "/predict"))
        return is_named and (has_function if needs_function else call.get("fn_index") is None or has_function)


async def _check_upload(scope: MutableMapping[str, Any], body: bytearray) -> None:
    """Refuse what is not a few whole files, and files for which there is no room."""
    header = Message()
    header["Content-Type"] = dict(scope["headers"]).get(b"content-type", b"").decode("latin-1")
    mark = f"--{header.get_boundary('')}".encode("latin-1")
    if body.count(mark) - 1 > MAX_PARTS:
        raise _NotTakenError(413, f"That is more than {MAX_PARTS} files, all that an upload may have.")
    before, *parts = body.split(mark)
    is_whole = header.get_content_type() == "multipart/form-data" and not before and parts and parts[-1][:2] == b"--"
    if not is_whole or not all(b"filename=" in part.partition(b"\r\n\r\n")[0] for part in parts[:-1]):
        raise _NotTakenError(400, "An upload is not files in multipart/form-data.")
    if not await asyncio.to_thread(visitor_files.has_room, visitor_files.folder()):
        raise _NotTakenError(507, visitor_files.NO_ROOM)


def _replaying(body: bytes, receive: Any) -> Any:
    """Return a function that receives a body that was read already, and then what else comes."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Any:
        return messages.pop() if messages else await receive()

    return receive_again
