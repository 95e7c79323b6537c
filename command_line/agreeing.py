"""How scores agree with ratings by people: `score.py --ratings`."""

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from sari.command_line.options import OptionError, Options, refusals
from sari.command_line.progress import step_bar
from sari.command_line.scoring import chosen_settings
from sari.command_line.side_data import chosen_measures, read_side_data
from sari.data_warnings import WarningRow, check_resampling, merge_warnings, warning_rows, without_comparison
from sari.files.errors import FileError
from sari.files.reading import Batch, LineFile, gather
from sari.inputs import Columns
from sari.measures.agreement import COEFFICIENTS, Agreement, SystemRows, agreement, system_agreement, system_scores
from sari.measures.linear import linear_model
from sari.options import Resampling, resolve_resampling
from sari.report.agreement import FORMATS, AgreementReport, AgreementRow
from sari.report.companions import MEASURES, Measure, Texts
from sari.report.measuring import MeasuredSet, SideData
from sari.state import State
from sari.variants import SCORES, Variant

#: The fewest systems whose order can be compared.
_SYSTEMS = 3


class _Rows(NamedTuple):
    """All outputs of all systems, one row for each."""

    texts: Columns
    systems: list[str]
    ratings: list[float]


class _Scores(NamedTuple):
    """A score: its variant, empty for a measure; its name; per row; of systems; its signature."""

    variant: str
    name: str
    values: np.ndarray
    of_systems: SystemRows
    signature: str


def agree(options: Options, batches: Iterable[Batch]) -> str:
    """Return how the scores of the files agree with their ratings.

    Raises:
        FileError: for a file that cannot be read, and a rating that is no number.
        OptionError: for options that the metric refuses, unknown measures, and ratings that cannot be explained.
    """
    settings, left_out = chosen_settings(options)
    with refusals():
        resampling = resolve_resampling(confidence=options.confidence, resamples=options.resamples, **_seed(options))
        measures = _measures(options)
        rows = _rows(options, batches)
        states = {name: State(each, sentences=True, resampling=True) for name, each in settings.items()}
        scores = [score for state in states.values() for score in _sari(state, rows)]
        texts = _texts(rows.texts, next(iter(settings.values())).variant, read_side_data(options))
        scores += [_measured(measure, texts) for measure in measures]
        levels = _levels(rows)
        with step_bar("Resampling", len(levels) * len(COEFFICIENTS), quiet=options.quiet) as advance:
            found = {level: _agreements(scores, rows, resampling, level, advance) for level in levels}
        model = None
        if options.model is not None:
            by_name = {score.name: score.values for score in scores}
            model = linear_model({name: by_name[name] for name in options.model}, rows.ratings)
    report = AgreementReport(
        rows=[row for level in found.values() for row in level],
        ratings=len(rows.ratings),
        sources=len(set(rows.texts.sources)),
        systems=list(dict.fromkeys(rows.systems)),
        model=model,
        confidence=resampling.confidence,
        resamples=resampling.resamples,
        seed=resampling.seed,
        warnings=[] if options.quiet else [*_warnings(states, rows, resampling), *left_out],
    )
    return FORMATS[options.format](report)


def _warnings(states: Mapping[str, State], rows: _Rows, how: Resampling) -> list[WarningRow]:
    found = merge_warnings({name: state.warnings() for name, state in states.items()})
    found += check_resampling(len(set(rows.texts.sources)), intervals=how.confidence is not None, tests=False)
    return warning_rows(without_comparison(found))


def _seed(options: Options) -> dict[str, int]:
    return {} if options.seed is None else {"seed": options.seed}


def _levels(rows: _Rows) -> list[str]:
    return ["segments", "systems"] if len(set(rows.systems)) >= _SYSTEMS else ["segments"]


def _measures(options: Options) -> list[Measure]:
    """Return the companion measures that are asked for, by `--measures` or by `--model`."""
    asked = chosen_measures(options, trees=False)
    terms = [name for name in options.model or [] if name not in SCORES]
    known = {measure.name for measure in MEASURES if measure.needs != "trees"}
    unknown = next((name for name in terms if name not in known), None)
    if unknown is not None:
        raise OptionError(f"--model: got {unknown!r}, wanted some of {', '.join([*known, *SCORES])}")
    if len(set(options.model or [])) < len(options.model or []):
        raise OptionError("--model: got a name twice, wanted each once")
    more = [name for name in terms if name not in {measure.name for measure in asked}]
    return [*asked, *chosen_measures(replace(options, measures=more), trees=False)]


