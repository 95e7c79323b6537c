"""Read folders of documents, which have a file for each document."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from sari.messages import fault, short_repr
from sari.text_files.errors import FileError, reason
from sari.text_files.output_rows import SystemOutputs
from sari.text_files.reading import name_of, read_lines, stem
from sari.validation import SystemColumns


def are_folders(sources: str, outputs: Mapping[str, str], references: Sequence[str]) -> bool:
    """Return whether texts stand in folders.

    Raises:
        FileError: for folders and files.
    """
    paths = [sources, *outputs.values(), *references]
    folders = list(map(os.path.isdir, paths))
    if any(folders) and not all(folders):
        got = f"{name_of(paths[folders.index(True)])} a folder and {name_of(paths[folders.index(False)])} a file"
        raise FileError(f"got {got}, expected folders of documents alone, or files with a segment in each line")
    return all(folders)


def read_documents(
    sources: str, outputs: Mapping[str, str], references: Sequence[str], *, encoding: str = "utf-8"
) -> SystemOutputs:
    """Read folders whose files have the same names, but for their endings: each is a document.

    Args:
        sources, references: the folders.
        outputs: a folder for each system, by its name.
        encoding: of all files, in lower case.

    Raises:
        FileError: for a folder or file that cannot be read, and for a document that another folder lacks.
    """
    texts, *others = (_documents_in(path, encoding) for path in (sources, *outputs.values(), *references))
    for path, documents in zip([*outputs.values(), *references], others, strict=True):
        for one, other, lacking in ((texts, documents, path), (documents, texts, sources)):
            missing = [name for name in one if name not in other]
            if missing:
                wanted = f"one for each document of {name_of(sources if lacking == path else path)}"
                raise FileError(fault(name_of(lacking), f"no file for {short_repr(missing[0])}", wanted))
    columns = [[documents[name] for name in texts] for documents in others]
    people = list(map(list, zip(*columns[len(outputs) :], strict=True)))
    predictions = dict(zip(outputs, columns, strict=False))
    return SystemOutputs.of_columns(SystemColumns([*texts.values()], predictions, people), list(texts))


def _documents_in(folder: str, encoding: str) -> dict[str, str]:
    """Return the text of each file of a folder, by its name without the ending, in the order of the names."""
    try:
        files = sorted(file for file in Path(folder).iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError as error:
        raise FileError(f"{name_of(folder)}: {reason(error)}, expected a folder of documents") from None
    if not files:
        raise FileError(fault(name_of(folder), "no files", "one for each document"))
    documents: dict[str, str] = {}
    for file in files:
        name = stem(str(file))
        if name in documents:
            raise FileError(fault(name_of(folder), f"two files for {short_repr(name)}", "one for each document"))
        documents[name] = "\n".join(read_lines(str(file), encoding)).rstrip("\n")
    return documents
