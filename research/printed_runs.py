"""Figures that repositories print next to each file of outputs, run by run: BLESS and APIO; and means of runs: MUSS."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from sari.corpus_statistics import score_columns
from sari.research.outcomes import Begin, Outcome, Published
from sari.research.public_systems import read_run
from sari.research.repositories import APIO, BLESS, EASSE, MUSS, REFERENCE_SETS, TestSet
from sari.research.system_scores import SystemFigure
from sari.text_files.errors import FileError
from sari.validation import Columns
from sari.variants import resolve_variant

_EASSE = resolve_variant("easse")

#: The columns of the files of BLESS, by our names of the scores.
_PRINTED = {"sari": "sari", "keep": "sari_keep", "delete": "sari_del", "add": "sari_add"}


@dataclass(frozen=True, kw_only=True)
class BlessRuns(Published):
    """SARI and its operations of each run, printed in a file next to that of the outputs.

    Attributes:
        patterns: of the files of outputs.
    """

    patterns: tuple[str, ...]

    def compute(self, folder: Path, begin: Begin = str) -> list[Outcome]:
        """Score each run; see `Published.compute`."""
        found: list[Outcome] = []
        for pattern in self.patterns:
            begin(pattern)
            for path in BLESS.paths(folder, pattern):
                found += self._outcomes(path)
        return found

    def _outcomes(self, path: Path) -> Iterator[Outcome]:
        rows = read_run(path)
        columns = Columns(
            [row.source for row in rows], [row.output for row in rows], [list(row.references) for row in rows]
        )
        corpus = score_columns(columns, _EASSE)
        scores: dict[str, Any] = {**corpus.scores()}
        printed = path.with_suffix(".eval")
        try:
            figures = next(csv.DictReader(printed.read_text(encoding="utf-8").splitlines(), delimiter=";"))
            cells = {score: figures[column] for score, column in _PRINTED.items()}
        except (OSError, ValueError, StopIteration, KeyError) as error:
            raise FileError(f"{printed}: no figures in it: {str(error)[:80]}") from None
        for score, cell in cells.items():
            yield Outcome(f"{path.parent.name} {path.stem}: {score}", cell, scores[score], corpus.signature)


@dataclass(frozen=True, kw_only=True)
class MeansOfRuns(Published):
    """Means of SARI over the runs of a system, and figures of single files.

    Attributes:
        test_sets: by the name of the folder of outputs.
        printed: the means as printed, by folder and system; empty where none is known.
        figures: of single files, in the repository of EASSE.
    """

    test_sets: Mapping[str, TestSet]
    printed: Mapping[tuple[str, str], str]
    figures: tuple[SystemFigure, ...]

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Score each run; see `Published.outcomes`."""
        for figure in self.figures:
            corpus = score_columns(EASSE.corpus(folder, figure.texts, figure.outputs), _EASSE)
            yield Outcome(figure.system, figure.printed, corpus.scores()["sari"], corpus.signature)
        for (place, system), printed in self.printed.items():
            texts = self.test_sets[place]
            sources, *columns = EASSE.columns(folder, (texts.sources, *texts.references))
            references = list(map(list, zip(*columns, strict=True)))
            scores, signature = [], ""
            for path in MUSS.paths(folder, f"{place}/test/{system}/*.pred"):
                outputs = [row.output for row in read_run(path)]
                if len(outputs) != len(sources):
                    raise FileError(f"{path}: got {len(outputs)} lines, expected {len(sources)} as in {texts.sources}")
                corpus = score_columns(Columns(sources, outputs, references), _EASSE)
                scores.append(corpus.scores()["sari"])
                signature = corpus.signature
            yield Outcome(f"{system} on {place}, mean of {len(scores)}", printed, fmean(scores), signature)


