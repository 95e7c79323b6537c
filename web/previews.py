"""What previews of links show of the page: its title, a line about it, and a picture."""

import os
import re
from pathlib import Path
from typing import Any

from sari.web.markup.elements import escaped

TITLE = "SARI, explained"
DESCRIPTION = "See word by word why a text simplification gets its SARI, under every published variant."
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "screenshot.png"

#: What Gradio says of itself, which previews would take, since it comes first.
_OF_GRADIO = re.compile(rb'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>\s*')
_END_OF_HEAD = b"</head>"


def fields() -> str:
    """Return the fields for the head of the page; on Hugging Face's servers, with the whole address of the picture."""
    host = os.environ.get("SPACE_HOST")
    picture = f"{f'https://{host}' if host else ''}/gradio_api/file={PICTURE}"
    values = {"title": TITLE, "description": DESCRIPTION, "image": picture, "type": "website"}
    previews = "".join(f'<meta property="og:{name}" content="{escaped(value)}">' for name, value in values.items())
    card = '<meta name="twitter:card" content="summary_large_image">'
    description = f'<meta name="description" content="{escaped(DESCRIPTION)}">'
    return f"<title>{escaped(TITLE)}</title>{description}{previews}{card}"


class Previews:
    """An ASGI middleware that has the page speak of itself, and not of Gradio."""

    def __init__(self, app: Any):
        """Stand before `app`."""
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request; the page itself with other fields in its head."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] not in ("", "/"):
            await self._app(scope, receive, send)
            return
        parts: list[Any] = []

        async def gathered(message: Any) -> None:
            parts.append(message)
            if message["type"] == "http.response.start" or message.get("more_body"):
                return
            start, *bodies = parts
            body = _with_fields(b"".join(part.get("body", b"") for part in bodies))
            headers = [header for header in start["headers"] if header[0].lower() != b"content-length"]
            await send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, gathered)


def _with_fields(page: bytes) -> bytes:
    head, end, body = page.partition(_END_OF_HEAD)
    return _OF_GRADIO.sub(b"", head) + fields().encode() + end + body if end else page
