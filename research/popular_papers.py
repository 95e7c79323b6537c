"""The figures of popular papers in the metric card: a row of data for each, computed as the paper's own table is."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sari.research.outcomes import Begin, Outcome, Published
from sari.research.printed_runs import PRINTED_RUNS
from sari.research.system_scores import SYSTEM_SCORES


class PaperFigure(NamedTuple):
    """A figure of a paper.

    Attributes:
        paper: authors and year.
        system, test_set: as the metric card shows them.
        table: the name of the published table that has the figure.
        outcome: how the name of the figure begins in that table.
    """

    paper: str
    system: str
    test_set: str
    table: str
    outcome: str

    @property
    def name(self) -> str:
        """The name of the figure among those of other papers."""
        return f"{self.paper}: {self.system} on {self.test_set}"


@dataclass(frozen=True, kw_only=True)
class PaperFigures(Published):
    """Figures of several published tables.

    Attributes:
        tables: the published tables, by name.
        figures: the rows.
    """

    tables: dict[str, Published]
    figures: tuple[PaperFigure, ...]

    def compute(self, folder: Path, begin: Begin = str) -> list[Outcome]:
        """Compute the tables and take their figures; see `Published.compute`."""
        found = {}
        for name, table in self.tables.items():
            begin(name)
            found[name] = list(table.outcomes(folder))
        return [_of(found[figure.table], figure)._replace(name=figure.name).rounded(6) for figure in self.figures]


def _of(outcomes: Iterable[Outcome], figure: PaperFigure) -> Outcome:
    return next(outcome for outcome in outcomes if outcome.name.startswith(figure.outcome))


_XU, _DRESS, _EASSE = "Xu et al. 2016", "Zhang and Lapata 2017", "Alva-Manchego et al. 2019, tests"
_ACCESS, _MUSS = "Martin et al. 2020", "Martin et al. 2022"

_FIGURES = (
    PaperFigure(_XU, "SBMT+SARI", "TurkCorpus", "xu2016", "SBMT+SARI"),
    PaperFigure(_XU, "PBMT-R", "TurkCorpus", "xu2016", "PBMT-R"),
    PaperFigure(_DRESS, "Dress", "WikiSmall", "wikismall", "Dress"),
    PaperFigure(_DRESS, "Dress", "Newsela", "newsela", "Dress"),
    PaperFigure(_EASSE, "SBMT+SARI", "TurkCorpus", "easse-legacy", "SBMT-SARI"),
    PaperFigure(_ACCESS, "ACCESS", "TurkCorpus", "access", "ACCESS"),
    PaperFigure(_MUSS, "ACCESS", "TurkCorpus", "muss", "ACCESS on TurkCorpus"),
    PaperFigure(_MUSS, "ACCESS", "ASSET", "muss", "ACCESS on ASSET"),
    PaperFigure(_MUSS, "MUSS (mined)", "ASSET", "muss", "muss_bart_access_mined on asset"),
    PaperFigure(_MUSS, "MUSS (mined)", "TurkCorpus", "muss", "muss_bart_access_mined on turkcorpus"),
    PaperFigure(_MUSS, "MUSS (WikiLarge + mined)", "ASSET", "muss", "muss_bart_access_wikilarge_mined on asset"),
    PaperFigure(
        _MUSS, "MUSS (WikiLarge + mined)", "TurkCorpus", "muss", "muss_bart_access_wikilarge_mined on turkcorpus"
    ),
)
_NAMES = {figure.table for figure in _FIGURES}
_TABLES: dict[str, Published] = {table.name: table for table in (*SYSTEM_SCORES, *PRINTED_RUNS) if table.name in _NAMES}

PAPERS = PaperFigures(
    name="papers",
    title="Figures of popular papers, which are in the metric card",
    paper=f"the papers of {', '.join(_TABLES)}",
    repositories=tuple(dict.fromkeys(each for table in _TABLES.values() for each in table.repositories)),
    recipe="the variant of each paper",
    steps=len(_TABLES),
    tables=_TABLES,
    figures=_FIGURES,
)
