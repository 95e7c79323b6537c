"""How scores agree with ratings by people: `score.py --ratings`."""

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np

from sari.command_line.options import OptionError, Options, refusals
from sari.command_line.progress import step_bar
from sari.command_line.scoring import chosen_settings
from sari.data_warnings import WarningRow, check_resampling, merge_warnings, warning_rows, without_comparison
from sari.files.errors import FileError
from sari.files.reading import Batch, LineFile, gather
from sari.inputs import Columns
from sari.measures.agreement import COEFFICIENTS, Agreement, SystemRows, agreement, system_agreement, system_scores
from sari.measures.linear import linear_model
from sari.options import Resampling, resolve_resampling
from sari.report.agreement import FORMATS, AgreementReport, AgreementRow
from sari.report.companions import MEASURES, Measure, Texts, spaced
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
    """A score: its variant, empty for a measure; its name; per row; of systems, None for no such thing; signature."""

    variant: str
    name: str
    values: np.ndarray
    of_systems: SystemRows | None
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
        texts = _texts(rows.texts, next(iter(settings.values())).variant)
        scores += [_measured(measure, texts) for measure in measures]
        with step_bar("Resampling", len(COEFFICIENTS), quiet=options.quiet) as advance:
            found = {level: _agreements(scores, rows, resampling, level, advance) for level in _levels(rows)}
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
    known = {measure.name: measure for measure in MEASURES if measure.needs != "trees"}
    asked = list(known) if options.measures == ["all"] else options.measures or []
    for flag, names in (("--measures", asked), ("--model", options.model or [])):
        allowed = [*known, *(SCORES if flag == "--model" else ())]
        unknown = next((name for name in names if name not in allowed), None)
        if unknown is not None:
            raise OptionError(f"{flag}: got {unknown!r}, wanted some of {', '.join(allowed)}")
        if len(set(names)) < len(names):
            raise OptionError(f"{flag}: got a name twice, wanted each once")
    return [known[name] for name in dict.fromkeys([*asked, *(options.model or [])]) if name in known]


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


def _texts(columns: Columns, variant: Variant) -> Texts:
    return Texts(
        sources=spaced(columns.sources, variant),
        outputs=spaced(columns.predictions, variant),
        references=[spaced(row, variant) for row in columns.references],
        raw_sources=columns.sources,
        raw_outputs=columns.predictions,
    )


def _measured(measure: Measure, texts: Texts) -> _Scores:
    """Return a measure of each row; what measures a corpus takes each row for a corpus of its own."""
    values = measure.of(texts)
    if isinstance(values, np.ndarray):
        column = values.astype(np.float64)
        return _Scores("", measure.name, column, SystemRows(column, lambda sums, counts: sums / counts), "")
    places = range(len(texts.outputs))
    return _Scores("", measure.name, np.array([float(measure.of(_one(texts, place))) for place in places]), None, "")


def _one(texts: Texts, place: int) -> Texts:
    return Texts(
        sources=[texts.sources[place]],
        outputs=[texts.outputs[place]],
        references=None if texts.references is None else [texts.references[place]],
        raw_sources=[texts.raw_sources[place]],
        raw_outputs=[texts.raw_outputs[place]],
    )


def _agreements(scores: list[_Scores], rows: _Rows, how: Resampling, level: str, advance) -> list[AgreementRow]:
    """Return how each score agrees, compared with the first one."""
    kept = [score for score in scores if level == "segments" or score.of_systems is not None]
    by_number = {str(number): score for number, score in enumerate(kept)}
    found: dict[str, Mapping[str, Agreement]] = {}
    for coefficient in COEFFICIENTS:
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
                {number: score.of_systems for number, score in by_number.items() if score.of_systems is not None},
                rows.ratings,
                rows.systems,
                groups=rows.texts.sources,
                coefficient=coefficient,
                baseline="0",
                confidence=how.confidence,
                resamples=how.resamples,
                seed=how.seed,
            )
        advance()
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
