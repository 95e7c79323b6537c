"""All programs by one name: `sari` where the package is installed, `python .` in a checkout.

Options without a command are for `score`: `sari --sources S --outputs O --references R` is `sari score --sources ...`.
"""

import os
import sys

if __package__:
    import sari.as_package

    sari.as_package.make_importable()
else:  # in a checkout
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # where python -P does not look
    from as_package import make_importable

    make_importable()

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from sari.command_line.process import refuse, refuse_missing, run_program
from sari.messages import fault, short_repr, unknown_name

_HOST, _PORT = "GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT"


def score(arguments: Sequence[str]) -> int:
    """Run `score.py` and return its status."""
    from sari.command_line.program import main

    return main(arguments, "sari")


def app(arguments: Sequence[str], show: Callable[[Any], None] = lambda _: None) -> int:
    """Run `app.py` and return its status; `show` gets the page before the server starts."""
    if arguments and arguments[0] in HELP:
        print(f"usage: sari app\n\n{SUMMARIES['app']}\nOpen it in a browser. {_HOST} and {_PORT} set host and port.")
        return 0
    if arguments:
        return refuse("sari", fault("app", short_repr(arguments[0]), "no arguments"))
    host, port = os.environ.get(_HOST, "127.0.0.1"), os.environ.get(_PORT, "7860")
    if not (port.isdecimal() and int(port) < 1 << 16):
        return refuse("sari", fault(f"app: {_PORT}", short_repr(port), "the number of a port"))
    if _is_taken(host, int(port)):
        return refuse("sari", fault(f"app: {_PORT}", f"{port}, which another program uses", "a free port"))
    try:
        from sari.web.visitor_files import folder

        folder()  # before Gradio is imported, which makes a folder of its own at once
        if "SPACE_ID" in os.environ:
            _fetch_punkt()
        from sari.web.page import build, launch

        page = build()
        show(page)
        launch(page, server_port=int(port), prevent_thread_lock=True)
    except ModuleNotFoundError as error:
        return refuse_missing("sari", "app", error, "app")
    except OSError as error:
        return refuse("sari", f"app: {error}")
    sys.stdout.flush()  # the address, which logs would get only in the end
    page.block_thread()  # until an interrupt, when it closes the server
    return 130


def _fetch_punkt() -> None:
    """Fetch NLTK's Punkt, which no package has; what needs it is not offered where it cannot be had."""
    with suppress(ImportError):
        import nltk

        nltk.download("punkt_tab", quiet=True)


def _is_taken(host: str, port: int) -> bool:
    """Return whether a program listens at an address; Gradio would silently take another one."""
    import socket  # slow to import

    with socket.socket() as one:
        one.settimeout(1)
        return port != 0 and one.connect_ex(("127.0.0.1" if host == "0.0.0.0" else host, port)) == 0


#: What the commands do; python -OO has no docstrings.
SUMMARIES = {
    "score": "Score text files, as score.py does (the default).",
    "app": "Start the server of the page, and print its address, as app.py does.",
}
#: The commands by name; each takes its arguments and returns an exit status.
COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {"score": score, "app": app}
HELP = ("-h", "--help")


def main() -> int:
    """Run the command that the arguments of this process name, and return its exit status."""
    return run_program(lambda: dispatch(sys.argv[1:]), "sari")


def dispatch(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status; an unknown command is an error of one line, with status 2."""
    if not arguments:
        return refuse("sari", f"got no arguments, expected --sources and others, or one of {', '.join(COMMANDS)}")
    if arguments[0] in HELP:
        print("commands:")
        print("\n".join(f"  {name:<12}{summary}" for name, summary in SUMMARIES.items()), "\n")
    name, rest = ("score", arguments) if arguments[0].startswith("-") else (arguments[0], arguments[1:])
    if name not in COMMANDS:
        return refuse("sari", unknown_name("command", short_repr(name), name, COMMANDS))
    return COMMANDS[name](rest)


if __name__ == "__main__":
    sys.exit(main())
