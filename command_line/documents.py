"""All there is to say about the systems, written to a file: `score.py --report FILE`."""

from pathlib import Path

from sari.command_line.options import Options, refusals
from sari.command_line.progress import step_bar
from sari.files.errors import FileError
from sari.files.reading import Columns
from sari.files.writing import write_whole

#: Of the intervals, unless another one is asked for.
_CONFIDENCE = 0.95


def write_document(metric, columns: Columns, options: Options) -> None:
    """Gather a report of the systems and write it.

    Raises:
        FileError: for trees that cannot be read, and a report that cannot be written.
        OptionError: for options that the metric refuses, trees that do not fit, or packages that are missing.
    """
    path = str(options.report)
    with refusals():
        from sari.report import building, pages

        with step_bar("Measuring", building.steps(len(columns["predictions"]))) as advance:
            document = building.build(
                metric,
                sources=columns["sources"],
                systems=columns["predictions"],
                references=columns["references"],
                trees=_trees(options.trees),
                confidence=options.confidence or _CONFIDENCE,
                resamples=options.resamples,
                seed=options.seed,
                advance=advance,
                variant=options.variant,
                threads=options.threads,
                **options.choices,
            )
    write_whole(path, [pages.FORMATS[Path(path).suffix](document)])


def _trees(path: str | None) -> list | None:
    from sari.measures.generation import read_trees

    try:
        return read_trees(path) if path else None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}, wanted a file to read") from error
