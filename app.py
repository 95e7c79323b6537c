"""The Space: see why an output gets its SARI.

`python app.py` starts it; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT apply. Every score comes from the metric beside
this file. What visitors send is kept nowhere, except uploaded files and those offered for download, for an hour.
"""

if not __package__:  # in a checkout or in the Space
    from as_package import make_importable

    make_importable()

from sari.web.page import build, launch

__all__ = ["build", "launch"]

if __name__ == "__main__":
    launch(build())
