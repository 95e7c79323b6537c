"""What the page and its endpoints answer: input checked against the limits, and the metric's results as plain data.

Nothing here is kept from one call to the next, so that visitors cannot meet.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from inputs import columns, columns_of_systems
from report import text_files
from report.explanation import Explanation, explain
from report.tables import SCORES

#: Tokenizers that need neither further packages nor downloads.
TOKENIZERS = ("13a", "intl", "none", "char", "zh")

MAX_CHARACTERS = 10_000
MAX_SEGMENTS = 5_000
MAX_MEGABYTES = 10
MAX_SYSTEMS = 20

_ELSEWHERE = "The command line, score.py, has no limit."
_BATCH = 250
_GZIP_MAGIC = b"\x1f\x8b"


class RefusedError(Exception):
    """Input that is not answered, said in one friendly line."""


class Segment(NamedTuple):
    """One text to score, as `report.explanation.explain` takes it."""

    source: str
    prediction: str
    references: list[str]


class Batch(TypedDict):
    """Segments as the columns that the metric takes."""

    sources: list[str]
    predictions: list[str]
    references: list[list[str]]


class Systems(TypedDict):
    """The outputs of several systems as the columns that the metric takes, by the systems' names."""

    sources: list[str]
    predictions: dict[str, list[str]]
    references: list[list[str]]


class Row(NamedTuple):
    """A segment of a corpus: its number from 1, its scores in percent, and its texts."""

    line: int
    sari: float
    keep: float
    delete: float
    add: float
    source: str
    output: str
    references: list[str]


class Corpus(NamedTuple):
    """A scored corpus: the metric's result with details, a row for each segment, and what there is to note."""

    result: dict[str, Any]
    rows: list[Row]
    notes: list[dict[str, str]]


def explained(metric, source: str, output: str, references: Sequence[str], **options) -> Explanation:
    """Explain the SARI of one segment; options are those of the metric.

    Raises:
        RefusedError: for empty fields, past the limit, and for what the metric refuses.
    """
    with _refusals():
        _check_tokenizer(**options)
        segment = _segment(source, output, references)
        return explain(metric, **segment._asdict(), **options)


