"""Published correlations of SARI with ratings by people."""

import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from sari.corpus_statistics import score_columns
from sari.human_ratings.correlation import pairwise_agreement
from sari.research.collections_of_ratings import rated_by_number, references_of_2022
from sari.research.outcomes import Outcome, Published
from sari.research.repositories import EASSE, LENS, METAEVAL, mean_of, numbered
from sari.validation import Columns
from sari.variants import resolve_variant

#: What the authors of Simplicity-DA set on top of EASSE's counts.
_METAEVAL = {"tokenize": "moses", "lowercase": False, "deletion": "precision"}
_METAEVAL_WORDS = "variant easse with tokenize moses, cased, deletion precision; each sentence scored alone"
_METAEVAL_PAPER = "https://aclanthology.org/2021.cl-4.28"


@dataclass(frozen=True, kw_only=True)
class PearsonOfSentences(Published):
    """Pearson of sentence scores and ratings, by sets of references.

    Attributes:
        file, rating: the file of the ratings, and their column.
        printed: the figure as printed, by sets of references.
        absolute: whether figures are printed without their sign; then ours is shown with its sign, too.
    """

    file: str
    rating: str
    printed: Mapping[tuple[str, ...], str]
    absolute: bool = False

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Score each sentence; see `Published.outcomes`."""
        for sets, printed in self.printed.items():
            rated = rated_by_number(folder, self.file, self.rating, sets)
            scores, signature = _sentence_scores(rated.texts, "easse", _METAEVAL)
            value, name = float(stats.pearsonr(scores, rated.ratings).statistic), ", ".join(sets)
            if self.absolute:
                yield Outcome(f"{name}, without its sign", printed, abs(value), signature)
            yield Outcome(name, "" if self.absolute else printed, value, signature)


@dataclass(frozen=True, kw_only=True)
class PairsOfSentences(Published):
    """Kendall's tau over pairs of outputs for one source, on which two of three raters of SimpEval 2022 agree.

    Attributes:
        printed: the figure as printed, by the kind of outputs; "all" for pairs of any one kind.
    """

    printed: Mapping[str, str]

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Score each sentence; see `Published.outcomes`."""
        file, raters = "data/simpeval_2022.csv", numbered("rating_{}", range(1, 4))
        rows = LENS.table(folder, file, ["original", "generation", "sentence_type", *raters])
        sources = [text.strip().lower() for text in rows["original"]]
        outputs = [joined_marks(*pair).lower() for pair in zip(rows["generation"], sources, strict=True)]
        texts = Columns(sources, outputs, references_of_2022(folder, sources, file))
        scores, signature = _sentence_scores(texts, "lens", {"tokenize": nltk_words()})
        judgements = np.column_stack([mean_of(rows, [rater], file) for rater in raters])
        kinds = rows["sentence_type"]
        groups = (kinds + " " + sources).to_numpy()
        for kind, printed in self.printed.items():
            kept = (kinds == kind).to_numpy() | (kind == "all")
            value = pairwise_agreement(scores[kept], judgements[kept], groups[kept].tolist(), threshold=5)
            yield Outcome(kind, printed, value, signature)


def joined_marks(output: str, source: str) -> str:
    """Join single punctuation marks to their neighbours if the source has them joined.

    As the authors of LENS prepare outputs (experiments/meta_evaluation/data_loader/dataset.py, commit 8fa5b14).

    >>> joined_marks("it 's so , he said .", "it's so, he said.")
    "it 's so, he said ."
    """
    text = output.replace(" || ", " ").replace("||", "").replace(" <SEP> ", " ")
    tokens = text.split()
    for before, mark, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if mark in string.punctuation:
            for parts in ((before, mark, after), (before, mark), (mark, after)):
                if "".join(parts) in source:
                    text = text.replace(" ".join(parts), "".join(parts))
                    break
    return text


def nltk_words() -> Callable[[str], str]:
    """Return NLTK's tokenizer: sentences by Punkt, words by the rules of the Penn Treebank.

    Raises:
        ImportError: if NLTK or its data are missing; nothing is downloaded.
    """
    try:
        from nltk.tokenize import word_tokenize

        word_tokenize("It is so.")
    except (ImportError, LookupError):
        raise ImportError(
            "these figures need NLTK and its Punkt: pip install nltk, python -m nltk.downloader punkt_tab"
        ) from None

    def nltk_word_tokenize(text: str) -> str:
        return " ".join(word_tokenize(text))

    return nltk_word_tokenize


def _sentence_scores(texts: Columns, variant: str, options: Mapping[str, Any]) -> tuple[np.ndarray, str]:
    """Return the SARI of each segment, scored alone, and the signature."""
    corpus = score_columns(texts, resolve_variant(variant, level="sentence", **options), sentences=True)
    return np.array(corpus.sentences()["sari"]), corpus.signature


RATING_CORRELATIONS = (
    PearsonOfSentences(
        name="simplicity-da",
        title="Alva-Manchego et al. 2021, Pearson of SARI with Simplicity-DA",
        paper=_METAEVAL_PAPER,
        repositories=(METAEVAL, EASSE),
        recipe=_METAEVAL_WORDS,
        file="simplicity_DA.csv",
        rating="simplicity_zscore",
        printed={
            ("ASSET",): "0.359",
            ("TurkCorpus",): "0.341",
            ("HSplit",): "0.192",
            ("ASSET", "TurkCorpus", "HSplit"): "0.353",
        },
    ),
    PearsonOfSentences(
        name="structural-simplicity",
        title="Alva-Manchego et al. 2021, Pearson of SARI with structural simplicity",
        paper=_METAEVAL_PAPER,
        repositories=(METAEVAL, EASSE),
        recipe=f"{_METAEVAL_WORDS}, references of HSplit",
        note="The authors' script takes the absolute value: SARI falls where structural simplicity rises.",
        file="structural_simplicity.csv",
        rating="structural_simplicity",
        printed={("HSplit",): "0.313"},
        absolute=True,
    ),
    PairsOfSentences(
        name="lens",
        title="Maddela et al. 2023 (LENS), table 2, SARI on SimpEval 2022: Kendall's tau over pairs",
        paper="https://aclanthology.org/2023.acl-long.905",
        repositories=(LENS,),
        recipe="variant lens with nltk's word_tokenize (it needs NLTK's Punkt); xu2016 gives the same",
        printed={"Paraphrases": "0.206", "Splittings": "0.140", "all": "0.149"},
    ),
)
