"""Tables 3 to 5 of Narayan and Gardent 2014: how each column is measured, and what the paper says of its systems."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sari.measures import simplification
from sari.published.checkouts import aligned
from sari.published.outcomes import Outcome, Published
from sari.published.repositories import EASSE


class Column(NamedTuple):
    """A measure of the tables.

    Attributes:
        title: its name.
        measure: from sources, outputs and references to a number.
        printed: the paper's figures, by the names of `SYSTEMS`.
    """

    title: str
    measure: Callable[[list[str], list[str], list[str]], float]
    printed: dict[str, str]


#: The systems of the tables, and the files of their outputs.
SYSTEMS = {
    "Zhu": "system_outputs/pwkp/test/TSM.tok",
    "Woodsend": "system_outputs/pwkp/test/QG+ILP.tok",
    "Hybrid": "system_outputs/pwkp/test/Hybrid.tok.low",
    "reference": "test_sets/pwkp/pwkp.test.simp",
}
_SOURCES = "test_sets/pwkp/pwkp.test.orig"

COLUMNS = (
    Column(
        "split %",
        lambda sources, outputs, _: 100 * simplification.splits(sources, outputs).mean(),
        {"Zhu": "80", "Woodsend": "63", "Hybrid": "10", "reference": "28"},
    ),
    Column(
        "sentences",
        lambda _, outputs, __: simplification.sentence_counts(outputs).mean(),
        {"Zhu": "1.80", "Woodsend": "2.05", "Hybrid": "1.10", "reference": "1.30"},
    ),
    Column(
        "edits from source",
        lambda sources, outputs, _: simplification.edit_distances(sources, outputs).mean(),
        {"Zhu": "7.87", "Woodsend": "8.63", "Hybrid": "6.32", "reference": "12.24"},
    ),
    Column(
        "no edit",
        lambda sources, outputs, _: (simplification.edit_distances(sources, outputs) == 0).sum(),
        {"Zhu": "2", "Woodsend": "24", "Hybrid": "4", "reference": "3"},
    ),
    Column(
        "edits to reference",
        lambda _, outputs, references: simplification.edit_distances(outputs, references).mean(),
        {"Zhu": "14.64", "Woodsend": "16.03", "Hybrid": "11.53", "reference": "0"},
    ),
    Column(
        "BLEU",
        lambda _, outputs, references: simplification.bleu(outputs, references),
        {"Zhu": "37.4", "Woodsend": "42", "Hybrid": "53.6", "reference": "100"},
    ),
)


@dataclass(frozen=True, kw_only=True)
class SystemMeasures(Published):
    """Companion measures of systems."""

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Measure each system; see `Published.outcomes`."""
        sources, *others = aligned(
            (name, [line.lower() for line in EASSE.lines(folder, name)]) for name in (_SOURCES, *SYSTEMS.values())
        )
        outputs = dict(zip(SYSTEMS, others, strict=True))
        for system, texts in outputs.items():
            for column in COLUMNS:
                ours = float(column.measure(sources, texts, outputs["reference"]))
                yield Outcome(f"{system}: {column.title}", column.printed[system], ours, "lowercased")


NARAYAN_GARDENT = SystemMeasures(
    name="narayan-gardent",
    title="Narayan and Gardent 2014, tables 3 and 4: PWKP",
    paper="https://aclanthology.org/P14-1041",
    repositories=(EASSE,),
    recipe="companion measures of lowercased texts, tokens as they are",
    note="The outputs in the repository are not letter for letter those that the paper measured.",
)