@dataclass(frozen=True, kw_only=True)
class ApioRuns(Published):
    """SARI of each prompt, printed in the name of the file of outputs; references are in a file of the repository."""

    texts: str
    patterns: tuple[str, ...]

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Score the outputs of each prompt; see `Published.outcomes`."""
        path = APIO.path(folder, self.texts)
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            sources = [row["text"] for row in rows]
            references = [[row[f"ref{number}"] for number in range(10)] for row in rows]
        except (ValueError, LookupError, TypeError) as error:
            raise FileError(f"{path}: not as expected: {str(error)[:80]}") from None
        for pattern in self.patterns:
            for file in APIO.paths(folder, pattern):
                outputs = [row.output for row in read_run(file)]
                if len(outputs) != len(sources):
                    raise FileError(f"{file}: got {len(outputs)} lines, expected {len(sources)} as in {self.texts}")
                corpus = score_columns(Columns(sources, outputs, references), _EASSE)
                name, _, printed = file.stem.rpartition("_")
                yield Outcome(re.sub(r"^[\d_-]+", "", name), printed, corpus.scores()["sari"], corpus.signature)


_MUSS_PRINTED = {
    ("asset", "muss_bart_access_mined"): "42.65",
    ("asset", "muss_bart_access_wikilarge_mined"): "44.15",
    ("turkcorpus", "muss_bart_access_mined"): "40.85",
    ("turkcorpus", "muss_bart_access_wikilarge_mined"): "42.53",
}
_TESTED_PROMPTS = "outputs/{0}_text_simplification/evaluated_prompts_test/*_{0}_[0-9]*[0-9].txt"

PRINTED_RUNS = (
    MeansOfRuns(
        name="muss",
        title="Martin et al. 2022 (MUSS): TurkCorpus, ASSET",
        paper="https://arxiv.org/abs/2005.00352",
        repositories=(MUSS, EASSE),
        recipe="variant easse, 8 and 10 references; means of 5 seeds for MUSS",
        note="The two means on TurkCorpus differ, one up and one down. No copy of TurkCorpus (two of EASSE, three of "
        "its authors), tokenizer, case or variant gives both printed figures. Why is open: the paper may have measured "
        "other outputs than those in the repository.",
        test_sets={"asset": REFERENCE_SETS["ASSET"], "turkcorpus": REFERENCE_SETS["TurkCorpus"]},
        printed=_MUSS_PRINTED,
        figures=(
            SystemFigure(
                "ACCESS on TurkCorpus", "41.38", "system_outputs/turkcorpus/test/ACCESS", REFERENCE_SETS["TurkCorpus"]
            ),
            SystemFigure("ACCESS on ASSET", "40.13", "system_outputs/turkcorpus/test/ACCESS", REFERENCE_SETS["ASSET"]),
        ),
    ),
    BlessRuns(
        name="bless",
        title="Kew et al. 2023 (BLESS), every run on ASSET and Med-EASi: SARI, keep, delete and add",
        paper="https://arxiv.org/abs/2310.15773",
        repositories=(BLESS,),
        recipe="variant easse, 10 references for ASSET and 1 for Med-EASi",
        note="The figures are those that the repository has in a file .eval for each file of outputs.",
        patterns=("*/asset-test*.jsonl", "*/med-easi-test*.jsonl"),
        steps=2,
    ),
    ApioRuns(
        name="apio",
        title="Chernodub et al. 2025 (APIO), GPT-4o and GPT-4o mini with 4 prompts each: ASSET",
        paper="https://arxiv.org/abs/2508.09378",
        repositories=(APIO,),
        recipe="variant easse, 10 references as the repository has them",
        note="The figures are in the names of the files. The references differ from those of ASSET in 21 segments, "
        "where quotation marks are changed or missing: with ASSET's own, scores are up to .06 higher.",
        texts="text_simplification/data/test_asset_359.json",
        patterns=tuple(_TESTED_PROMPTS.format(model) for model in ("gpt-4o-mini", "gpt-4o")),
    ),
)