def compared(metric, source: str, output: str, references: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the scores of one segment under every variant, by name.

    Raises:
        RefusedError: as in `explained`.
    """
    with _refusals():
        segment = _segment(source, output, references)
        batch = {"sources": [segment.source], "predictions": [segment.prediction], "references": [segment.references]}
        return {name: metric.compute(**batch, variant=name, threads=1) for name in metric.variants}


def differing(metric, source: str, output: str, references: Sequence[str], **variants: str) -> dict[str, Any]:
    """Tell why two variants score one segment differently, as `Sari.explain_difference` does.

    Raises:
        RefusedError: as in `explained`.
    """
    with _refusals():
        segment = _segment(source, output, references)
        batch = {"sources": [segment.source], "predictions": [segment.prediction], "references": [segment.references]}
        return metric.explain_difference(**batch, **variants, threads=1)


def systems_compared(metric, systems: Systems, **options) -> dict[str, Any]:
    """Return what `Sari.compare` does, and "notes": the category and the message of each.

    Args:
        metric: the loaded metric.
        systems: what to compare, as `systems_of_lists` and `systems_of_files` return it.
        options: those of `Sari.compare`.

    Raises:
        RefusedError: past the limits, and for what the metric refuses.
    """
    with _refusals():
        _check_tokenizer(**options)
        _check_segments(len(systems["sources"]))
        with metric.collect_warnings() as found:
            compared = metric.compare(**systems, **options, threads=1)
    return {**compared, "notes": _notes(found)}


def scored(metric, batches: Iterable[Batch], show_progress: Callable[[int, int], object], **options) -> Corpus:
    """Score a corpus.

    Args:
        metric: the loaded metric.
        batches: its segments, as `of_lists`, `of_texts` and `of_files` yield them.
        show_progress: called with the number of segments scored so far, and of all.
        options: those of the metric.

    Raises:
        RefusedError: past the limits, and for what the metric or the files refuse.
    """
    with _refusals():
        _check_tokenizer(**options)
        batches = list(batches)
        total = sum(len(batch["sources"]) for batch in batches)
        _check_segments(total)
        state = metric.state(sentences=True, threads=1, **options)
        for batch in batches:
            state.update(**batch)
            show_progress(state.segments, total)
        with metric.collect_warnings() as found:
            result = state.compute(details=True)
    scores = zip(*(result["sentences"][name] for name in SCORES), strict=True)
    texts = chain.from_iterable(zip(*batch.values(), strict=True) for batch in batches)
    rows = [Row(line, *values, *text) for line, (values, text) in enumerate(zip(scores, texts, strict=True), 1)]
    # Without a comparison, what a variant is good for is not the question.
    notes = [note for note in _notes(found) if note["category"] != "RewardsCopyingWarning"]
    return Corpus(result, rows, notes)


def of_lists(sources, outputs, references) -> Iterator[Batch]:
    """Yield the segments of three columns.

    Raises:
        RefusedError: past the limits, and for what the metric refuses.
    """
    with _refusals():
        sources, outputs, references = columns(sources, outputs, references)
    _check_size(sum(map(_bytes, [*sources, *outputs])) + sum(_bytes(text) for row in references for text in row))
    for start in range(0, len(sources), _BATCH):
        rows = slice(start, start + _BATCH)
        yield Batch(sources=sources[rows], predictions=outputs[rows], references=references[rows])


def of_texts(sources: str, outputs: str, references: str) -> Iterator[Batch]:
    """Yield the segments of three texts with a line for each; tabs stand between the references of a segment.

    Raises:
        RefusedError: for an empty text, for unequal numbers of lines, and past the limits.
    """
    named = {"sources": sources, "outputs": outputs, "references": references}
    lines = {name: text.rstrip("\n").split("\n") for name, text in named.items()}
    for name, text in named.items():
        if not text.strip():
            raise RefusedError(f"Please paste the {name}: one line for each segment.")
        if len(lines[name]) != len(lines["sources"]):
            wanted = f"{len(lines['sources'])}, as many as sources"
            plural = "" if len(lines[name]) == 1 else "s"
            raise RefusedError(f"The {name} have {len(lines[name])} line{plural}, wanted {wanted}.")
    yield from of_lists(lines["sources"], lines["outputs"], [line.split("\t") for line in lines["references"]])


def of_files(sources: str | None, outputs: str | None, references: Sequence[str]) -> Iterator[Batch]:
    """Yield the segments of text files with a line for each; arguments are paths.

    Raises:
        RefusedError: for a file that is missing or cannot be used, and past the limits.
    """
    needed = {"the sources": sources, "the outputs": outputs, "at least one file of references": references}
    _check_given(needed)
    paths = [str(sources), str(outputs), *references]
    yield from map(_of_one_system, _read(paths, lambda: text_files.open_texts(paths[0], paths[1], paths[2:])))


def of_jsonl(path: str | None) -> Iterator[Batch]:
    """Yield the segments of a file with a JSON object for each: source, prediction (or output), references.

    Raises:
        RefusedError: as `of_files`.
    """
    _check_given({"a JSONL file": path})
    yield from map(_of_one_system, _read([str(path)], lambda: text_files.open_jsonl(str(path))))


def systems_of_lists(sources, outputs, references) -> Systems:
    """Return three columns, the outputs by the names of their systems.

    Raises:
        RefusedError: past the limits, and for what the metric refuses.
    """
    with _refusals():
        sources, outputs, references = columns_of_systems(sources, outputs, references)
    _check_systems(len(outputs))
    _check_size(sum(map(_bytes, chain(sources, *outputs.values(), *references))))
    return Systems(sources=sources, predictions=outputs, references=references)


def systems_of_files(sources: str | None, outputs: Sequence[str], references: Sequence[str]) -> Systems:
    """Return the segments of text files with a line for each; arguments are paths, and name the systems.

    Raises:
        RefusedError: as `of_files`.
    """
    needed = {"the sources": sources, "the outputs": outputs, "at least one file of references": references}
    _check_given(needed)
    _check_systems(len(outputs))
    rows: list[tuple[str, ...]] = []
    found = Systems(sources=[], predictions={}, references=[])
    paths = [str(sources), *outputs, *references]
    for batch in _read(paths, lambda: text_files.open_texts(str(sources), outputs, references)):
        found["sources"] += batch["sources"]
        found["references"] += batch["references"]
        rows += batch["predictions"]
        _check_segments(len(rows))
    found["predictions"] = dict(zip(system_names(outputs), map(list, zip(*rows, strict=True)), strict=True))
    return found


def system_names(paths: Iterable[str]) -> list[str]:
    """Return the names of files as those of systems; where they repeat, with a number.

    >>> system_names(["a/muss.txt", "b/muss.txt", "b/access.txt"])
    ['muss', 'muss (2)', 'access']
    """
    names: list[str] = []
    for stem in map(text_files.stem, paths):
        numbered = chain([stem], (f"{stem} ({number})" for number in count(2)))
        names.append(next(name for name in numbered if name not in names))
    return names


def _check_given(files: dict[str, Any]) -> None:
    for name, path in files.items():
        if not path:
            raise RefusedError(f"Please choose {name}.")


def _read(paths: Sequence[str], opened: Callable[[], text_files.Corpus]) -> Iterator[text_files.Batch]:
    """Yield the segments of files; messages name them without their folders."""
    _check_size(sum(Path(path).stat().st_size for path in paths))
    for path in paths:
        with open(path, "rb") as file:
            if file.read(2) == _GZIP_MAGIC:
                raise RefusedError(f"{Path(path).name} is compressed: please unpack it first.")
    try:
        with closing(opened()) as corpus:
            yield from corpus.batches(segments=_BATCH)
    except text_files.FileError as error:
        message = str(error)
        for path in paths:
            message = message.replace(path, Path(path).name)
        raise RefusedError(message) from error


def _of_one_system(batch: text_files.Batch) -> Batch:
    (predictions,) = map(list, zip(*batch["predictions"], strict=True))
    return Batch(sources=batch["sources"], predictions=predictions, references=batch["references"])


def _segment(source: str, output: str, references: Sequence[str]) -> Segment:
    (source,), (output,), (references,) = columns([source], [output], [references or [""]])
    if not source.strip():
        raise RefusedError("Please enter a source: the sentence to simplify.")
    if not any(reference.strip() for reference in references):
        raise RefusedError("Please enter at least one reference: a simplification written by a person, one per line.")
    size = len(source) + len(output) + sum(map(len, references))
    if size > MAX_CHARACTERS:
        raise RefusedError(f"That is {size:,} characters; this page takes {MAX_CHARACTERS:,} at a time. {_ELSEWHERE}")
    return Segment(source, output, references)


def _check_tokenizer(tokenize: str | None = None, **_others) -> None:
    """Refuse tokenizers that would have the server fetch something."""
    if tokenize is not None and tokenize not in TOKENIZERS:
        raise RefusedError(f"tokenize: got {tokenize!r}, wanted one of {', '.join(TOKENIZERS)} on this page")


def _check_segments(number: int) -> None:
    if number > MAX_SEGMENTS:
        raise RefusedError(f"That is {number:,} segments; this page takes {MAX_SEGMENTS:,} at a time. {_ELSEWHERE}")


def _check_systems(number: int) -> None:
    if number > MAX_SYSTEMS:
        raise RefusedError(f"That is {number} systems; this page takes {MAX_SYSTEMS} at a time. {_ELSEWHERE}")


def _notes(found: Iterable[Warning]) -> list[dict[str, str]]:
    return [{"category": type(warning).__name__, "message": str(warning)} for warning in found]


def _check_size(size: int) -> None:
    if size > MAX_MEGABYTES * 1_000_000:
        raise RefusedError(f"That is {size / 1e6:.1f} MB; this page takes {MAX_MEGABYTES} MB at a time. {_ELSEWHERE}")


def _bytes(text: str) -> int:
    return len(text.encode())


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what the metric refuses into refusals."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise RefusedError(str(error)) from error