def _rows(options: Options, batches: Iterable[Batch]) -> _Rows:
    columns = gather(batches, options.systems)
    sources, predictions, references = columns["sources"], columns["predictions"], columns["references"]
    if options.jsonl is not None:
        systems, ratings = _of_objects(options.jsonl, str((options.ratings or [""])[0]))
        (outputs,) = predictions.values()
        return _Rows(Columns(sources, outputs, references), systems, ratings)
    systems = [name for name in predictions for _ in sources]
    ratings = [rating for path in options.ratings or [] for rating in _of_lines(path, len(sources), options.sources)]
    texts = [text for column in predictions.values() for text in column]
    return _Rows(Columns(sources * len(predictions), texts, references * len(predictions)), systems, ratings)


def _of_lines(path: str, wanted: int, model: str | None) -> list[float]:
    with closing(LineFile(path)) as file:
        ratings = [_number(line, file) for line in file]
        if len(ratings) != wanted:
            raise FileError(
                f"{file.name}: the file has {len(ratings)} lines, wanted {wanted} as in {model or 'the sources'}"
            )
        return ratings


def _of_objects(path: str, key: str) -> tuple[list[str], list[float]]:
    """Return systems, where all objects name one under "system", and ratings."""
    systems, ratings = [], []
    with closing(LineFile(path)) as file:
        for line in file:
            record = json.loads(line)
            if key not in record:
                raise file.error(f'no "{key}" in the object, wanted a rating there')
            ratings.append(_number(record[key], file))
            systems.append(record.get("system"))
    named = all(isinstance(system, str) for system in systems)
    return systems if named else [""] * len(systems), ratings


def _number(value: object, file: LineFile) -> float:
    try:
        rating = float("nan") if isinstance(value, bool) or not isinstance(value, str | int | float) else float(value)
    except (ValueError, OverflowError):
        rating = float("nan")
    if not np.isfinite(rating):
        raise file.error(f"got {value!r}, wanted a number: the rating")
    return rating


def _sari(state: State, rows: _Rows) -> list[_Scores]:
    """Return SARI and its operations."""
    state.update_checked(rows.texts)
    sentences, sums = state.sentences(), state.rows()
    name = state.settings.variant.name
    return [
        _Scores(
            name,
            score,
            np.array(sentences[score]),
            SystemRows(sums, partial(system_scores, state, score=score)),
            state.signature,
        )
        for score in SCORES
    ]


def _texts(columns: Columns, variant: Variant, side: SideData) -> Texts:
    own = MeasuredSet(columns.sources, columns.references, variant, side)
    return own.texts(columns.predictions, own.references)


def _measured(measure: Measure, texts: Texts) -> _Scores:
    """Return a measure of each row, which is a corpus of its own where it measures corpora, and of systems."""
    rows = measure.rows(texts).astype(np.float64).reshape(len(texts.outputs), -1)
    return _Scores(
        "", measure.name, measure.values_of_sums(rows, 1), SystemRows(rows, partial(_of_systems, measure)), ""
    )


def _of_systems(measure: Measure, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return measure.values_of_sums(sums, counts)


def _agreements(scores: list[_Scores], rows: _Rows, how: Resampling, level: str, advance) -> list[AgreementRow]:
    """Return how each score agrees, compared with the first one."""
    by_number = {str(number): score for number, score in enumerate(scores)}
    found: dict[str, Mapping[str, Agreement]] = {}
    for coefficient in COEFFICIENTS:
        advance(f"{coefficient}, {level}")
        if level == "segments":
            found[coefficient] = agreement(
                {number: score.values for number, score in by_number.items()},
                rows.ratings,
                groups=rows.texts.sources,
                coefficient=coefficient,
                baseline="0",
                confidence=how.confidence,
                resamples=how.resamples,
                seed=how.seed,
            )
        else:
            found[coefficient] = system_agreement(
                {number: score.of_systems for number, score in by_number.items()},
                rows.ratings,
                rows.systems,
                groups=rows.texts.sources,
                coefficient=coefficient,
                baseline="0",
                confidence=how.confidence,
                resamples=how.resamples,
                seed=how.seed,
            )
    return [
        AgreementRow(
            level=level,
            variant=score.variant,
            measure=score.name,
            signature=score.signature,
            coefficients={name: of_all[number] for name, of_all in found.items()},
        )
        for number, score in by_number.items()
    ]
