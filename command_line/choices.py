"""What the options choose: variants, resampling, companion measures, and the files that some of these need."""

from typing import Any, NamedTuple

from sari.command_line.options import Options, flag_of, in_options
from sari.companion_measures.registry import MEASURES, SIDE_FILES, Measure, own_measure, resolve
from sari.data_warnings import SariWarning, WarningRow, warning_rows
from sari.messages import RefusedValueError, escape_unprintable, fault
from sari.reports.score_report import RECORD_KEYS, columns_of
from sari.reports.score_tables import SHOWN
from sari.significance import Resampling, resolve_resampling
from sari.text_files.table_files import read_numbers
from sari.validation import check_choice
from sari.variants import Variant, resolve_variant, resolve_variants


class LeftOutWarning(SariWarning):
    """A baseline or a variant cannot be computed."""


class Choices(NamedTuple):
    """What the options choose.

    Attributes:
        variants: to score by, by their labels.
        left_out: the warnings about variants that other options rule out.
        resampling: how intervals and tests are computed.
        measures: the companion measures.
        side_data: what was read from side files, by the files' names.
    """

    variants: dict[str, Variant]
    left_out: list[WarningRow]
    resampling: Resampling
    measures: list[Measure]
    side_data: dict[str, Any]


def resolve_choices(options: Options, **resampling: Any) -> Choices:
    """Return what the options choose, and read the side files.

    Args:
        options: of the command line.
        resampling: defaults of the options of intervals.

    Raises:
        FileError: for a side file that cannot be read.
        ValueError: for options that the metric refuses, and measures that are unknown or lack what they need.
    """
    variants, left_out = _chosen_variants(options)
    measures, side_data = _chosen_measures(options)
    chosen = resolve_resampling(**{**resampling, **options.resampling})
    return Choices(variants, left_out, chosen, measures, side_data)


def _chosen_variants(options: Options) -> tuple[dict[str, Variant], list[WarningRow]]:
    if not options.all_variants:
        chosen = [resolve_variant(name, **options.choices) for name in options.variants]
        return {variant.label: variant for variant in chosen}, []
    possible, left_out = resolve_variants(**options.choices)
    if not possible:
        raise RefusedValueError(next(iter(left_out.values())))
    unavailable = resolve_variants()[1]  # for want of a package, whatever the options
    messages = [f"{name} is left out: {in_options(why)}" for name, why in left_out.items() if name not in unavailable]
    return {variant.label: variant for variant in possible.values()}, warning_rows(map(LeftOutWarning, messages))


def _chosen_measures(options: Options) -> tuple[list[Measure], dict[str, Any]]:
    """Return the measures that are named, "all" for those whose needs are met and that are not slow; and side data."""
    known = {measure.name: measure for measure in MEASURES}
    names = dict.fromkeys(options.measures or ())
    if "all" in names:
        every = [row.name for row in known.values() if not (row.is_slow or _lacks(row, options))]
        names = dict.fromkeys([*every, *(name for name in names if name != "all")])
    for name in names:
        check_choice("--measures", name, ["all", *known])
        if lacks := _lacks(known[name], options):
            raise RefusedValueError(f"--measures: {name} needs {lacks}")
    of_measures = (column for row in MEASURES for column in columns_of(row.name))
    taken = set(map(str.casefold, [*RECORD_KEYS, *SHOWN, *of_measures]))
    measures = [known[name] for name in names]
    numbers: dict[str, dict[str, list[float]]] = {}
    for name, path in options.own_measure or ():
        columns = set(map(str.casefold, columns_of(name)))
        if taken & columns:
            raise RefusedValueError(fault("--own-measure", f"the name {name}, which is taken", "another"))
        taken |= columns
        measures.append(own_measure(name, path))
        numbers[name] = _numbers_of_systems(name, path, options)
    return measures, {"own_measures": numbers, **_read_side_files(options)}


def _numbers_of_systems(name: str, path: str, options: Options) -> dict[str, list[float]]:
    """Read the numbers of each system; the only column of a single system may have any name."""
    numbers = {escape_unprintable(system): column for system, column in read_numbers(path, options.encoding).items()}
    if len(options.systems) == len(numbers) == 1:
        return dict(zip(options.systems, numbers.values(), strict=True))
    for system in options.systems:
        if system not in numbers:
            raise RefusedValueError(
                fault("--own-measure", f"{name} with columns {', '.join(numbers)}", f"also {system}")
            )
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
        file.name: resolve(file.default)() if path is None else resolve(file.read)(path, options.encoding)
        for file, path in paths.items()
        if file in wanted
    }
