"""Tree accuracy: edits in the order of the words of a dependency tree, and what they say about how people judge.

The measures are those of Bangalore, Rambow and Whittaker 2000, "Evaluation metrics for generation",
https://aclanthology.org/W00-1401. A treelet is a head with its daughters. Its words in the order of the reference are
compared with the same words in the order of the output, as string accuracy compares texts. Values are shares: 1 for a
perfect output.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sari.companion_measures.accuracy import string_edits
from sari.companion_measures.columns import texts_and_references
from sari.messages import RefusedValueError, count_of, fault, short_repr
from sari.text_files.errors import FileError
from sari.text_files.reading import name_of, read_lines


class Tree(NamedTuple):
    """The words of a sentence, and its treelets: the places of each head with its daughters, in their order."""

    words: list[str]
    treelets: list[list[int]]


def simple_tree_accuracies(predictions: Any, references: Any, trees: Sequence[Tree]) -> np.ndarray:
    """Return 1 − (insertions + deletions + substitutions) / words of the treelets: float64[prediction].

    Args:
        predictions: one text per segment or, of several systems, those of each segment one after the other.
        references: per prediction one text or a list of at least one.
        trees: for each segment that of one of its references, with the words of this reference in any case.

    The example of the paper:

    >>> words = "There was no cost estimate for the second phase".split()
    >>> tree = make_tree(words, [5, 5, 5, 5, 0, 5, 9, 9, 6])
    >>> texts = ["There was estimate for phase the second no cost"], [" ".join(words)], [tree]
    >>> simple_tree_accuracies(*texts).round(3), generation_tree_accuracies(*texts).round(3)
    (array([0.455]), array([0.727]))
    """
    return _measured(predictions, references, trees)[:, 0]


def generation_tree_accuracies(predictions: Any, references: Any, trees: Sequence[Tree]) -> np.ndarray:
    """Return the same as `simple_tree_accuracies`, but a moved word is one error: float64[prediction]."""
    return _measured(predictions, references, trees)[:, 1]


def understandability(predictions: Any, references: Any, trees: Sequence[Tree]) -> np.ndarray:
    """Return (1.3147 × simple tree accuracy − 0.1039 × substitutions − 0.4458) / 0.8689: float64[prediction].

    It is the paper's regression of judgements by people. Substitutions are those of the whole texts.
    """
    return (_measured(predictions, references, trees) @ (1.3147, 0, -0.1039) - 0.4458) / 0.8689


def quality(predictions: Any, references: Any, trees: Sequence[Tree]) -> np.ndarray:
    """Return (1.0192 × simple tree accuracy − 0.0869 × substitutions − 0.3553) / 0.6639: as `understandability`."""
    return (_measured(predictions, references, trees) @ (1.0192, 0, -0.0869) - 0.3553) / 0.6639


def _measured(predictions: Any, references: Any, trees: Sequence[Tree]) -> np.ndarray:
    """Return simple and generation tree accuracy, and substitutions in the whole text: float64[prediction, 3]."""
    texts, references = texts_and_references(predictions, references)
    if not trees or len(texts) % len(trees):
        raise RefusedValueError(fault("trees", count_of(len(trees), "tree"), "one for each segment"))
    rows = []
    for number, (text, row) in enumerate(zip(texts, references, strict=True)):
        place = number * len(trees) // len(texts)
        sentence = " ".join(trees[place].words)
        references_of_tree = [other for other in row if other.lower() == sentence.lower()]
        if not references_of_tree:
            wanted = f"those of a reference, such as {short_repr(row[0])}"
            raise RefusedValueError(fault(f"trees[{place}]", f"the words {short_repr(sentence)}", wanted))
        rows.append(_accuracies(text.split(), references_of_tree[0].split(), trees[place].treelets))
    return np.array(rows, np.float64)


def _accuracies(output: list[str], reference: list[str], treelets: list[list[int]]) -> tuple[float, float, int]:
    """Return simple and generation tree accuracy, and the substitutions in the whole text, of one segment.

    Each word of the reference stands where the next equal token of the output does. Other tokens of the output are
    insertions, unless they stand in the place of a word.
    """
    spots = {token: spot for spot, token in enumerate(_numbered(output))}
    # Words that the output lacks have places of their own.
    places = [spots.get(word, -1 - number) for number, word in enumerate(_numbered(reference))]
    of_treelets = [[places[number] for number in treelet] for treelet in treelets]
    edits = [string_edits(sorted(place for place in words if place >= 0), words) for words in of_treelets]
    whole = string_edits(output, reference)
    inserted = ((Counter(output) - Counter(reference)) & whole.inserted).total()
    simple = inserted + sum(part.inserted.total() + part.deleted.total() + part.substitutions for part in edits)
    moved = inserted + sum(part.errors for part in edits)
    size = sum(map(len, treelets))
    return 1 - simple / size, 1 - moved / size, whole.substitutions


def _numbered(tokens: list[str]) -> list[tuple[str, int]]:
    """Return each token with how many equal ones stand before it."""
    numbers: dict[str, Iterator[int]] = defaultdict(count)
    return [(token, next(numbers[token])) for token in tokens]


def make_tree(words: Sequence[str], heads: Sequence[int], name: str = "tree") -> Tree:
    """Return a tree of words and the numbers of their heads, from 1; 0 for a root.

    Raises:
        ValueError: for words that do not all hang from a root; `name` stands in the message.
    """
    daughters: dict[int, list[int]] = defaultdict(list)
    for number, head in enumerate(heads, 1):
        daughters[head].append(number)
    reached = [*daughters[0]]
    for number in reached:  # which grows
        reached += daughters[number]
    if len(reached) != len(words):
        raise RefusedValueError(fault(name, f"the heads {short_repr([*heads])}", "words that all hang from a root, 0"))
    with_daughters = [number for number in reached if daughters[number] or number in daughters[0]]
    return Tree([*words], [sorted(one - 1 for one in (number, *daughters[number])) for number in with_daughters])


def read_trees(path: str | Path, encoding: str = "utf-8") -> list[Tree]:
    """Read a CoNLL-U file (https://universaldependencies.org/format.html), one sentence per segment.

    Words count, not the ranges of multiword tokens nor empty nodes.

    Raises:
        FileError: for a file that is not CoNLL-U.
        ValueError: for a sentence whose heads make no tree.
    """
    trees: list[Tree] = []
    for block in re.split(r"\n\s*\n", "\n".join(read_lines(str(path), encoding)).strip()):
        name = f"{name_of(str(path))}: sentence {len(trees) + 1}"
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        words = [row for row in rows if row[0].isdecimal()]
        if not words or any(len(row) != 10 for row in rows) or not all(row[6].isdecimal() for row in words):
            raise FileError(fault(name, short_repr(block), "rows of CoNLL-U, of ten fields, with heads"))
        trees.append(make_tree([row[1] for row in words], [int(row[6]) for row in words], name))
    return trees
