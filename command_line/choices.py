"""What the options choose: variants, resampling, companion measures, and the files that some of these need."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.command_line.options import Options, flag_of, in_options
from sari.companion_measures.registry import MEASURES, SIDE_FILES, Measure, Settings, SideFile, own_measure, resolve
from sari.data_warnings import SariWarning, WarningRow, warning_rows
from sari.messages import RefusedImportError, RefusedValueError, fault, short_repr
from sari.reports.score_report import RECORD_KEYS, columns_of
from sari.reports.score_tables import SHOWN
from sari.significance import Resampling, resolve_resampling
from sari.text_files.output_rows import SystemOutputs
from sari.validation import check_choice
from sari.variants import Variant, resolve_variant, resolve_variants

if TYPE_CHECKING:
    from sari.reports.measuring import Measuring


class LeftOutWarning(SariWarning):
    """A baseline or a variant cannot be computed."""


class Choices(NamedTuple):
    """What the options choose.

    Attributes:
        variants: to score by, by their labels.
        left_out: the warnings about variants that other options rule out, and about measures that lack something.
        resampling: how intervals and tests are computed.
        measures: the companion measures.
        settings: what the measures depend on.
    """

    variants: dict[str, Variant]
    left_out: list[WarningRow]
    resampling: Resampling
    measures: list[Measure]
    settings: Settings

    def measuring(self, rows: SystemOutputs) -> Measuring:
        """Return how outputs are measured."""
        from sari.reports.measuring import Measuring  # here, since it is slow to import

        return Measuring(rows.columns, self.resampling, self.settings, rows.numbers)


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
    measures, lacking = _chosen_measures(options)
    chosen = resolve_resampling(**{**resampling, **options.resampling})
    wanted = {file for measure in measures for file in measure.side_files} | set(_given_files(options))
    settings = Settings.of_options(options.choices, **_read_side_files(options, wanted))
    return Choices(variants, [*left_out, *warning_rows(lacking)], chosen, measures, settings)


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


def _chosen_measures(options: Options) -> tuple[list[Measure], list[LeftOutWarning]]:
    """Return the measures that are named, and own ones; "all" are those that are shown or not slow.

    Of all, those that lack what they need are left out, with a warning if a file for them is given.
    """
    known = {measure.name: measure for measure in MEASURES}
    names, left_out = dict.fromkeys(options.measures or ()), {}
    if "all" in names:
        every = {row.name: _lacks(row, options) for row in MEASURES if not row.is_slow}
        more = [name for name in (*names, *(options.show or ())) if name in known]
        left_out = {name: lacks for name, lacks in every.items() if lacks and name not in more}
        names = dict.fromkeys([*(name for name in every if name not in left_out), *more])
    for name in names:
        check_choice("--measures", name, ["all", *known])
        if lacks := _lacks(known[name], options):
            raise RefusedValueError(f"--measures: {name} needs {lacks}")
    lacking = [
        LeftOutWarning(f"{name} is left out: it needs {lacks}")
        for name, lacks in left_out.items()
        if not set(_given_files(options)).isdisjoint(known[name].side_files)
    ]
    return [*(known[name] for name in names), *_own_measures(options)], lacking


def _own_measures(options: Options) -> Iterator[Measure]:
    """Yield the measures computed elsewhere, none of which has a column of another in CSV."""
    of_measures = (column for row in MEASURES for column in columns_of(row.name))
    taken = set(map(str.casefold, [*RECORD_KEYS, *SHOWN, *of_measures]))
    for name, place in options.own_measure or ():
        columns = set(map(str.casefold, columns_of(name)))
        if taken & columns:
            raise RefusedValueError(fault("--own-measure", f"the name {name}, which is taken", "another"))
        taken |= columns
        yield own_measure(
            name, Path(place).name if options.table is None else f"the column {short_repr(place or name)}"
        )


def _lacks(measure: Measure, options: Options) -> str:
    """Return what a measure needs that is missing; empty for nothing."""
    for file in measure.side_files:
        if not file.default and getattr(options, file.name) is None:
            return f"{flag_of(file.name)} FILE"
    try:
        _read_side_files(options, set(measure.side_files).difference(_given_files(options)))
    except RefusedImportError as error:
        return in_options(str(error))
    return measure.missing


def _given_files(options: Options) -> list[SideFile]:
    return [file for file in SIDE_FILES if getattr(options, file.name) is not None]


def _read_side_files(options: Options, wanted: Collection[SideFile]) -> dict[str, Any]:
    """Read side files, or the defaults of those that are not given."""
    paths = {file: getattr(options, file.name) for file in SIDE_FILES if file in wanted}
    return {
        file.name: resolve(file.default)() if path is None else resolve(file.read)(path, options.encoding)
        for file, path in paths.items()
    }
