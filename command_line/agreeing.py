"""How scores agree with ratings by people: `score.py --ratings`."""

import json
from collections.abc import Iterable
from contextlib import closing

import numpy as np

from sari.command_line.options import OptionError, Options, refusals
from sari.command_line.progress import step_bar
from sari.files.ratings import as_rating, read_ratings
from sari.files.reading import Batch, LineFile, gather
from sari.inputs import Columns
from sari.measures.agreement import COEFFICIENTS, SystemRows
from sari.measures.linear import linear_model
from sari.options import resolve_resampling, resolve_settings
from sari.report.agreement import FORMATS, AgreementReport
from sari.report.companions import MEASURES, Measure, Texts, spaced
from sari.report.rated import RatedOutputs, RatedScore, agreement_rows, sari_scores
from sari.state import State
from sari.variants import SCORES, Variant


def agree(options: Options, batches: Iterable[Batch]) -> str:
    """Return how the scores of the files agree with their ratings.

    Raises:
        FileError: for a file that cannot be read, and a rating that is no number.
        OptionError: for options that the metric refuses, unknown measures, and ratings that cannot be explained.
    """
    with refusals():
        settings = [resolve_settings(name, threads=options.threads, **options.choices) for name in options.variants]
        resampling = resolve_resampling(confidence=options.confidence, resamples=options.resamples, **_seed(options))
        measures = _measures(options)
        rows = _rows(options, batches)
        states = [State(each, sentences=True, resampling=True) for each in settings]
        scores = [score for state in states for score in sari_scores(state, rows)]
        texts = _texts(rows.texts, settings[0].variant)
        scores += [_measured(measure, texts) for measure in measures]
        with step_bar("Resampling", len(rows.levels) * len(COEFFICIENTS)) as advance:
            found = agreement_rows(scores, rows, resampling, advance=advance)
        model = None
        if options.model is not None:
            by_name = {score.name: score.values for score in scores}
            model = linear_model({name: by_name[name] for name in options.model}, rows.ratings)
    report = AgreementReport(
        rows=found,
        ratings=len(rows.ratings),
        sources=len(set(rows.texts.sources)),
        systems=list(dict.fromkeys(rows.systems)),
        model=model,
        confidence=resampling.confidence,
        resamples=resampling.resamples,
        seed=resampling.seed,
    )
    return FORMATS[options.format](report)


def _seed(options: Options) -> dict[str, int]:
    return {} if options.seed is None else {"seed": options.seed}


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


def _rows(options: Options, batches: Iterable[Batch]) -> RatedOutputs:
    columns = gather(batches, options.systems)
    sources, predictions, references = columns["sources"], columns["predictions"], columns["references"]
    if options.jsonl is not None:
        systems, ratings = _of_objects(options.jsonl, str((options.ratings or [""])[0]))
        (outputs,) = predictions.values()
        return RatedOutputs(Columns(sources, outputs, references), systems, ratings)
    systems = [name for name in predictions for _ in sources]
    model = options.sources or "the sources"
    ratings = [rating for path in options.ratings or [] for rating in read_ratings(path, len(sources), model)]
    texts = [text for column in predictions.values() for text in column]
    return RatedOutputs(Columns(sources * len(predictions), texts, references * len(predictions)), systems, ratings)


def _of_objects(path: str, key: str) -> tuple[list[str], list[float]]:
    """Return systems, where all objects name one under "system", and ratings."""
    systems, ratings = [], []
    with closing(LineFile(path)) as file:
        for line in file:
            record = json.loads(line)
            if key not in record:
                raise file.error(f'no "{key}" in the object, wanted a rating there')
            ratings.append(as_rating(record[key], file.error))
            systems.append(record.get("system"))
    named = all(isinstance(system, str) for system in systems)
    return systems if named else [""] * len(systems), ratings


def _texts(columns: Columns, variant: Variant) -> Texts:
    return Texts(
        sources=spaced(columns.sources, variant),
        outputs=spaced(columns.predictions, variant),
        references=[spaced(row, variant) for row in columns.references],
        raw_sources=columns.sources,
        raw_outputs=columns.predictions,
    )


def _measured(measure: Measure, texts: Texts) -> RatedScore:
    """Return a measure of each row; what measures a corpus takes each row for a corpus of its own."""
    values = measure.of(texts)
    if isinstance(values, np.ndarray):
        column = values.astype(np.float64)
        return RatedScore("", measure.name, column, SystemRows(column, lambda sums, counts: sums / counts), "")
    places = range(len(texts.outputs))
    return RatedScore("", measure.name, np.array([float(measure.of(_one(texts, place))) for place in places]), None, "")


def _one(texts: Texts, place: int) -> Texts:
    return Texts(
        sources=[texts.sources[place]],
        outputs=[texts.outputs[place]],
        references=None if texts.references is None else [texts.references[place]],
        raw_sources=[texts.raw_sources[place]],
        raw_outputs=[texts.raw_outputs[place]],
    )
