"""Every variant on every public output of systems: `python . reproduce systems FOLDER`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy import stats

from sari.comparison import baseline_scores, score_systems
from sari.corpus_statistics import CorpusStatistics
from sari.reports.published_systems import PublishedScore, PublishedSystem, texts_digest
from sari.research.outcomes import Begin, Outcome, Published
from sari.research.public_systems import PUBLIC_OUTPUTS, TEST_SETS, PublicOutputs, PublicTestSet, read_run
from sari.research.variant_agreement import split_sentences
from sari.significance import Resampling, Sample, holm, resolve_resampling
from sari.text_files.errors import FileError
from sari.validation import SystemColumns
from sari.variants import SIGNIFICANT, VARIANTS, Variant, resolve_variant

#: The variant that ranks come from.
RANKED = "easse"

#: How often the pairs swap segments; the standard deviation of the differences is then known to within 2%.
TRIALS = 2_000

#: The baselines that are stored, by the name that `Scorer.baselines` gives them, and their name in tables.
_BASELINES = {"copy": "sources, copied", "unrelated": "unrelated references", "references": "references, one by one"}


def score_public_systems(folder: Path, begin: Begin = str, seed: int = 12345) -> list[PublishedSystem]:
    """Score all public outputs on all test sets, with intervals, ranks and baselines.

    A system's score is the mean of those of its runs, and its interval that of the mean: a resample draws the same
    segments of all runs.

    Args:
        folder: a folder that holds the repositories under their own names.
        begin: called with the name of the next system.
        seed: of the intervals and tests.

    Raises:
        FileError: if a file is missing, cannot be read, or belongs to another test set.
    """
    how = resolve_resampling(confidence=0.95, seed=seed)
    found = []
    for test_set in TEST_SETS:
        texts = _Texts(test_set, *test_set.read(folder), how)
        systems: list[PublishedSystem] = []
        for outputs in PUBLIC_OUTPUTS:
            for name, paths in outputs.runs(folder, test_set.name):
                begin(f"{test_set.name}: {name}")
                systems.append(texts.system(outputs, name, paths))
        begin(f"{test_set.name}: ranks")
        ranks = texts.ranks()
        found += [replace(system, ranks=own) for system, own in zip(systems, ranks, strict=True)]
        found += texts.baselines()
    return found


class _Texts:
    """A test set, and what is kept of the systems that were scored on it."""

    def __init__(self, test_set: PublicTestSet, sources: list[str], references: list[list[str]], how: Resampling):
        self.test_set, self.sources, self.references, self.how = test_set, sources, references, how
        self.digest = texts_digest(sources, references)
        self.means: list[float] = []
        self.pooled: list[np.ndarray] = []
        self.ranked: CorpusStatistics | None = None

    def system(self, outputs: PublicOutputs, name: str, paths: Sequence[Path]) -> PublishedSystem:
        """Score the runs of a system under every variant."""
        runs = {str(path): self._outputs(path) for path in paths}
        words = np.array([[len(text.split()) for text in run] for run in runs.values()])
        limits = 2 * np.array([len(text.split()) for text in self.sources])
        scores = {}
        for variant in VARIANTS:
            scored = score_systems(
                SystemColumns(self.sources, runs, self.references), _resolved(variant), rows=True
            ).values()
            corpus = next(iter(scored))
            rows = np.stack([own.rows() for own in scored], axis=1)
            sample = Sample(rows, corpus.scores_of_sums, self.how.seed)
            drawn = sample.bootstrapped(self.how)[..., 0].mean(axis=1)
            values = [own.scores()["sari"] for own in scored]
            mean = fmean(values)
            low, high = self.how.ends(drawn).tolist()
            spread = (min(values), max(values)) if len(values) > 1 else (None, None)
            scores[variant] = PublishedScore(mean, low, high, *spread)
            if variant == RANKED:
                self.means.append(mean)
                self.pooled.append(rows.mean(axis=1))
                self.ranked = corpus
        return PublishedSystem(
            test_set=self.test_set.name,
            texts=self.digest,
            kind="system",
            name=name,
            year=str(outputs.year),
            publication=outputs.paper,
            repository=outputs.repository.address,
            runs=len(runs),
            empty=float((words == 0).mean()),
            long=float((words > limits).mean()),
            scores=scores,
        )

    def _outputs(self, path: Path) -> list[str]:
        rows = read_run(path)
        if len(rows) != len(self.sources):
            raise FileError(f"{path}: got {len(rows)} outputs, expected {len(self.sources)} as in {self.test_set.name}")
        for number, (row, source) in enumerate(zip(rows, self.sources, strict=True), 1):
            if row.source and row.source.split() != source.split():
                raise FileError(f"{path}:{number}: got another source than {self.test_set.name} has there")
        return [row.output.lower() if self.test_set.lowercased else row.output for row in rows]

    def baselines(self) -> Iterator[PublishedSystem]:
        """Yield the baselines under every variant."""
        scored = {name: baseline_scores(self.sources, self.references, _resolved(name)) for name in VARIANTS}
        for baseline, name in _BASELINES.items():
            scores = {
                variant: PublishedScore(own[baseline]["sari"]) for variant, own in scored.items() if baseline in own
            }
            if scores:
                yield PublishedSystem(
                    test_set=self.test_set.name,
                    texts=self.digest,
                    kind="people" if baseline == "references" else baseline,
                    name=name,
                    scores=scores,
                )

    def ranks(self) -> list[tuple[int, int]]:
        """Return the best and the worst rank of each system that tests of all pairs leave possible.

        All pairs are tested by approximate randomization, and the p-values corrected by Holm's method. With thousands
        of pairs only p-values of 0.00001 and less are significant, which would take an hour to draw. So p-values are
        those of a normal distribution with the standard deviation of the differences after swapping. Segments swap the
        means of their runs. A system is below all that are significantly better, and above all that are significantly
        worse.
        """
        if self.ranked is None or len(self.pooled) < 2:
            return [(1, 1)] * len(self.pooled)
        of_sums = self.ranked.scores_of_sums
        sample = Sample(np.stack(self.pooled, axis=1), lambda sums: of_sums(sums)[..., :1], self.how.seed)
        pairs = np.array(list(combinations(range(len(self.pooled)), 2)))
        squares = sum((chunk**2).sum(axis=0) for chunk in sample.swapped(pairs, TRIALS))
        differences = np.array(self.means)[pairs] @ [[1.0], [-1.0]]
        with np.errstate(invalid="ignore"):  # 0/0, where two systems have the same outputs
            p_values = np.nan_to_num(2 * stats.norm.sf(np.abs(differences) / np.sqrt(squares / TRIALS)), nan=1.0)
        significant = holm(p_values)[:, 0] < SIGNIFICANT
        better = np.where(differences > 0, pairs[:, :1], pairs[:, 1:])[significant, 0]
        worse = np.where(differences > 0, pairs[:, 1:], pairs[:, :1])[significant, 0]
        wins, losses = (np.bincount(own, minlength=len(self.pooled)).tolist() for own in (better, worse))
        return [(lost + 1, len(self.pooled) - won) for lost, won in zip(losses, wins, strict=True)]


def _resolved(name: str) -> Variant:
    """Return a variant, with a split of sentences that needs no downloads."""
    options: dict[str, Any] = {"sentence_splitter": split_sentences} if VARIANTS[name].penalties != "none" else {}
    return resolve_variant(name, **options)


@dataclass(frozen=True, kw_only=True)
class PublicSystemScores(Published):
    """The scores of public outputs, most of which nobody has published under most variants."""

    def compute(self, folder: Path, begin: Begin = str) -> list[Outcome]:
        """Score all systems; see `Published.compute`."""
        return outcomes_of(score_public_systems(folder, begin))


def outcomes_of(rows: Sequence[PublishedSystem]) -> list[Outcome]:
    """Return the scores of systems as figures that nobody published."""
    return [
        Outcome(
            row.name,
            "",
            score.value,
            variant,
            None if score.low is None or score.high is None else (score.low, score.high),
            row.test_set,
            variant,
        )
        for row in rows
        for variant, score in row.scores.items()
    ]


SYSTEMS = PublicSystemScores(
    name="systems",
    title="Where systems stand: public outputs under every variant",
    paper="docs/systems.md",
    repositories=tuple(
        dict.fromkeys([*(row.repository for row in TEST_SETS), *(row.repository for row in PUBLIC_OUTPUTS)])
    ),
    recipe="each variant with its own options; means of the runs of a system; 95% intervals of the means from 1,000 "
    "resamples of the segments",
    note="For dsari, sentences end in a mark before a space or between two letters.",
    unpublished="docs/systems.csv and the page made from it are what this command writes with --store.",
    steps=len(TEST_SETS) + sum(len(row.systems) * len(row.files) for row in PUBLIC_OUTPUTS),
)
