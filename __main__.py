"""All programs behind one door: `python . COMMAND` in a checkout, `python -m sari COMMAND` where it is installed."""

import sys
from collections.abc import Callable, Sequence

if not __package__:  # in a checkout
    from as_package import make_importable

    make_importable()


def score(arguments: Sequence[str]) -> int:
    """Score text files, as score.py does."""
    from sari.command_line.program import run

    return run(arguments)


def app(arguments: Sequence[str]) -> int:
    """Start the page in the browser, as app.py does."""
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 where there is no such command, said in one line."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if name in ("-h", "--help"):
        print("\n".join(f"{name:<12}{command.__doc__}" for name, command in COMMANDS.items()))
        return 0
    if name not in COMMANDS:
        got = repr(name) if name else "no command"
        return _refuse(f"got {got}, wanted one of {', '.join(COMMANDS)}")
    return COMMANDS[name](rest)


def _refuse(message: str) -> int:
    print(f"sari: error: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
