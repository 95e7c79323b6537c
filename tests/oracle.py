"""SARI as slowly and as plainly as it can be written: the measure of the fast one.

Every variant is spelled out from its definition with `Counter` and `Fraction`; nothing of the metric is imported, so
that a mistake would have to be made twice to go unseen. All results are percentages.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import exp

import sacremoses
from sacrebleu.metrics.bleu import _get_tokenizer

OPERATIONS = ("keep", "delete", "add")
NAMES = ("sari", *OPERATIONS)
NO_PENALTIES = dict.fromkeys(OPERATIONS, 1.0)


@dataclass(frozen=True)
class Rules:
    """Everything that sets one published SARI apart from another."""

    count: Callable
    level: str = "sentence"
    zero_division: float = 0
    deletion: str = "precision"
    addition: str = "f1"
    tokenize: object = "none"
    lowercase: bool = True
    single_spaces: bool = False
    raw_sources: bool = False
    cased_sources: bool = False
    source_weight: int | None = None
    max_order: int = 4
    average_first: bool = False
    penalties: str = "none"
    sentence_splitter: object = "punkt"

    @property
    def chosen(self):
        """Which figure is the score of each operation."""
        return {"keep": "f1", "delete": self.deletion, "add": self.addition}


# ---- Texts --------------------------------------------------------------------------------------------------------


@lru_cache
def tokenizer(name):
    """Return the function that puts spaces between the tokens of a text."""
    if name == "moses":
        moses = sacremoses.MosesTokenizer()
        return lambda text: moses.tokenize(text, return_str=True, escape=False)
    return _get_tokenizer(name)()


@lru_cache(maxsize=20_000)
def spaced(text, tokenize):
    """Tokenize `text`; named tokenizers also leave single spaces, "none" and a user's own leave other whitespace."""
    if callable(tokenize):
        return tokenize(text)
    return text if tokenize == "none" else " ".join(tokenizer(tokenize)(text).split())


def tokens(text, rules, *, is_source=False):
    """Return the tokens of `text`; split on single spaces, an empty text is one empty token."""
    text = text if (is_source and rules.cased_sources) or not rules.lowercase else text.lower()
    text = text if is_source and rules.raw_sources else spaced(text, rules.tokenize)
    return text.split(" ") if rules.single_spaces else text.split()


def ngrams(tokens, order):
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


# ---- Counting one order of one segment ------------------------------------------------------------------------------
#
# s and p count the n-grams of the source and of the prediction, times the number of references; `references` counts
# those of each, r those of all together. Of Counters, & is the smaller number of each n-gram, | the larger one, and -
# the difference, if it is positive. Counted are numerator and denominator of precision, then those of recall.


def pooled(references):
    return sum(references, Counter())


def once(counted):
    """Count each n-gram once."""
    return Counter(counted.keys())


def occurrences(right, done, wanted):
    """Count every occurrence."""
    return right.total(), done.total(), right.total(), wanted.total()


def count_add(s, p, r):
    """Count added n-grams as sets, as all variants do."""
    s, p, r = once(s), once(p), once(r)
    return occurrences((p - s) & r, p - s, r - s)


def share(good, whole):
    """Sum over n-grams the share of each that is good."""
    return sum(Fraction(number, whole[ngram]) for ngram, number in good.items())


def count_xu2016(s, p, references):
    """Count as Xu et al.'s script: each distinct n-gram has one vote, however often it stands there."""
    r = pooled(references)
    kept, should, gone = s & p, s & r, s - p
    good, right = kept & r, share(gone - r, gone)
    return {
        "keep": (share(good, kept), len(kept), share(good, should), len(should)),
        "delete": (right, len(gone), right, len(s - r)),
        "add": count_add(s, p, r),
    }


def count_hf(s, p, references):
    """Count as xu2016, but the recall of keep counts every occurrence."""
    counts, should = count_xu2016(s, p, references), s & pooled(references)
    return {**counts, "keep": (*counts["keep"][:2], (should & p).total(), should.total())}


