"""Run programs so that signals and lost output end them with a status and at most one line."""

import io
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from sari.messages import in_one_line, missing_module, short_line
from sari.text_files.errors import reason

#: Packages whose log says nothing that a user of a program can act on: what matters is an error, of one line.
_QUIET_LOGGERS = ("matplotlib", "sacrebleu")


def run_program(main: Callable[[], int], program: str) -> int:
    """Run a program and return its status: 2 with an error if its output is lost, 128 and its number for a signal.

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
    for name in _QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        try:
            with _exit_by_signals():
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


@contextmanager
def _exit_by_signals() -> Iterator[None]:
    """Let signals that end a program raise SystemExit, as an interrupt raises KeyboardInterrupt, so that it cleans up.

    Those that are ignored, as SIGHUP is below `nohup`, stay so.
    """

    def end(number: int, _: object) -> NoReturn:
        for one in replaced:
            signal.signal(one, signal.SIG_IGN)  # nothing interrupts what cleans up
        raise SystemExit(128 + number)

    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows lacks one
    replaced = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)


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
