"""Companion measures on the command line: which are chosen, and the files that some of them need."""

from collections.abc import Callable
from typing import Any

from sari.command_line.options import OptionError, Options, refusals
from sari.command_line.progress import step_bar
from sari.companion_measures.columns import read_numbers
from sari.reports.companions import MEASURES, SIDE_FILES, Measure, has_punkt, own_measure, resolve
from sari.reports.measuring import add_measures
from sari.reports.score_report import ScoreReport
from sari.significance import Resampling
from sari.text_files.errors import FileError
from sari.validation import SystemColumns
from sari.variants import SCORES, Variant

_PUNKT = "NLTK and its data: pip install nltk && python -m nltk.downloader punkt_tab"


def measure(
    report: ScoreReport, columns: SystemColumns, variants: dict[str, Variant], how: Resampling, options: Options
) -> ScoreReport:
    """Add the measures that `--measures` and `--own-measure` name to what is printed.

    Raises:
        FileError: for a side file that cannot be read.
        OptionError: for unknown measures, and for side files that do not fit.
    """
    measures = chosen_measures(options) + own_measures(options)
    splits = {(variant.tokenize, variant.lowercase) for variant in variants.values()}
    with refusals(), step_bar("Measuring", len(splits) * len(measures), quiet=options.quiet) as advance:
        side_data = read_side_data(options)
        return add_measures(report, columns, variants, measures, how=how, side_data=side_data, advance=advance)


def chosen_measures(options: Options, *, trees: bool = True) -> list[Measure]:
    """Return the companion measures that `--measures` names; for "all" those whose needs are met, but slow ones.

    Args:
        options: with the names, and the files that some measures need.
        trees: whether measures that compare trees may be among them.

    Raises:
        OptionError: for unknown names, names that come twice, and measures that lack what they need.
    """
    known = {measure.name: measure for measure in MEASURES if trees or "trees" not in measure.arguments}
    if options.measures == ["all"]:
        return [row for row in known.values() if not (row.is_slow or _lacks(row, options))]
    names = options.measures or []
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise OptionError(f"--measures: got {unknown!r}, wanted some of {', '.join(known)}, or all")
    if len(set(names)) < len(names):
        raise OptionError("--measures: got a name twice, wanted each once")
    for name in names:
        lacking = _lacks(known[name], options)
        if lacking:
            raise OptionError(f"--measures: {name} needs {lacking}")
    return [known[name] for name in names]


def own_measures(options: Options) -> list[Measure]:
    """Return the measures that the user computed elsewhere.

    Raises:
        OptionError: for a name that is not one, or is taken.
    """
    return [own_measure(name, path) for name, path in _own_files(options).items()]


def _own_files(options: Options) -> dict[str, str]:
    """Return the files of `--own-measure` by name."""
    found: dict[str, str] = {}
    for given in options.own_measure or []:
        name, _, path = given.partition("=")
        if not (name.isidentifier() and path):
            raise OptionError(f"--own-measure: got {given!r}, wanted NAME=FILE, with letters, digits and _ in the name")
        if name in found or name in SCORES or name in {measure.name for measure in MEASURES}:
            raise OptionError(f"--own-measure: got the name {name}, which is taken, wanted another")
        found[name] = path
    return found


def _lacks(measure: Measure, options: Options) -> str:
    """Return what a measure needs and is not there; empty for nothing."""
    for file in measure.side_files:
        if not file.default and getattr(options, file.name) is None:
            return f"{file.option} FILE"
    return _PUNKT if measure.needs_punkt and not has_punkt() else ""


def read_side_data(options: Options) -> dict[str, Any]:
    """Read the side files that are given, and those that measures of given files need besides.

    Returns:
        What they hold, by their names.

    Raises:
        FileError: for a file that cannot be read.
        OptionError: for a file that must be given, since there is nothing that can stand in for it.
        ValueError: for a file that holds something else.
    """
    given = {file.name for file in SIDE_FILES if getattr(options, file.name) is not None}
    wanted = [row.side_files for row in MEASURES if given & {file.name for file in row.side_files}]
    own = {
        name: _of_systems(name, _read(read_numbers, path), options.systems)
        for name, path in _own_files(options).items()
    }
    found: dict[str, Any] = {"own_measures": own}
    for file in SIDE_FILES:
        path = getattr(options, file.name)
        if path is not None:
            found[file.name] = _read(resolve(file.read), path)
        elif any(file in files for files in wanted):
            try:
                found[file.name] = resolve(file.default)()
            except ImportError as error:
                raise OptionError(f"{file.option}: got nothing, wanted a file, or {error}") from None
    return found


def _of_systems(name: str, numbers: dict[str, list[float]], systems: list[str]) -> dict[str, list[float]]:
    """Return the columns of the systems; that of a single system may have any name."""
    if len(systems) == len(numbers) == 1:
        return dict(zip(systems, numbers.values(), strict=True))
    missing = next((system for system in systems if system not in numbers), None)
    if missing is not None:
        raise OptionError(f"--own-measure: got {name} with columns {', '.join(numbers)}, wanted also {missing}")
    return numbers


def _read(read: Callable[[str], Any], path: str) -> Any:
    try:
        return read(path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}, wanted a file to read") from error