def count_kriz(s, p, references):
    """Count as xu2016, but what references hold beyond the prediction is all that speaks against a deletion."""
    r = pooled(references)
    gone, surplus = s - p, s - r
    right = gone - (r - p)
    delete = share(right, gone), len(gone), share(right, surplus), len(surplus)
    return {**count_xu2016(s, p, references), "delete": delete}


def count_lens(s, p, references, written):
    """Count as xu2016, but no hit for what arises by deleting the words between.

    As in the authors' script: n-grams are split at whitespace, the source is searched as it is written, in upper and
    lower case, and a word must also stand in an n-gram of the source (one too short to have any has no such word).
    """
    counts = count_xu2016(s, p, references)
    known = {word for ngram in s for word in " ".join(ngram).split()}

    def is_left_over(ngram):
        words, rest = " ".join(ngram).split(), iter(written)
        return known.issuperset(words) and all(word in rest for word in words)  # in this order, gaps allowed

    hit = sum(not is_left_over(ngram) for ngram in (p.keys() - s.keys()) & pooled(references).keys())
    _, new, _, want = counts["add"]
    return {**counts, "add": (hit, new, hit, want)}


def count_easse(s, p, references):
    """Count as EASSE: every occurrence counts."""
    r = pooled(references)
    kept, should, gone, surplus = s & p, s & r, s - p, s - r
    return {
        "keep": occurrences(kept & should, kept, should),
        "delete": occurrences(gone & surplus, gone, surplus),
        "add": count_add(s, p, r),
    }


def count_t2t(s, p, references):
    """Count as Tensor2Tensor: sets of n-grams, and one weighs as much as the share of the references that hold it.

    References too short to have any n-gram do not count; without any other, all weights are 0.
    """
    long_enough = [once(reference) for reference in references if reference]
    holders, m = pooled(long_enough), max(len(long_enough), 1)
    kept, gone = s.keys() & p.keys(), s.keys() - p.keys()

    def weight(grams):
        return Fraction(sum(holders[ngram] for ngram in grams), m)

    keep, delete = weight(kept), len(gone) - weight(gone)
    return {
        "keep": (keep, len(kept), keep, weight(s)),
        "delete": (delete, len(gone), delete, len(s) - weight(s)),
        "add": count_add(s, p, holders),
    }


def count_set(s, p, references):
    """Count with plain sets, the references united; the keep recall divides by all of source and references."""
    s, p, r = once(s), once(p), once(pooled(references))
    return {
        "keep": occurrences(s & p & r, s & p, s | r),
        "delete": occurrences(s - p - r, s - p, s - r),
        "add": count_add(s, p, r),
    }


XU2016 = Rules(count_xu2016, single_spaces=True)
EASSE = Rules(count_easse, level="corpus", deletion="f1", tokenize="13a")
T2T = Rules(count_t2t, zero_division=1)
VARIANTS = {
    "hf": Rules(count_hf, zero_division=1, tokenize="13a", single_spaces=True),
    "xu2016": XU2016,
    "lens": replace(XU2016, count=count_lens),
    "kriz": replace(XU2016, count=count_kriz, zero_division=1),
    "easse": EASSE,
    "easse_legacy": replace(EASSE, lowercase=False, raw_sources=True),
    "easse_multi": replace(EASSE, raw_sources=True, cased_sources=True),
    "star": replace(EASSE, source_weight=8, lowercase=False, raw_sources=True),
    "paper": replace(EASSE, deletion="precision", average_first=True),
    "t2t": T2T,
    "lasertagger": replace(T2T, deletion="f1"),
    "set": Rules(count_set, deletion="f1", addition="precision"),
    "dsari": replace(XU2016, penalties="dsari"),
}


def segment_counts(source, prediction, references, rules):
    """Count one segment: a list over orders."""
    m = rules.source_weight or len(references)
    # Only `lens` asks for the words of the source as it is written.
    written = {"written": spaced(source, rules.tokenize).split()} if rules.count is count_lens else {}
    source, prediction = tokens(source, rules, is_source=True), tokens(prediction, rules)
    references = [tokens(reference, rules) for reference in references]
    counts = []
    for order in range(1, rules.max_order + 1):
        s, p = (
            Counter({ngram: m * times for ngram, times in ngrams(text, order).items()}) for text in (source, prediction)
        )
        counts.append(rules.count(s, p, [ngrams(reference, order) for reference in references], **written))
    return counts


