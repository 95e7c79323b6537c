"""All programs by one name: `sari` where the package is installed, `python .` in a checkout.

Options alone are those of `score`: `sari --sources S --outputs O --references R` is `sari score --sources ...`.
"""

import sys
from collections.abc import Callable, Sequence

if not __package__:  # in a checkout
    from as_package import make_importable

    make_importable()


def score(arguments: Sequence[str]) -> int:
    """Score text files, as score.py does; what options alone do."""
    from sari.command_line.program import run

    return run(arguments, "sari")


def app(arguments: Sequence[str]) -> int:
    """Start the page in the browser, as app.py does."""
    if arguments and arguments[0] in HELP:
        print(f"usage: sari app\n\n{app.__doc__} GRADIO_SERVER_NAME and GRADIO_SERVER_PORT set host and port.")
        return 0
    if arguments:
        return _refuse(f"app: got {arguments[0]!r}, wanted no arguments")
    from sari.web.page import build, launch

    launch(build())
    return 0


def reproduce(arguments: Sequence[str]) -> int:
    """List published tables, or compute one again from downloaded texts."""
    from sari.command_line.reproduce import main

    return main(arguments)


#: The commands by name; each takes its arguments and returns an exit status.
COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {"score": score, "app": app, "reproduce": reproduce}
#: What they need beside the packages that every installation has: the extra that brings it.
EXTRAS = {"app": "app", "reproduce": "report"}
#: What asks for help.
HELP = ("-h", "--help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 where there is no such command, said in one line."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given:
        return _refuse(f"got no arguments, wanted --sources and others, or one of {', '.join(COMMANDS)}")
    if given[0] in HELP:
        print("commands:")
        print("\n".join(f"  {name:<12}{command.__doc__}" for name, command in COMMANDS.items()), "\n", flush=True)
    name, rest = ("score", given) if given[0].startswith("-") else (given[0], given[1:])
    if name not in COMMANDS:
        return _refuse(f"got {name!r}, wanted one of {', '.join(COMMANDS)}")
    try:
        return COMMANDS[name](rest)
    except ModuleNotFoundError as error:
        if name not in EXTRAS:
            raise
        return _refuse(f"{name}: {error}, wanted the extra {EXTRAS[name]!r} or requirements.txt")


def _refuse(message: str) -> int:
    print(f"sari: error: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
