"""The texts that the options name, and the metric that scores them."""

from sari.command_line.options import OptionError, Options
from sari.files.reading import Corpus, open_jsonl, open_texts
from sari.loading import load_metric


def open_corpus(options: Options) -> Corpus:
    """Open the files.

    Raises:
        FileError: for a file that cannot be opened.
    """
    if options.jsonl is not None:
        return open_jsonl(options.jsonl)
    return open_texts(str(options.sources), options.output_paths, options.references or [])


def loaded_metric():
    """Return the metric.

    Raises:
        OptionError: for packages that are missing.
    """
    try:
        return load_metric()
    except ImportError as error:
        raise OptionError(f"{error}, wanted what requirements.txt lists") from error
