"""Companion measures on the command line: which are chosen, and the files that some of them need."""

from difflib import get_close_matches
from typing import Any, NamedTuple

from sari.command_line.options import OptionError, Options, flag_of
from sari.companion_measures.registry import MEASURES, SIDE_FILES, Measure, own_measure, resolve
from sari.reports.score_report import RECORD_KEYS
from sari.text_files.errors import FileError
from sari.text_files.table_files import read_numbers
from sari.validation import fault


class ChosenMeasures(NamedTuple):
    """The companion measures that the options name, and what was read from side files, by the files' names."""

    measures: list[Measure]
    side_data: dict[str, Any]


def choose_measures(options: Options, *, trees: bool = True) -> ChosenMeasures:
    """Choose the measures that `--measures` and `--own-measure` name, and read the side files.

    Args:
        options: "all" stands for all measures whose needs are met, except slow ones.
        trees: whether measures that compare trees may be among them.

    Raises:
        FileError: for a side file that cannot be read.
        OptionError: for unknown names, names that come twice, and measures that lack what they need.
        ValueError: for a side file that holds something else.
    """
    known = {measure.name: measure for measure in MEASURES if trees or "trees" not in measure.arguments}
    names = options.measures or []
    if names == ["all"]:
        names = [row.name for row in known.values() if not (row.is_slow or _lacks(row, options))]
    for place, name in enumerate(names):
        if name not in known:
            nearest = ", ".join(get_close_matches(name, known, cutoff=0))
            raise OptionError(fault("--measures", repr(name), f"names such as {nearest}, or all alone: see --help"))
        if name in names[:place]:
            raise OptionError(f"--measures: got {name} twice, expected it once")
        if lacks := _lacks(known[name], options):
            raise OptionError(f"--measures: {name} needs {lacks}")
    own_files = _own_files(options)
    measures = [*(known[name] for name in names), *(own_measure(name, path) for name, path in own_files.items())]
    numbers = {name: _numbers_of_systems(name, path, options) for name, path in own_files.items()}
    return ChosenMeasures(measures, {"own_measures": numbers, **_read_side_files(options)})


def _own_files(options: Options) -> dict[str, str]:
    """Return the files of `--own-measure` by name."""
    taken = {*RECORD_KEYS, *(measure.name for measure in MEASURES)}
    found: dict[str, str] = {}
    for given in options.own_measure or []:
        name, _, path = given.partition("=")
        if not (name.isidentifier() and path):
            raise OptionError(fault("--own-measure", repr(given), "NAME=FILE, with letters, digits and _ in the name"))
        if name in taken or name in found:
            raise OptionError(f"--own-measure: got the name {name}, which is taken, expected another")
        found[name] = path
    return found


def _numbers_of_systems(name: str, path: str, options: Options) -> dict[str, list[float]]:
    """Read the numbers of each system; the only column of a single system may have any name."""
    numbers, systems = read_numbers(path, options.encoding), options.systems
    if len(systems) == len(numbers) == 1:
        return dict(zip(systems, numbers.values(), strict=True))
    missing = next((system for system in systems if system not in numbers), None)
    if missing is not None:
        raise OptionError(fault("--own-measure", f"{name} with columns {', '.join(numbers)}", f"also {missing}"))
    return numbers


def _lacks(measure: Measure, options: Options) -> str:
    """Return what a measure needs that is missing; empty for nothing."""
    for file in measure.side_files:
        if not file.default and getattr(options, file.name) is None:
            return f"{flag_of(file.name)} FILE"
    return measure.missing


def _read_side_files(options: Options) -> dict[str, Any]:
    """Read the side files that are given, and the defaults of those that the same measures need besides."""
    given = {file for file in SIDE_FILES if getattr(options, file.name) is not None}
    wanted = {file for row in MEASURES if given & set(row.side_files) for file in row.side_files}
    found = {}
    for file in SIDE_FILES:
        path = getattr(options, file.name)
        try:
            if file in given:
                found[file.name] = resolve(file.read)(path)
            elif file in wanted:
                found[file.name] = resolve(file.default)()
        except OSError as error:
            raise FileError(f"{path}: {error.strerror}, expected a file to read") from error
    return found
