"""Published tables of companion measures: Xu et al. 2016, and Narayan and Gardent 2014.

A row has the digest of the texts that its figures were computed from. Published figures are shown only if the user's
texts have the same digest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sari.companion_measures import simplification, translation, xu2016_measures
from sari.research.outcomes import Outcome, Published
from sari.research.repositories import EASSE, SIMPLIFICATION, TURKCORPUS, TestSet

#: From sources, outputs and references to a figure, or to numbers whose mean is the figure.
ColumnFormula = Callable[[list[str], list[str], list[list[str]]], float | np.ndarray]


class MeasuredSystem(NamedTuple):
    """A row of a table.

    Attributes:
        outputs: the file of the outputs.
        digest: the digest of sources, outputs and references.
        printed: the figures as printed, in the order of the columns.
    """

    outputs: str
    digest: str
    printed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PublishedMeasures(Published):
    """Companion measures of systems.

    Attributes:
        texts: the test set.
        columns: the measures, by name.
        systems: the rows, by name.
        lowercase: whether texts are lowercased first.
    """

    texts: TestSet
    columns: Mapping[str, ColumnFormula]
    systems: Mapping[str, MeasuredSystem]
    lowercase: bool = False

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Measure each system; see `Published.outcomes`."""
        (repository,) = self.repositories
        for system, row in self.systems.items():
            sources, outputs, references = repository.corpus(folder, self.texts, row.outputs)
            if self.lowercase:
                sources, outputs = ([text.lower() for text in texts] for texts in (sources, outputs))
                references = [[text.lower() for text in texts] for texts in references]
            known = row.digest == digest([sources, outputs, *zip(*references, strict=True)])
            for (column, formula), printed in zip(self.columns.items(), row.printed, strict=True):
                ours = float(np.mean(formula(sources, outputs, references)))
                yield Outcome(f"{system}: {column}", printed if known else "", ours, self.recipe)


def digest(columns: Iterable[Iterable[str]]) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of columns of lines.

    >>> digest([["a"], ["b"]]), digest([["a", "b"]])
    ('801cbb5c30a5f3d3', '875adfc46ff54850')
    """
    known = sha256()
    for column in columns:
        known.update("".join(f"{line}\n" for line in column).encode())
        known.update(b"\0")
    return known.hexdigest()[:16]


_TURK = "turkcorpus/test.8turkers.tok."
_SYSTEMS = "systemoutputs"

XU2016_MEASURES = PublishedMeasures(
    name="xu2016-measures",
    title="Xu et al. 2016, table 5: FK, BLEU, iBLEU and FKBLEU on TurkCorpus",
    paper="https://aclanthology.org/Q16-1029",
    repositories=(SIMPLIFICATION,),
    recipe="measures as the authors' Joshua computes them, means of sentences, 8 references",
    texts=TURKCORPUS,
    columns={
        "FK": lambda _, outputs, __: xu2016_measures.fk_scores(outputs),
        "BLEU": lambda _, outputs, references: xu2016_measures.bleu_scores(outputs, references),
        "iBLEU": xu2016_measures.ibleu_scores,
        "FKBLEU": xu2016_measures.fkbleu_scores,
    },
    systems={
        "Normal Wikipedia": MeasuredSystem(f"{_TURK}norm", "687203dd268a609f", ("12.88", "99.05", "78.41", "62.48")),
        "Simple Wikipedia": MeasuredSystem(f"{_TURK}simp", "8f8584489edb15bf", ("11.25", "66.75", "53.53", "61.75")),
        "Mechanical Turk": MeasuredSystem(f"{_TURK}turk.0", "9a743a49372034a0", ("10.80", "100.0", "74.31", "73.60")),
        "PBMT-R": MeasuredSystem(
            f"{_SYSTEMS}/moses.test.output.1rerank", "236abfe7c2235e4f", ("11.10", "63.12", "48.91", "59.00")
        ),
        "SBMT+FKBLEU": MeasuredSystem(
            f"{_SYSTEMS}/glbleu30it.test.output.1best", "bc3bfb1ab2da58ff", ("10.75", "74.48", "58.10", "66.68")
        ),
        "SBMT+SARI": MeasuredSystem(
            f"{_SYSTEMS}/sari30it.test.output.1best", "35e9c92f78c20e1f", ("10.90", "72.36", "58.15", "66.57")
        ),
    },
)

_PWKP = "system_outputs/pwkp/test"
_REFERENCE = "test_sets/pwkp/pwkp.test.simp"

NARAYAN_GARDENT = PublishedMeasures(
    name="narayan-gardent",
    title="Narayan and Gardent 2014, tables 3 and 4: PWKP",
    paper="https://aclanthology.org/P14-1041",
    repositories=(EASSE,),
    recipe="companion measures of lowercased texts, tokens as they are",
    note="The outputs in the repository differ a little from those that the paper measured; Wubben's, called PBMT-R "
    "there, differ most.",
    texts=TestSet("test_sets/pwkp/pwkp.test.orig", (_REFERENCE,)),
    columns={
        "split %": lambda sources, outputs, _: 100 * simplification.splits(sources, outputs),
        "sentences": lambda _, outputs, __: simplification.sentence_counts(outputs),
        "BLEU": lambda _, outputs, references: translation.bleu(outputs, references),
        "edits from source": lambda sources, outputs, _: simplification.edit_distances(sources, outputs),
        "no edit": lambda sources, outputs, _: (simplification.edit_distances(sources, outputs) == 0).sum(),
        "edits to reference": lambda _, outputs, targets: simplification.edit_distances(outputs, targets),
        "no edit to reference": lambda _, outputs, ref: (simplification.edit_distances(outputs, ref) == 0).sum(),
    },
    systems={
        "Zhu": MeasuredSystem(
            f"{_PWKP}/TSM.tok", "737e3e6b2313c359", ("80", "1.80", "37.4", "7.87", "2", "14.64", "0")
        ),
        "Woodsend": MeasuredSystem(
            f"{_PWKP}/QG+ILP.tok", "2926ee8b12d26143", ("63", "2.05", "42", "8.63", "24", "16.03", "2")
        ),
        "Wubben": MeasuredSystem(
            f"{_PWKP}/PBMT-R.tok", "81b3c55ec7dee47a", ("1", "1.01", "41.4", "3.33", "6", "13.57", "2")
        ),
        "Hybrid": MeasuredSystem(
            f"{_PWKP}/Hybrid.tok.low", "a41a578c887b8163", ("10", "1.10", "53.6", "6.32", "4", "11.53", "3")
        ),
        "reference": MeasuredSystem(_REFERENCE, "4264d7ced17429df", ("28", "1.30", "100", "12.24", "3", "0", "100")),
    },
    lowercase=True,
)
