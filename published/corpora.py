"""Published SARI of systems on test sets: a row of data for each figure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sari.published.checkouts import Repository, aligned, numbered
from sari.published.outcomes import Outcome, Published
from sari.published.repositories import DRESS, EASSE, SIMPLIFICATION
from sari.state import score_columns
from sari.validation import Columns
from sari.variants import resolve_variant


@dataclass(frozen=True)
class TestSet:
    """Sources and references, as files of a repository.

    Attributes:
        sources: the file.
        references: the files.
        lowercase: whether everything is lowercased before the metric sees it.
    """

    sources: str
    references: tuple[str, ...]
    lowercase: bool = False


@dataclass(frozen=True)
class Figure:
    """A published SARI: of which system, as it was printed, on which outputs and texts."""

    system: str
    printed: str
    outputs: str
    texts: TestSet


@dataclass(frozen=True, kw_only=True)
class CorpusScores(Published):
    """SARI of systems under one variant.

    Attributes:
        variant: its name.
        options: on top of it.
        figures: the rows.
    """

    variant: str
    options: Mapping[str, Any] = field(default_factory=dict)
    figures: tuple[Figure, ...]

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Score each system; see `Published.outcomes`."""
        (repository,) = self.repositories
        variant = resolve_variant(self.variant, **self.options)
        for figure in self.figures:
            columns = _columns(repository, folder, figure)
            corpus = score_columns(columns, variant)
            yield Outcome(figure.system, figure.printed, corpus.scores()["sari"], corpus.signature)


def _columns(repository: Repository, folder: Path, figure: Figure) -> Columns:
    texts = figure.texts
    names = [texts.sources, figure.outputs, *texts.references]
    sources, outputs, *references = aligned((name, repository.lines(folder, name)) for name in names)
    if texts.lowercase:
        sources, outputs, *references = ([line.lower() for line in lines] for lines in (sources, outputs, *references))
    return Columns(sources, outputs, list(map(list, zip(*references, strict=True))))


_NORM = "turkcorpus/test.8turkers.tok."
_TURK = TestSet(f"{_NORM}norm", numbered(_NORM + "turk.{}", range(8)))
_DETOK = "test_sets/turkcorpus/test.truecase.detok."
_TRUECASE = TestSet(f"{_DETOK}orig", numbered(_DETOK + "simp.{}", range(8)))
_ASSET = "test_sets/asset/asset.test."
_ASSET_TEST = TestSet(f"{_ASSET}orig", numbered(_ASSET + "simp.{}", range(10)))
_OLD = "test_sets/turkcorpus/legacy/test.8turkers.tok."
_LEGACY = TestSet(f"{_OLD}norm", numbered(_OLD + "turk.{}", range(8)))


def _dress(corpus: str, systems: Mapping[str, str]) -> tuple[Figure, ...]:
    texts = TestSet(f"{corpus}/test/Complex", (f"{corpus}/test/Reference",))
    return tuple(Figure(system, printed, f"{corpus}/test/{system}", texts) for system, printed in systems.items())


def _lowercased(figure: Figure) -> Figure:
    texts = TestSet(figure.texts.sources, figure.texts.references, lowercase=True)
    return Figure(f"{figure.system}, all lowercased", figure.printed, figure.outputs, texts)


_LEGACY_FIGURES = {
    "Dress-Ls": "37.266",
    "Dress": "37.082",
    "EncDecA": "35.658",
    "Hybrid": "31.397",
    "PBMT-R": "38.559",
    "SBMT-SARI": "39.965",
}
_DRESS_PAPER = "https://aclanthology.org/D17-1062"
_STAR = "variant star: Joshua 5's STAR.java, one reference"

CORPORA = (
    CorpusScores(
        name="xu2016",
        title="Xu et al. 2016, table 5: TurkCorpus",
        paper="https://aclanthology.org/Q16-1029",
        repositories=(SIMPLIFICATION,),
        recipe="variant xu2016, 8 references",
        note="SBMT+SARI is 37.919, which the paper cuts off where it rounds the others.",
        variant="xu2016",
        figures=(
            Figure("SBMT+SARI", "37.91", "systemoutputs/sari30it.test.output.1best", _TURK),
            Figure("PBMT-R", "33.77", "systemoutputs/moses.test.output.1rerank", _TURK),
            Figure("SBMT+FKBLEU", "34.18", "systemoutputs/glbleu30it.test.output.1best", _TURK),
        ),
    ),
    CorpusScores(
        name="access",
        title="Martin et al. 2020 (ACCESS): TurkCorpus, ASSET",
        paper="https://aclanthology.org/2020.lrec-1.577",
        repositories=(EASSE,),
        recipe="variant easse, 8 and 10 references",
        variant="easse",
        figures=(
            Figure("ACCESS on TurkCorpus", "41.38", "system_outputs/turkcorpus/test/ACCESS", _TRUECASE),
            Figure("ACCESS on ASSET", "40.13", "system_outputs/asset/test/ACCESS", _ASSET_TEST),
        ),
    ),
    CorpusScores(
        name="easse-legacy",
        title="Alva-Manchego et al. 2019 (EASSE), tests of legacy=True: TurkCorpus",
        paper="https://aclanthology.org/D19-3009",
        repositories=(EASSE,),
        recipe="variant easse_legacy, 8 references",
        variant="easse_legacy",
        figures=tuple(
            Figure(system, printed, f"system_outputs/turkcorpus/test/tok.low/{system}.tok.low", _LEGACY)
            for system, printed in _LEGACY_FIGURES.items()
        ),
    ),
    CorpusScores(
        name="wikismall",
        title="Zhang and Lapata 2017 (DRESS), table 2, and NLP-progress: WikiSmall",
        paper=_DRESS_PAPER,
        repositories=(DRESS,),
        recipe=_STAR,
        variant="star",
        figures=_dress("WikiSmall", {"Dress": "27.48", "Dress-Ls": "27.24", "Hybrid": "30.46", "PBMT-R": "15.97"}),
    ),
    CorpusScores(
        name="newsela",
        title="Zhang and Lapata 2017 (DRESS), table 1, and NLP-progress: Newsela",
        paper=_DRESS_PAPER,
        repositories=(DRESS,),
        recipe=_STAR,
        variant="star",
        figures=(
            *_dress("Newsela", {"Dress": "27.37", "Dress-Ls": "26.63", "PBMT-R": "15.77"}),
            *map(_lowercased, _dress("Newsela", {"Hybrid": "28.61"})),
        ),
    ),
)
