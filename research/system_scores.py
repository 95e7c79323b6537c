"""Published SARI of systems on test sets: a row of data for each figure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sari.corpus_statistics import score_columns
from sari.research.outcomes import Outcome, Published
from sari.research.repositories import DRESS, EASSE, SIMPLIFICATION, TURK_LEGACY, TURKCORPUS, TestSet
from sari.variants import resolve_variant


@dataclass(frozen=True)
class SystemFigure:
    """A published SARI.

    Attributes:
        system: its name.
        printed: the figure as printed.
        outputs: the file of the outputs.
        texts: the test set.
        options: set on top of the variant.
    """

    system: str
    printed: str
    outputs: str
    texts: TestSet
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PublishedScores(Published):
    """SARI of systems under one variant.

    Attributes:
        variant: the name of the variant.
        figures: the rows.
    """

    variant: str
    figures: tuple[SystemFigure, ...]

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Score each system; see `Published.outcomes`."""
        (repository,) = self.repositories
        for figure in self.figures:
            columns = repository.corpus(folder, figure.texts, figure.outputs)
            corpus = score_columns(columns, resolve_variant(self.variant, **figure.options))
            yield Outcome(figure.system, figure.printed, corpus.scores()["sari"], corpus.signature)


def _legacy(system: str, printed: str) -> SystemFigure:
    return SystemFigure(system, printed, f"system_outputs/turkcorpus/test/tok.low/{system}.tok.low", TURK_LEGACY)


def _dress(corpus: str, systems: Mapping[str, str]) -> tuple[SystemFigure, ...]:
    texts = TestSet(f"{corpus}/test/Complex", (f"{corpus}/test/Reference",))
    return tuple(SystemFigure(system, printed, f"{corpus}/test/{system}", texts) for system, printed in systems.items())


_WIKISMALL = {"Dress": "27.48", "Dress-Ls": "27.24", "EncDecA": "13.61", "Hybrid": "30.46", "PBMT-R": "15.97"}
_NEWSELA = _dress(
    "Newsela", {"Dress": "27.37", "Dress-Ls": "26.63", "EncDecA": "24.12", "PBMT-R": "15.77", "Hybrid": "30.00"}
)
_NEWSELA_LOWERCASED = SystemFigure(
    "Hybrid, lowercased", "28.61", _NEWSELA[-1].outputs, _NEWSELA[-1].texts, {"lowercase": True}
)
_DRESS_PAPER = "https://aclanthology.org/D17-1062"
_STAR = "variant star: Joshua 5's STAR.java, one reference"

SYSTEM_SCORES = (
    PublishedScores(
        name="xu2016",
        title="Xu et al. 2016, table 5: TurkCorpus",
        paper="https://aclanthology.org/Q16-1029",
        repositories=(SIMPLIFICATION,),
        recipe="variant xu2016, 8 references",
        note="SBMT+SARI is 37.919: the paper cuts this figure and rounds the others.",
        variant="xu2016",
        figures=(
            SystemFigure("SBMT+SARI", "37.91", "systemoutputs/sari30it.test.output.1best", TURKCORPUS),
            SystemFigure("PBMT-R", "33.77", "systemoutputs/moses.test.output.1rerank", TURKCORPUS),
            SystemFigure("SBMT+FKBLEU", "34.18", "systemoutputs/glbleu30it.test.output.1best", TURKCORPUS),
        ),
    ),
    PublishedScores(
        name="access",
        title="Martin et al. 2020 (ACCESS): TurkCorpus",
        paper="https://aclanthology.org/2020.lrec-1.577",
        repositories=(EASSE,),
        recipe="variant easse_legacy, 8 references",
        note="The paper of MUSS gives the same outputs 41.38, by easse: see the table muss.",
        variant="easse_legacy",
        figures=(_legacy("ACCESS", "41.87"),),
    ),
    PublishedScores(
        name="easse-legacy",
        title="Alva-Manchego et al. 2019 (EASSE), tests of legacy=True: TurkCorpus",
        paper="https://aclanthology.org/D19-3009",
        repositories=(EASSE,),
        recipe="variant easse_legacy, 8 references",
        variant="easse_legacy",
        figures=(
            _legacy("Dress-Ls", "37.266"),
            _legacy("Dress", "37.082"),
            _legacy("EncDecA", "35.658"),
            _legacy("Hybrid", "31.397"),
            _legacy("PBMT-R", "38.559"),
            _legacy("SBMT-SARI", "39.965"),
        ),
    ),
    PublishedScores(
        name="wikismall",
        title="Zhang and Lapata 2017 (DRESS), table 2, and NLP-progress: WikiSmall",
        paper=_DRESS_PAPER,
        repositories=(DRESS,),
        recipe=_STAR,
        variant="star",
        figures=_dress("WikiSmall", _WIKISMALL),
    ),
    PublishedScores(
        name="newsela",
        title="Zhang and Lapata 2017 (DRESS), table 1, and NLP-progress: Newsela",
        paper=_DRESS_PAPER,
        repositories=(DRESS,),
        recipe=_STAR,
        note="The paper prints 30.00 for Hybrid, NLP-progress 28.61, which is the same output lowercased.",
        variant="star",
        figures=(*_NEWSELA, _NEWSELA_LOWERCASED),
    ),
)
