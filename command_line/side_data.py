"""Companion measures on the command line: which are chosen, and the files that some of them need."""

from difflib import get_close_matches
from typing import Any, NamedTuple

from sari.command_line.options import OptionError, Options, flag_of
from sari.companion_measures.registry import MEASURES, SIDE_FILES, Measure, own_measure, resolve
from sari.reports.score_report import RECORD_KEYS
from sari.text_files.table_files import read_numbers
from sari.validation import expect, shown


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
    for name in names:
        nearest = ", ".join(get_close_matches(name, known, cutoff=0))
        expect(name in known, "--measures", shown(name), f"names such as {nearest}, or all alone: see --help")
        expect(names.count(name) == 1, "--measures", f"{name} twice", "it once")
        if lacks := _lacks(known[name], options):
            raise OptionError(f"--measures: {name} needs {lacks}")
    taken = {*RECORD_KEYS, *(measure.name for measure in MEASURES)}
    measures = [known[name] for name in names]
    numbers: dict[str, dict[str, list[float]]] = {}
    for name, path in options.own_measure or ():
        expect(name not in {*taken, *numbers}, "--own-measure", f"the name {name}, which is taken", "another")
        measures.append(own_measure(name, path))
        numbers[name] = _numbers_of_systems(name, path, options)
    return ChosenMeasures(measures, {"own_measures": numbers, **_read_side_files(options)})


def _numbers_of_systems(name: str, path: str, options: Options) -> dict[str, list[float]]:
    """Read the numbers of each system; the only column of a single system may have any name."""
    numbers, systems = read_numbers(path, options.encoding), options.systems
    if len(systems) == len(numbers) == 1:
        return dict(zip(systems, numbers.values(), strict=True))
    for system in systems:
        expect(system in numbers, "--own-measure", f"{name} with columns {', '.join(numbers)}", f"also {system}")
    return numbers


def _lacks(measure: Measure, options: Options) -> str:
    """Return what a measure needs that is missing; empty for nothing."""
    for file in measure.side_files:
        if not file.default and getattr(options, file.name) is None:
            return f"{flag_of(file.name)} FILE"
    return measure.missing


def _read_side_files(options: Options) -> dict[str, Any]:
    """Read the side files that are given, and the defaults of those that the same measures need besides."""
    paths = {file: getattr(options, file.name) for file in SIDE_FILES}
    wanted = {file for row in MEASURES if any(map(paths.get, row.side_files)) for file in row.side_files}
    return {
        file.name: resolve(file.default)() if path is None else resolve(file.read)(path)
        for file, path in paths.items()
        if file in wanted
    }
