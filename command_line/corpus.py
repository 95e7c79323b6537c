"""The texts that the options name."""

from sari.command_line.options import Options
from sari.files.reading import Corpus, open_jsonl, open_texts


def open_corpus(options: Options) -> Corpus:
    """Open the files.

    Raises:
        FileError: for a file that cannot be opened.
    """
    if options.jsonl is not None:
        return open_jsonl(options.jsonl)
    return open_texts(str(options.sources), options.output_paths, options.references or [])
