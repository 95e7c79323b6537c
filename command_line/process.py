"""Run programs so that signals and lost output end them with a status and at most one line, without a traceback."""

import io
import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NoReturn

from sari.text_files.writing import remove_unfinished
from sari.validation import one_line

#: The signals that end a program, as far as the system has them.
_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def run(main: Callable[[], int], program: str) -> int:
    """Run a program and return its status; if its output is lost, print an error and return 2.

    Signals that are ignored, as under nohup, stay ignored.

    Args:
        main: does the work, prints, and returns a status.
        program: the name at the start of messages.
    """
    for number in _ENDING:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)
    if sys.stdout is None:
        return refuse(program, "standard output: closed, expected a terminal, a file or a pipe")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what the encoding of a terminal lacks
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()  # here, where an error can still be caught
    except BrokenPipeError:
        _discard_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        _discard_output()
        return refuse(program, f"{error.filename or 'standard output'}: {error.strerror or error}")


def refuse(program: str, message: str) -> int:
    """Print an error of one line on standard error, and return the status 2."""
    if sys.stderr is not None:  # if it is closed, `print` would write to standard output
        with suppress(OSError):
            print(error_line(program, message), file=sys.stderr)
    return 2


def warn(program: str, messages: Iterable[str]) -> None:
    """Print warnings on standard error, a line for each, after what is printed on standard output."""
    sys.stdout.flush()
    if sys.stderr is not None:
        with suppress(OSError):
            for message in messages:
                print(f"{program}: warning: {' '.join(message.split())}", file=sys.stderr)


def error_line(program: str, message: str) -> str:
    """Return an error as one line: the program's name and a message of at most 200 characters."""
    return f"{program}: error: {one_line(message)}"


def _end(number: int, _frame: object) -> NoReturn:
    """End the process at once; an exception could be raised anywhere, and would be printed with a traceback."""
    for each in _ENDING:
        signal.signal(each, lambda *_: None)  # with SIG_IGN, Python prints a message if the signal came already
    remove_unfinished()
    os._exit(128 + number)


def _discard_output() -> None:
    """Discard buffered output: the interpreter would try to write it again when it ends, and print an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
