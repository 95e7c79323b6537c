"""Run programs so that an interrupt and lost output end them with a status and at most one line."""

import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from sari.messages import in_one_line, missing_module, short_line
from sari.text_files.errors import reason


def run_program(main: Callable[[], int], program: str) -> int:
    """Run a program and return its status: 2 with an error if its output is lost, 130 for an interrupt.

    Args:
        main: does the work, prints, and returns a status.
        program: the name at the start of messages.
    """
    if sys.stdout is None:
        return refuse(program, "standard output: closed, expected a terminal, a file or a pipe")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Files and pipes get UTF-8, as all files of this program, also where Windows has another encoding.
            is_fixed = stream.isatty() or "PYTHONIOENCODING" in os.environ
            stream.reconfigure(encoding=None if is_fixed else "utf-8", errors="backslashreplace")
    try:
        try:
            return main()
        except Exception as error:
            error.add_note(f"{program}: this is a fault of the program: please report it with these lines")
            raise
        finally:
            sys.stdout.flush()  # here, where an error can still be caught
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        _discard_output()
        return 128 + 13  # SIGPIPE, which Windows lacks
    except OSError as error:
        _discard_output()
        return refuse(program, f"{error.filename or 'standard output'}: {reason(error)}")


def refuse(program: str, message: str) -> int:
    """Print an error of one line, with a message of at most 200 characters, and return the status 2."""
    say(program, f"error: {short_line(message)}")
    return 2


def refuse_missing(program: str, name: str, error: ModuleNotFoundError, extra: str) -> int:
    """Refuse what needs a package that is missing, as `refuse` does; a module of this package is a fault, raised."""
    if (error.name or "").partition(".")[0] == "sari":
        raise error
    return refuse(program, missing_module(name, error, extra))


def say(program: str, message: str) -> None:
    """Print a line on standard error; if that is closed, `print` would write to standard output."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"{program}: {in_one_line(message)}", file=sys.stderr)


def _discard_output() -> None:
    """Discard buffered output: the interpreter would try to write it again when it ends, and print an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