# ---- Penalties for documents ----------------------------------------------------------------------------------------


@lru_cache
def punkt():
    """Return NLTK's own splitter."""
    from nltk.tokenize import PunktTokenizer

    return PunktTokenizer("english").tokenize


def penalties(source, prediction, references, rules):
    """Return what the score of each operation is multiplied by, as Sun, Jin and Wan (2021) define it."""
    if rules.penalties == "none":
        return NO_PENALTIES

    def length(text, **role):
        return max(len(tokens(text, rules, **role)), 1)

    def sentences(text):
        text = " ".join(tokens(text, rules)) if rules.penalties == "plan_simp" else text
        return len(punkt()(text) if rules.sentence_splitter == "punkt" else rules.sentence_splitter(text))

    i, o = length(source, is_source=True), length(prediction)
    r = sum(map(length, references)) // len(references)
    lp1 = exp((o - r) / o) if o < r else 1.0
    lp2 = exp((r - o) / max(i - r, 1)) if o > r else 1.0
    ours, theirs = sentences(prediction), sum(map(sentences, references)) // len(references)
    slp = exp(-abs(theirs - ours) / max(theirs, ours)) if theirs or ours else 1.0
    return {"keep": lp2 * slp, "delete": lp2, "add": lp1}


# ---- From counts to scores ------------------------------------------------------------------------------------------


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision or recall else Fraction(0)


def mean(values):
    return sum(values) / len(values)


def figures(counts, rules):
    """Return precision, recall and F1 of an operation, from its counts of one order."""
    right, done, recalled, wanted = counts
    precision = Fraction(right, done) if done else Fraction(rules.zero_division)
    recall = Fraction(recalled, wanted) if wanted else Fraction(rules.zero_division)
    return {"precision": precision, "recall": recall, "f1": f1(precision, recall)}


def means(rows):
    """Return the means of figures or of scores."""
    return {name: mean([row[name] for row in rows]) for name in rows[0]}


def scores(orders, rules, factors):
    """Return SARI and its operations from the counts of every order, and what penalties multiply them by."""
    operations = {}
    for operation, chosen in rules.chosen.items():
        figure = means([figures(counts[operation], rules) for counts in orders])
        if rules.average_first:
            figure["f1"] = f1(figure["precision"], figure["recall"])
        operations[operation] = float(100 * figure[chosen]) * factors[operation]
    return {"sari": mean(operations.values()), **operations}


def order_figures(order, units, rules):
    """Return the figures of one order: the means of those of the units that are scored by themselves."""
    row = {"order": order}
    for operation, chosen in rules.chosen.items():
        figure = means([figures(counts[order - 1][operation], rules) for counts in units])
        row[operation] = {name: float(100 * value) for name, value in {**figure, "score": figure[chosen]}.items()}
    return row


def summed(segments):
    """Add up the counts of segments: a list over orders."""
    return [
        {name: tuple(map(sum, zip(*(counts[name] for counts in order), strict=True))) for name in OPERATIONS}
        for order in zip(*segments, strict=True)
    ]


def details(sources, predictions, references, variant="hf", **options):
    """Return the scores of a corpus, with those of "sentences", each scored alone, and figures of "orders"."""
    rules = replace(VARIANTS[variant], **options)
    texts = list(zip(sources, predictions, references, strict=True))
    segments = [segment_counts(*row, rules) for row in texts]
    alone = [scores(counts, rules, penalties(*row, rules)) for counts, row in zip(segments, texts, strict=True)]
    units = segments if rules.level == "sentence" else [summed(segments)]
    return {
        **(means(alone) if rules.level == "sentence" else scores(*units, rules, NO_PENALTIES)),
        "orders": [order_figures(order, units, rules) for order in range(1, rules.max_order + 1)],
        "sentences": {name: [row[name] for row in alone] for name in NAMES},
    }


def score(*columns, **options):
    """Return the scores of a corpus alone."""
    found = details(*columns, **options)
    return {name: found[name] for name in NAMES}
