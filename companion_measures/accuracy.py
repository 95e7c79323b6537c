"""String accuracy: how much of an output must be edited to turn it into its reference.

The measures are those of Bangalore, Rambow and Whittaker 2000, "Evaluation metrics for generation",
https://aclanthology.org/W00-1401. Values are shares, not percent: 1 for a perfect output, 0 for as many errors as the
reference has tokens, and negative for more. Texts are taken as they are: tokens are split at whitespace, and case
counts.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from sari.companion_measures.columns import best_of_references

# Where the cheapest way to a cell of the table of an alignment comes from.
_PAIRED, _INSERTED, _DELETED = map(np.int8, range(3))


class Edits(NamedTuple):
    """The edits that turn a reference into an output.

    Attributes:
        inserted: tokens of the output that the reference does not have there, moved ones included, with their numbers.
        deleted: tokens of the reference that the output does not have there, moved ones included.
        substitutions: how many tokens stand in the place of another one.
    """

    inserted: Counter[Any]
    deleted: Counter[Any]
    substitutions: int

    @property
    def errors(self) -> int:
        """How many there are, if a move is one error: an insertion and a deletion of the same token."""
        return (self.inserted | self.deleted).total() + self.substitutions


def simple_string_accuracies(predictions: Any, references: Any) -> np.ndarray:
    """Return 1 − (insertions + deletions + substitutions) / tokens of the reference: float64[segments].

    An empty reference counts as one token.

    Args:
        predictions: one text per segment.
        references: per segment one text or a list of at least one, of which the best counts.

    The example of the paper:

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


def generation_string_accuracies(predictions: Any, references: Any) -> np.ndarray:
    """Return the same as `simple_string_accuracies`, but a moved token is one error: float64[segments].

    Tokens are aligned as in `string_edits`, which takes time and memory in proportion to the product of the lengths.

    >>> generation_string_accuracies(["There was estimate for phase the second no cost"],
    ...                              ["There was no cost estimate for the second phase"]).round(3)
    array([0.556])
    """
    return best_of_references(
        max,
        lambda output, reference: 1 - string_edits(output, reference).errors / max(len(reference), 1),
        predictions,
        references,
    ).astype(np.float64)


def string_edits(output: Sequence[Hashable], reference: Sequence[Hashable]) -> Edits:
    """Align two lists of tokens with the fewest edits, and return the edits.

    Of the alignments with the fewest edits one with the fewest substitutions is taken, which leaves the most tokens in
    place.

    >>> edits = string_edits("phase the second".split(), "the second phase".split())
    >>> edits.inserted, edits.deleted, edits.substitutions, edits.errors
    (Counter({'phase': 1}), Counter({'phase': 1}), 0, 1)
    """
    # One integer orders both: an edit costs `edit`, a substitution 1 more. A row of the table of costs is made of the
    # one above it; what is kept of the table is where the cheapest way comes from, a byte for each pair of tokens.
    edit = min(len(output), len(reference)) + 1
    numbers = {token: number for number, token in enumerate(dict.fromkeys([*output, *reference]))}
    ids = np.array([numbers[token] for token in output], np.int64)
    ramp = edit * np.arange(len(output) + 1)
    above, ways = ramp, []
    for token in reference:
        diagonal = above[:-1] + (ids != numbers[token]) * (edit + 1)
        row = above + edit
        row[1:] = np.minimum(row[1:], diagonal)
        row = np.minimum.accumulate(row - ramp) + ramp  # runs of insertions
        ways.append(np.where(row[1:] == diagonal, _PAIRED, np.where(row[1:] == row[:-1] + edit, _INSERTED, _DELETED)))
        above = row
    place, spot = len(reference), len(output)
    inserted, deleted, substitutions = Counter[Any](), Counter[Any](), 0
    while place and spot:
        way = ways[place - 1][spot - 1]
        place -= way != _INSERTED
        spot -= way != _DELETED
        if way == _PAIRED:
            substitutions += output[spot] != reference[place]
        elif way == _INSERTED:
            inserted[output[spot]] += 1
        else:
            deleted[reference[place]] += 1
    return Edits(inserted + Counter(output[:spot]), deleted + Counter(reference[:place]), substitutions)
