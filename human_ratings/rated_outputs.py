"""Outputs that people rated, and how scores of them agree with the ratings."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import compress
from typing import NamedTuple

import numpy as np
import pandas as pd

from sari.corpus_statistics import CorpusStatistics
from sari.data_warnings import SariWarning, WarningRow
from sari.human_ratings.correlation import OF_ROWS, OF_SYSTEMS, Agreement, SystemRows, agreement, with_correction
from sari.human_ratings.correlation_report import AgreementReport, AgreementRow
from sari.messages import count_of
from sari.significance import Resampling
from sari.validation import Columns
from sari.variants import SCORES

#: The fewest systems whose order can be compared.
_FEWEST_SYSTEMS = 3

#: The coefficients that compare outputs for one source.
_WITHIN = ("pearson_within", "accuracy")


class RatedOutputs(NamedTuple):
    """The outputs of all systems, a row each, with the name of the system (empty if unknown) and the rating.

    A rating is nan if there is none.
    """

    texts: Columns
    systems: list[str]
    ratings: list[float]

    @property
    def sentences(self) -> list[str]:
        """The source of each row, the same for sources that differ in case, spaces or marks alone."""
        return list(map(letters_of, self.texts.sources))

    @property
    def sources(self) -> int:
        """The number of different sources."""
        return len(set(self.sentences))

    @property
    def coefficients(self) -> dict[str, list[str]]:
        """The coefficients by what is compared with ratings: segments, and systems if there are enough."""
        names = {"segments": [name for name in OF_ROWS if name not in _WITHIN or self.sources < len(self.ratings)]}
        return names | ({"systems": [*OF_SYSTEMS]} if len(set(self.systems)) >= _FEWEST_SYSTEMS else {})

    def where(self, keeps: Sequence[bool] | np.ndarray) -> "RatedOutputs":
        """Return the rows that are kept."""
        (sources, predictions, references), systems, ratings = self
        texts = Columns(
            list(compress(sources, keeps)), list(compress(predictions, keeps)), list(compress(references, keeps))
        )
        return RatedOutputs(texts, list(compress(systems, keeps)), list(compress(ratings, keeps)))


def letters_of(text: str) -> str:
    """Return the letters and digits of a text in lower case.

    >>> letters_of("It 's a B-52 .")
    'itsab52'
    """
    return re.sub(r"[\W_]", "", text.lower())


#: What is wrong with outputs that are no outputs of a system, or that count twice, by the name of the fault.
FAULTS = {
    "unrated": "some outputs have no rating, and are left out",
    "repeated": "some outputs are there more than once, as those of one system for one source: average their ratings",
    "references": "all outputs of a system equal one of their references: leave out what is no system",
    "copies": "all outputs of a system have the letters of their sources: leave out what is no system",
    "duplicates": "all outputs of a system are those of another one: leave one of them out",
}


def faulty_rows(outputs: RatedOutputs) -> dict[str, np.ndarray]:
    """Return the rows of each fault: bool[row].

    >>> texts = Columns(["a b", "c d"] * 2, ["b a", "d c", "e", "f"], [["g"], ["F", "h"]] * 2)
    >>> faulty = faulty_rows(RatedOutputs(texts, ["x", "x", "y", "y"], [1.0, 2.0, np.nan, 3.0]))
    >>> {name: rows.tolist() for name, rows in faulty.items() if rows.any()}
    {'unrated': [False, False, True, False], 'copies': [True, True, False, False]}
    """
    _, texts, references = outputs.texts
    letters = list(map(letters_of, texts))
    rows = pd.DataFrame({"source": outputs.sentences, "output": letters, "system": outputs.systems})
    rows["references"] = [own in map(letters_of, row) for own, row in zip(letters, references, strict=True)]
    rows["copies"] = [sorted(own) == sorted(other) for own, other in zip(letters, rows["source"], strict=True)]
    by_system = rows.groupby("system", sort=False)
    pairs = {name: frozenset(zip(own["source"], own["output"], strict=True)) for name, own in by_system}
    twins = pd.Series(pairs).duplicated()
    return {
        "unrated": np.isnan(outputs.ratings),
        "repeated": rows.duplicated(["system", "source", "output"]).to_numpy(),
        **{name: by_system[name].transform("all").to_numpy() for name in ("references", "copies")},
        "duplicates": rows["system"].map(twins).to_numpy(),
    }


def rating_warnings(outputs: RatedOutputs) -> Iterator[SariWarning]:
    """Yield a warning for each fault, with the number of outputs that have it."""
    for name, rows in faulty_rows(outputs).items():
        if rows.any():
            yield SariWarning(FAULTS[name], f"{np.count_nonzero(rows):,} of {count_of(len(rows), 'output')}")


class RatedScore(NamedTuple):
    """A score: its variant (empty for a measure), name, values by row, rows for systems, and signature."""

    variant: str
    name: str
    values: np.ndarray
    of_systems: SystemRows
    signature: str


def rated_scores(corpus: CorpusStatistics) -> list[RatedScore]:
    """Return SARI and its operations from rated outputs that were scored with `sentences=True` and `rows=True`."""
    sentences, rows, variant = corpus.sentences(), corpus.rows(), corpus.variant.label

    def of_sums(sums: np.ndarray, counts: np.ndarray, *, place: int) -> np.ndarray:
        return corpus.scores_of_sums(sums, counts[..., None])[..., place]

    signature = corpus.signature()
    return [
        RatedScore(variant, name, np.array(sentences[name]), SystemRows(rows, partial(of_sums, place=place)), signature)
        for place, name in enumerate(SCORES)
    ]


def report_agreement(
    scores: Sequence[RatedScore],
    outputs: RatedOutputs,
    resampling: Resampling,
    *,
    warnings: Sequence[WarningRow] = (),
    advance: Callable[[str], object] = lambda _: None,
) -> AgreementReport:
    """Return how each score agrees with the ratings at every level, and its difference from the first score.

    P-values have Holm's correction for all comparisons of a level.

    Args:
        scores: of all outputs.
        outputs: with their ratings, none of which is nan.
        resampling: how intervals are computed.
        warnings: to show with the scores.
        advance: called with the next coefficient and level.

    Raises:
        ValueError: for intervals of a single source.
    """
    rows, sentences = [], outputs.sentences
    for level, coefficients in outputs.coefficients.items():
        of_systems = level == "systems"
        columns = {str(number): score.of_systems if of_systems else score.values for number, score in enumerate(scores)}
        found: list[Agreement] = []
        for coefficient in coefficients:
            advance(f"{coefficient}, {level}")
            by_score = agreement(
                columns,
                outputs.ratings,
                groups=sentences,
                systems=outputs.systems if of_systems else None,
                coefficient=coefficient,
                baseline="0",
                confidence=resampling.confidence,
                resamples=resampling.resamples_for(outputs.sources),
                seed=resampling.seed,
            )
            found += by_score.values()
        of_scores = zip(*_batches(with_correction(found), len(scores)), strict=True)
        for score, agreements in zip(scores, of_scores, strict=True):
            named = dict(zip(coefficients, agreements, strict=True))
            rows.append(AgreementRow(level, score.variant, score.name, score.signature, named))
    return AgreementReport(
        rows=rows,
        ratings=len(outputs.ratings),
        sources=outputs.sources,
        systems=list(dict.fromkeys(outputs.systems)),
        confidence=resampling.confidence,
        resamples=resampling.resamples_for(outputs.sources),
        seed=resampling.seed,
        warnings=list(warnings),
    )


def _batches(items: Sequence[Agreement], size: int) -> Iterator[Sequence[Agreement]]:
    """Yield neighbouring items, as many at a time."""
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]
