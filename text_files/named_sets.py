"""Read test sets by name with `datasets.load_dataset`, from the Hub or a folder.

A test set is a row of data. For any other data set, on the Hub or in a local folder, the user names the columns.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from sari.text_files.errors import FileError
from sari.text_files.reading import Corpus, LineFile, Segment, line_faults

#: Seconds to wait for the Hub.
_PATIENCE = 5.0


class NamedSet(NamedTuple):
    """Where a test set is.

    Attributes:
        path: on the Hub, or a folder.
        columns: the column of sources, then those of references; a cell is a text or a list of texts.
        configuration: of the data set; None if it has only one.
        about: a description of one line.
    """

    path: str
    columns: tuple[str, ...]
    configuration: str | None = None
    about: str = ""


#: The test sets by name, with columns and splits from the cards on the Hub.
NAMED_SETS: dict[str, NamedSet] = {
    "asset": NamedSet(
        path="facebook/asset",
        configuration="simplification",
        columns=("original", "simplifications"),
        about="Alva-Manchego et al. 2020, 10 references; splits: validation (2,000), test (359)",
    ),
    "turk": NamedSet(
        path="community-datasets/turk",
        configuration="simplification",
        columns=("original", "simplifications"),
        about="Xu et al. 2016, 8 references; splits: validation (2,000), test (359)",
    ),
}
#: Other names that papers give them.
ALIASES = {"turkcorpus": "turk", "TurkCorpus": "turk", "ASSET": "asset"}


def open_test_set(
    name: str, *, split: str, columns: Sequence[str] | None, outputs: Sequence[str], encoding: str = "utf-8"
) -> Corpus:
    """Open a test set with a file of outputs for each system.

    Args:
        name: in `NAMED_SETS` or `ALIASES`; or a data set on the Hub, or a folder, together with its columns.
        split: of the data set.
        columns: the column of sources, then one or more of references; None for those of a test set.
        outputs, encoding: as in `open_texts`.

    Raises:
        FileError: at once for a data set or a file that cannot be opened, and while reading for a fault in it.
    """
    test_set = NAMED_SETS.get(ALIASES.get(name, name)) or NamedSet(path=name, columns=tuple(columns or ()))
    chosen = tuple(columns or test_set.columns)
    rows = _loaded(name, test_set, split)
    missing = [column for column in chosen if column not in rows.column_names]
    if missing:
        raise FileError(f"{name}: no column {missing[0]!r}, it has {', '.join(rows.column_names)}")
    files = [LineFile(path, encoding) for path in outputs]
    return Corpus(files, _segments(rows.select_columns(list(dict.fromkeys(chosen))), files, chosen, name))


def _loaded(name: str, test_set: NamedSet, split: str) -> Any:
    asks_hub = not os.path.exists(test_set.path) and not os.environ.get("HF_HUB_OFFLINE")
    if asks_hub and not hub_answers():
        # Without this, the libraries try for half a minute before they look into their cache.
        os.environ["HF_HUB_OFFLINE"] = "1"
    import logging  # here, since it is slow to import

    try:
        import datasets
    except ImportError as error:
        raise FileError(f"{name}: {error}, expected the extra 'evaluate' or requirements.txt") from None
    datasets.disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # of its retries
    try:
        return datasets.load_dataset(test_set.path, test_set.configuration, split=split)
    except Exception as error:  # of files, networks, builders and splits: whatever its libraries raise
        said = " ".join(str(error).split())[:300] or type(error).__name__
        if isinstance(error, ConnectionError):
            said = f"it is not in the cache, and {_endpoint()} cannot be reached"
        raise FileError(f"{name}: cannot load {test_set.path!r}, split {split!r}: {said}") from None


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co")


def hub_answers() -> bool:
    """Return whether the Hub answers in time."""
    import http.client  # here, since these three are slow to import
    import urllib.error
    import urllib.request

    try:
        urllib.request.urlopen(urllib.request.Request(_endpoint(), method="HEAD"), timeout=_PATIENCE).close()
    except urllib.error.HTTPError:
        return True  # this is an answer
    except (OSError, ValueError, http.client.HTTPException):
        return False
    return True


def _segments(rows: Any, files: Sequence[LineFile], columns: Sequence[str], name: str) -> Iterator[Segment]:
    for number, (row, outputs) in enumerate(zip_longest(rows, zip_longest(*files)), 1):
        if row is None or outputs is None or None in outputs:
            raise line_faults(files, len(rows), name)
        source, *cells = (row[column] for column in columns)
        cells = [cell if isinstance(cell, list) else [cell] for cell in cells]
        for column, texts in zip(columns, [[source], *cells], strict=True):
            kinds = [type(text).__name__ for text in texts if not isinstance(text, str)]
            if kinds:
                raise FileError(f"{name}: row {number}: {column} holds {kinds[0]}, expected text")
        if not any(cells):
            raise FileError(f"{name}: row {number}: no reference in {', '.join(columns[1:])}, expected at least one")
        yield Segment(source, outputs, [text for texts in cells for text in texts])
