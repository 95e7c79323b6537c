"""String and tree accuracy: how much of an output must be edited to turn it into its reference.

The measures are those of Bangalore, Rambow and Whittaker 2000, "Evaluation metrics for generation",
https://aclanthology.org/W00-1401. Values are shares, not percent: 1 for a perfect output, 0 for as many errors as the
reference has tokens, and negative for more. Texts are taken as they are: tokens are split at whitespace, and case
counts.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from sari.companion_measures.columns import best_of_references, check_length
from sari.validation import fault, one_line, shown, validate_texts

# Where the cheapest way to a cell of the table of an alignment comes from.
_PAIRED, _INSERTED, _DELETED = map(np.int8, range(3))


class Errors(NamedTuple):
    """The edits between an output and its reference.

    Attributes:
        insertions: tokens of the output that the reference does not have there, moves included.
        deletions: tokens of the reference that the output does not have there, moves included.
        substitutions: tokens in the place of another one.
        moves: pairs of an insertion and a deletion of the same token.
        tokens: the length of the reference.
    """

    insertions: int
    deletions: int
    substitutions: int
    moves: int
    tokens: int

    @property
    def simple_accuracy(self) -> float:
        """1 − (I + D + S) / R; where the reference is empty, R counts as 1."""
        return 1 - (self.insertions + self.deletions + self.substitutions) / max(self.tokens, 1)

    @property
    def generation_accuracy(self) -> float:
        """1 − (M + I' + D' + S) / R: as above, but a move is one error."""
        return self.simple_accuracy + self.moves / max(self.tokens, 1)


class Tree(NamedTuple):
    """A dependency tree over the tokens of a reference.

    Attributes:
        tokens: the words, in the order of the reference.
        heads: for each word the place of its head among `tokens`, -1 for a root.
    """

    tokens: tuple[str, ...]
    heads: tuple[int, ...]

    @property
    def treelets(self) -> list[list[int]]:
        """The places of each head together with its daughters, in the order of the reference."""
        daughters = defaultdict(list)
        for place, head in enumerate(self.heads):
            daughters[head].append(place)
        roots = daughters.pop(-1, [])
        lone = [[root] for root in roots if root not in daughters]  # a sentence of one word is a treelet too
        return [sorted([head, *places]) for head, places in daughters.items()] + lone


def string_errors(predictions, references) -> list[Errors]:
    """Return the errors of each prediction against its reference.

    Tokens are aligned with the fewest errors, where a substitution is one error. Of these alignments one with the
    fewest substitutions is taken, which leaves the most tokens in place.

    Args:
        predictions, references: one text per segment.

    The example of the paper:

    >>> [errors] = string_errors(["There was estimate for phase the second no cost"],
    ...                          ["There was no cost estimate for the second phase"])
    >>> errors
    Errors(insertions=2, deletions=2, substitutions=1, moves=1, tokens=9)
    """
    predictions, references = validate_texts("predictions", predictions), validate_texts("references", references)
    check_length("references", references, predictions, "predictions")
    return [_errors(output.split(), text.split()) for output, text in zip(predictions, references, strict=True)]


def simple_string_accuracies(predictions, references) -> np.ndarray:
    """Return 1 − (I + D + S) / R for each segment: float64[segments]. See `string_errors`.

    Args:
        predictions: one text per segment.
        references: per segment one text or a list of at least one, of which the best counts.

    >>> simple_string_accuracies(["There was estimate for phase the second no cost"],
    ...                          ["There was no cost estimate for the second phase"]).round(3)
    array([0.444])
    """
    return best_of_references(
        max,
        lambda output, reference: 1 - Levenshtein.distance(output, reference) / max(len(reference), 1),
        predictions,
        references,
    ).astype(np.float64)


def generation_string_accuracies(predictions, references) -> np.ndarray:
    """Return 1 − (M + I' + D' + S) / R for each segment: float64[segments]; as `simple_string_accuracies`.

    >>> generation_string_accuracies(["There was estimate for phase the second no cost"],
    ...                              ["There was no cost estimate for the second phase"]).round(3)
    array([0.556])
    """
    return best_of_references(
        max, lambda output, reference: _errors(output, reference).generation_accuracy, predictions, references
    ).astype(np.float64)


def tree_errors(predictions, trees) -> list[Errors]:
    """Return the errors in the order of heads and daughters, summed over the treelets of each reference.

    A treelet is a node with its daughters. Its words, in the order of the reference, are compared as in `string_errors`
    with the corresponding tokens of the output, in the order of the output. Tokens correspond if the alignment of the
    whole texts pairs them; a moved token corresponds to an equal token. A token of the output without a corresponding
    token belongs to no treelet and is one insertion.

    Args:
        predictions: one text per segment, tokenized like the trees.
        trees: one `Tree` per segment, as `read_trees` returns them.
    """
    predictions, trees = validate_texts("predictions", predictions), list(trees)
    check_length("trees", trees, predictions, "predictions")
    for row, tree in enumerate(trees):
        _check_tree(tree, f"trees[{row}]")
    return [_tree_errors(output.split(), tree) for output, tree in zip(predictions, trees, strict=True)]


def simple_tree_accuracies(predictions, trees) -> np.ndarray:
    """Return 1 − (I + D + S) / R over the treelets of each segment: float64[segments]. See `tree_errors`.

    >>> tree = Tree(("the", "second", "phase"), (2, 2, -1))
    >>> simple_tree_accuracies(["phase the second"], [tree]).round(3)
    array([0.333])
    """
    return np.array([row.simple_accuracy for row in tree_errors(predictions, trees)], np.float64)


def generation_tree_accuracies(predictions, trees) -> np.ndarray:
    """Return 1 − (M + I' + D' + S) / R over the treelets of each segment: float64[segments]. See `tree_errors`.

    >>> tree = Tree(("the", "second", "phase"), (2, 2, -1))
    >>> generation_tree_accuracies(["phase the second"], [tree]).round(3)
    array([0.667])
    """
    return np.array([row.generation_accuracy for row in tree_errors(predictions, trees)], np.float64)


def understandability(predictions, trees) -> np.ndarray:
    """Return (1.3147 × simple tree accuracy − 0.1039 × substitutions − 0.4458) / 0.8689: float64[segments].

    It is the paper's regression of judgements by people: 1 for a perfect sentence. Substitutions are those of
    `string_errors`.

    >>> understandability(["the second phase"], [Tree(("the", "second", "phase"), (2, 2, -1))]).round(9)
    array([1.])
    """
    return (_judgements(predictions, trees, 1.3147, 0.1039) - 0.4458) / 0.8689


def quality(predictions, trees) -> np.ndarray:
    """Return (1.0192 × simple tree accuracy − 0.0869 × substitutions − 0.3553) / 0.6639: as `understandability`."""
    return (_judgements(predictions, trees, 1.0192, 0.0869) - 0.3553) / 0.6639


def _judgements(predictions, trees, accuracy: float, substitution: float) -> np.ndarray:
    trees = list(trees)
    accuracies = simple_tree_accuracies(predictions, trees)
    strings = [_errors(output.split(), tree.tokens) for output, tree in zip(predictions, trees, strict=True)]
    return accuracy * accuracies - substitution * np.array([row.substitutions for row in strings])


def check_words(trees: Sequence[Tree], references: Sequence[str]) -> None:
    """Refuse trees whose words are not those of the references, in the same order.

    Args:
        trees: one per segment.
        references: the reference of each tree, tokenized like it, in the same case.

    Raises:
        ValueError: naming the first line that differs.

    >>> check_words([Tree(("go",), (-1,)), Tree(("the", "cat"), (1, -1))], ["go", "a cat"])
    Traceback (most recent call last):
    ...
    ValueError: trees[1]: got the words 'the cat', expected 'a cat', those of its reference: line 2
    """
    check_length("trees", trees, references, "references")
    for row, (tree, text) in enumerate(zip(trees, references, strict=True)):
        if list(tree.tokens) != text.split():
            got, wanted = (shown(" ".join(words)) for words in (tree.tokens, text.split()))
            raise ValueError(
                fault(f"trees[{row}]", f"the words {got}", f"{wanted}, those of its reference: line {row + 1}")
            )


def read_trees(path: str | Path) -> list[Tree]:
    """Read a CoNLL-U file (https://universaldependencies.org/format.html), one sentence per segment.

    Words count, not the ranges of multiword tokens nor empty nodes.

    Raises:
        ImportError: without the package conllu.
        OSError: for a file that cannot be read.
        ValueError: for a file that is not CoNLL-U, or a sentence whose heads are no tree, naming the file and sentence.
    """
    import conllu  # here, since nothing else needs it

    trees: list[Tree] = []
    with open(path, encoding="utf-8-sig") as file:
        try:
            for sentence in conllu.parse_incr(file):
                words = [word for word in sentence if isinstance(word["id"], int)]
                places = {word["id"]: place for place, word in enumerate(words)} | {0: -1}
                heads = tuple(places.get(word.get("head"), len(words)) for word in words)
                trees.append(Tree(tuple(word["form"] for word in words), heads))
                _check_tree(trees[-1], f"{path}: sentence {len(trees)}")
        except (conllu.exceptions.ParseException, UnicodeDecodeError) as error:
            raise ValueError(one_line(f"{path}: sentence {len(trees) + 1}: {error}, expected CoNLL-U")) from None
    return trees


def _check_tree(tree: Tree, name: str) -> None:
    if not isinstance(tree, Tree) or len(tree.heads) != len(tree.tokens):
        raise ValueError(fault(name, shown(tree), "a Tree with a head for each token"))
    daughters = defaultdict[int, list[int]](list)
    for place, head in enumerate(tree.heads):
        daughters[head].append(place)
    reached = [-1]
    for place in reached:  # which grows
        reached += daughters[place]
    if len(reached) <= len(tree.heads):
        raise ValueError(f"{name}: got heads {tree.heads}, expected a tree whose words all hang from a root, -1")


def _tree_errors(output: Sequence[str], tree: Tree) -> Errors:
    stands_for = _correspondence(output, tree.tokens)
    position = {place: spot for spot, place in enumerate(stands_for) if place >= 0}
    errors = [Errors(insertions=stands_for.count(-1), deletions=0, substitutions=0, moves=0, tokens=0)]
    for places in tree.treelets:
        spots = sorted(position[place] for place in places if place in position)
        # A node is compared by itself where the output has its word, and by the output's word otherwise.
        nodes: list[int | str] = [
            stands_for[spot] if output[spot] == tree.tokens[stands_for[spot]] else output[spot] for spot in spots
        ]
        errors.append(_errors(nodes, places))
    return Errors(*map(sum, zip(*errors, strict=True)))


def _correspondence(output: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Return for each token of the output the place of its corresponding token in the reference, -1 for none."""
    aligned = _alignment(output, reference)
    pairs = zip(output, aligned, strict=True)
    stands_for = [place if place >= 0 and token == reference[place] else -1 for token, place in pairs]
    taken, free = set(stands_for), defaultdict[str, deque[int]](deque)
    for place, token in enumerate(reference):
        if place not in taken:
            free[token].append(place)
    for spot, token in enumerate(output):
        if stands_for[spot] < 0 and free[token]:
            stands_for[spot] = free[token].popleft()
    taken.update(stands_for)
    for spot, place in enumerate(aligned):  # tokens that were not moved, but substituted
        if stands_for[spot] < 0 and place not in taken:
            stands_for[spot] = place
    return stands_for


def _errors(output: Sequence, reference: Sequence) -> Errors:
    aligned = _alignment(output, reference)
    pairs = list(zip(output, aligned, strict=True))
    inserted = Counter(token for token, place in pairs if place < 0)
    deleted = Counter(reference[place] for place in set(range(len(reference))).difference(aligned))
    replaced = sum(place >= 0 and token != reference[place] for token, place in pairs)
    return Errors(inserted.total(), deleted.total(), replaced, (inserted & deleted).total(), len(reference))


def _alignment(output: Sequence, reference: Sequence) -> list[int]:
    """Align two sequences with the fewest errors, and of those alignments with the fewest substitutions.

    Returns:
        For each token of the output the place of the token of the reference that it is or replaces; -1 if inserted.
    """
    # One integer orders both: an error costs `error`, a substitution 1 more. A row of the table of costs is made of the
    # one above it; what is kept of the table is where the cheapest way comes from, a byte for each pair of tokens.
    error = min(len(output), len(reference)) + 1
    numbers = {token: number for number, token in enumerate(dict.fromkeys([*output, *reference]))}
    ids = np.array([numbers[token] for token in output], np.int64)
    ramp = error * np.arange(len(output) + 1)
    above, ways = ramp, []
    for token in reference:
        diagonal = above[:-1] + (ids != numbers[token]) * (error + 1)
        row = above + error
        row[1:] = np.minimum(row[1:], diagonal)
        row = np.minimum.accumulate(row - ramp) + ramp  # runs of insertions
        ways.append(np.where(row[1:] == diagonal, _PAIRED, np.where(row[1:] == row[:-1] + error, _INSERTED, _DELETED)))
        above = row
    aligned = [-1] * len(output)
    place, spot = len(reference), len(output)
    while place and spot:
        way = ways[place - 1][spot - 1]
        if way != _INSERTED:
            place -= 1
        if way != _DELETED:
            spot -= 1
        if way == _PAIRED:
            aligned[spot] = place
    return aligned
