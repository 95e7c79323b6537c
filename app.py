"""The Space: see why an output gets its SARI.

`python app.py` starts it; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT apply. Every score comes from the metric next to
this file. docs/app.md says what is kept of visitors, and for how long.
"""

import os
import sys
from typing import Any

if not __package__:  # in a checkout or in the Space
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # where python -P does not look
    from as_package import make_importable

    make_importable()

from sari.__main__ import app
from sari.command_line.process import run_program

#: The page, for Gradio's reloader.
demo: Any


def show(page: Any) -> None:
    """Name the page as Gradio's reloader expects it, of `gradio app.py` and of Spaces."""
    global demo
    demo = page


if __name__ == "__main__" and "demo" not in globals():
    sys.exit(run_program(lambda: app(sys.argv[1:], show), "app.py"))
else:  # imported, or run once more by the reloader, for the server that runs
    from sari.web.page import build

    demo = build()
