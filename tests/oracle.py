"""SARI as slowly and as plainly as it can be written: the measure of the fast one.

Every variant is spelled out from its definition with `Counter`, sets and `Fraction`; nothing of the metric is imported,
so that a mistake would have to be made twice to go unseen. All results are percentages.

Glossary, for one segment and one n-gram order: S and P count the n-grams of the source and the prediction, m is the
number of references, R counts the n-grams of all of them together.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import exp, fsum, lcm

import sacremoses
from sacrebleu.metrics.bleu import _get_tokenizer

OPERATIONS = ("keep", "delete", "add")


@dataclass(frozen=True)
class Rules:
    """Everything that sets one published SARI apart from another."""

    count: Callable
    level: str = "sentence"
    zero_division: int = 0
    deletion: str = "precision"
    addition: str = "f1"
    tokenize: object = "none"
    lowercase: bool = True
    single_spaces: bool = False
    raw_sources: bool = False
    cased_sources: bool = False
    average_first: bool = False
    penalties: str = "none"
    sentence_splitter: object = "punkt"


# ---- Texts --------------------------------------------------------------------------------------------------------


@lru_cache
def tokenizer(name):
    """Return the function that puts spaces between the tokens of a text."""
    if name == "moses":
        moses = sacremoses.MosesTokenizer()
        return lambda text: moses.tokenize(text, return_str=True, escape=False)
    return _get_tokenizer(name)()


@lru_cache(maxsize=20_000)
def spaced_by_name(text, name):
    """Tokenize `text`, once for all the variants and orders that ask for it, and leave single spaces."""
    return " ".join(tokenizer(name)(text).split())


def spaced(text, tokenize):
    """Tokenize `text`; the named tokenizers also leave single spaces, "none" and a user's own are left alone."""
    if callable(tokenize):
        return tokenize(text)
    return text if tokenize == "none" else spaced_by_name(text, tokenize)


def tokens(text, rules, *, is_source=False):
    """Return the tokens of `text`; split on single spaces, an empty text is one empty token."""
    text = text if (is_source and rules.cased_sources) or not rules.lowercase else text.lower()
    text = text if is_source and rules.raw_sources else spaced(text, rules.tokenize)
    return text.split(" ") if rules.single_spaces else text.split()


def ngrams(tokens, order):
    return [tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1)]


# ---- Counting: (precision numerator, its denominator, recall numerator, its denominator) per operation --------------


def positive(types, number):
    """Return `number` of each type where it is above 0."""
    return {t: n for t in types if (n := number(t)) > 0}


def share(good, of):
    """Sum over types the share of each that is good; equal shares are many, and multiplied instead."""
    alike = Counter((n, of[t]) for t, n in good.items())
    return sum(Fraction(times * n, whole) for (n, whole), times in alike.items())


def count_add(source, prediction, references):
    new = prediction.keys() - source.keys()
    want = references.keys() - source.keys()
    hit = new & references.keys()
    return len(hit), len(new), len(hit), len(want)


def pooled(references, order):
    return Counter(gram for reference in references for gram in ngrams(reference, order))


def count_types(source, prediction, references, order, *, keep_recall):
    """Count as Xu et al.'s script: each n-gram type has one vote, however often it stands there."""
    m = len(references)
    s, p = Counter(ngrams(source, order)), Counter(ngrams(prediction, order))
    r = pooled(references, order)

    kept = positive(s, lambda t: min(m * s[t], m * p[t]))
    should = positive(s, lambda t: min(m * s[t], r[t]))
    good = positive(kept, lambda t: min(kept[t], r[t]))
    keep = (share(good, kept), len(kept), *keep_recall(good, should))

    gone = positive(s, lambda t: m * (s[t] - p[t]))
    surplus = positive(s, lambda t: m * s[t] - r[t])
    right = share(positive(gone, lambda t: gone[t] - r[t]), gone)
    # The script divides the numerator of the precision once more, by the types that the references drop.
    delete = right, len(gone), right, len(surplus)
    return {"keep": keep, "delete": delete, "add": count_add(s, p, r)}


def count_kriz(source, prediction, references, order):
    """Count as xu2016, but what references hold beyond the prediction is all that speaks against a deletion."""
    m = len(references)
    s, p, r = Counter(ngrams(source, order)), Counter(ngrams(prediction, order)), pooled(references, order)
    gone = positive(s, lambda t: m * (s[t] - p[t]))
    surplus = positive(s, lambda t: m * s[t] - r[t])
    right = positive(gone, lambda t: gone[t] - max(r[t] - m * p[t], 0))
    delete = share(right, gone), len(gone), share(right, surplus), len(surplus)
    return {**count_xu2016(source, prediction, references, order), "delete": delete}


def recall_of_counts(good, should):
    return sum(good.values()), sum(should.values())


def recall_of_types(good, should):
    return share(good, should), len(should)


def count_hf(source, prediction, references, order):
    return count_types(source, prediction, references, order, keep_recall=recall_of_counts)


def count_xu2016(source, prediction, references, order):
    return count_types(source, prediction, references, order, keep_recall=recall_of_types)


def is_subsequence(words, source):
    """Tell whether all words stand in `source` in that order, gaps allowed."""
    rest = iter(source)
    return all(word in rest for word in words)


def is_left_over(gram, source, written):
    """Tell whether deleting words from the source is enough to get the n-gram.

    As in the authors' script: both are split at whitespace, the source is searched as it is written, in upper and lower
    case, and a word must also stand in some n-gram of the source (a source too short to have one has no such word).
    """
    words = " ".join(gram).split()
    in_ngrams = {word for source_gram in ngrams(source, len(gram)) for word in " ".join(source_gram).split()}
    return in_ngrams.issuperset(words) and is_subsequence(words, written)


def count_lens(source, prediction, references, order, written):
    """Count as xu2016, but no hit for what arose only because the words between were deleted."""
    counts = count_xu2016(source, prediction, references, order)
    s, p = set(ngrams(source, order)), set(ngrams(prediction, order))
    hit = sum(not is_left_over(gram, source, written) for gram in (p - s) & pooled(references, order).keys())
    _, new, _, want = counts["add"]
    return {**counts, "add": (hit, new, hit, want)}


def count_easse(source, prediction, references, order, m=None):
    """Count as EASSE: every occurrence counts."""
    m = m or len(references)
    s, p = Counter(ngrams(source, order)), Counter(ngrams(prediction, order))
    r = pooled(references, order)

    kept = Counter({t: min(m * s[t], m * p[t]) for t in s})
    should = Counter({t: min(m * s[t], r[t]) for t in s})
    keep = sum(min(kept[t], should[t]) for t in s)

    gone = Counter({t: max(m * s[t] - m * p[t], 0) for t in s})
    surplus = Counter({t: max(m * s[t] - r[t], 0) for t in s})
    delete = sum(min(gone[t], surplus[t]) for t in s)
    return {
        "keep": (keep, kept.total(), keep, should.total()),
        "delete": (delete, gone.total(), delete, surplus.total()),
        "add": count_add(s, p, r),
    }


def count_star(source, prediction, references, order):
    """Count as Joshua's STAR.java: as if there were 8 references, however many there are."""
    return count_easse(source, prediction, references, order, m=8)


def count_t2t(source, prediction, references, order):
    """Count as Tensor2Tensor: sets of n-grams, and one weighs as much as the share of the references that hold it.

    References too short to have any n-gram do not count; without any other, all weights are 0.
    """
    s, p = dict.fromkeys(ngrams(source, order), 1), dict.fromkeys(ngrams(prediction, order), 1)
    long_enough = [grams for reference in references if (grams := set(ngrams(reference, order)))]
    holders = Counter(t for grams in long_enough for t in grams)
    m = max(len(long_enough), 1)
    kept, gone = s.keys() & p.keys(), s.keys() - p.keys()

    def weight(grams):
        return Fraction(sum(holders[t] for t in grams), m)

    keep, delete = weight(kept), len(gone) - weight(gone)
    return {
        "keep": (keep, len(kept), keep, weight(s)),
        "delete": (delete, len(gone), delete, len(s) - weight(s)),
        "add": count_add(s, p, holders),
    }


def count_set(source, prediction, references, order):
    """Count with plain sets, the references united; the keep recall divides by all of source and references."""
    s, p = set(ngrams(source, order)), set(ngrams(prediction, order))
    r = set(pooled(references, order))
    keep, delete, hit = len(s & p & r), len(s - p - r), len((p - s) & r)
    return {
        "keep": (keep, len(s & p), keep, len(s | r)),
        "delete": (delete, len(s - p), delete, len(s - r)),
        "add": (hit, len(p - s), hit, len(r - s)),
    }


HF = Rules(count_hf, zero_division=1, tokenize="13a", single_spaces=True)
XU2016 = Rules(count_xu2016, single_spaces=True)
EASSE = Rules(count_easse, level="corpus", deletion="f1", tokenize="13a")
T2T = Rules(count_t2t, zero_division=1)
VARIANTS = {
    "hf": HF,
    "xu2016": XU2016,
    "lens": replace(XU2016, count=count_lens),
    "kriz": replace(XU2016, count=count_kriz, zero_division=1),
    "easse": EASSE,
    "easse_legacy": replace(EASSE, lowercase=False, raw_sources=True),
    "easse_multi": replace(EASSE, raw_sources=True, cased_sources=True),
    "star": replace(EASSE, count=count_star, lowercase=False, raw_sources=True),
    "paper": replace(EASSE, deletion="precision", average_first=True),
    "t2t": T2T,
    "lasertagger": replace(T2T, deletion="f1"),
    "set": Rules(count_set, deletion="f1", addition="precision"),
    "dsari": replace(XU2016, penalties="dsari"),
}


# ---- Penalties for documents ----------------------------------------------------------------------------------------


@lru_cache
def punkt():
    """Return NLTK's own splitter."""
    from nltk.tokenize import PunktTokenizer

    return PunktTokenizer("english").tokenize


def penalties(source, prediction, references, rules):
    """Return what the score of each operation is multiplied by, as Sun, Jin and Wan (2021) define it."""
    if rules.penalties == "none":
        return dict.fromkeys(OPERATIONS, 1.0)

    def length(text, **role):
        return max(len(tokens(text, rules, **role)), 1)

    def sentences(text):
        text = " ".join(tokens(text, rules)) if rules.penalties == "plan_simp" else text
        return len(punkt()(text) if rules.sentence_splitter == "punkt" else rules.sentence_splitter(text))

    i, o = length(source, is_source=True), length(prediction)
    r = sum(length(reference) for reference in references) // len(references)
    lp1 = exp((o - r) / o) if o < r else 1.0
    lp2 = exp((r - o) / max(i - r, 1)) if o > r else 1.0
    ours, theirs = sentences(prediction), sum(map(sentences, references)) // len(references)
    slp = exp(-abs(theirs - ours) / max(theirs, ours)) if theirs or ours else 1.0
    return {"keep": lp2 * slp, "delete": lp2, "add": lp1}


def penalized(scores, factors):
    operations = {operation: scores[operation] * factors[operation] for operation in OPERATIONS}
    return {"sari": fsum(operations.values()) / len(operations), **operations}


# ---- From counts to scores ------------------------------------------------------------------------------------------


def ratio(numerator, denominator, rules):
    return Fraction(numerator, denominator) if denominator else Fraction(rules.zero_division)


def f1(precision, recall):
    """Return 2 * precision * recall / (precision + recall), with one division for all."""
    (p, of_p), (r, of_r) = precision.as_integer_ratio(), recall.as_integer_ratio()
    return Fraction(2 * p * r, p * of_r + r * of_p) if p or r else Fraction(0)


def figures(counts, rules):
    """Return precision and recall of each operation, from the counts of one order."""
    return {
        operation: (ratio(*counts[operation][:2], rules), ratio(*counts[operation][2:], rules))
        for operation in OPERATIONS
    }


def blend(operation, precision, recall, rules):
    """Return the score of an operation: its F1, or its precision alone."""
    taken = {"keep": "f1", "delete": rules.deletion, "add": rules.addition}[operation]
    return precision if taken == "precision" else f1(precision, recall)


def mean(values):
    """Return the mean of fractions, added up over a common denominator."""
    whole = lcm(*(value.denominator for value in values))
    return Fraction(sum(value.numerator * (whole // value.denominator) for value in values), whole * len(values))


def percentage(value):
    return 100 * value.numerator / value.denominator


def operation_score(operation, per_order, rules):
    pairs = [order[operation] for order in per_order]
    if rules.average_first:
        precisions, recalls = zip(*pairs, strict=True)
        return blend(operation, mean(precisions), mean(recalls), rules)
    return mean([blend(operation, *pair, rules) for pair in pairs])


def scores(counts_per_order, rules):
    """Return sari, keep, delete and add from the counts of every order."""
    per_order = [figures(counts, rules) for counts in counts_per_order]
    result = {operation: operation_score(operation, per_order, rules) for operation in OPERATIONS}
    return {name: percentage(value) for name, value in {"sari": mean(result.values()), **result}.items()}


def order_table(order, counts, rules):
    table = {"order": order}
    for operation, (precision, recall) in figures(counts, rules).items():
        row = {"precision": precision, "recall": recall, "f1": f1(precision, recall)}
        row["score"] = blend(operation, precision, recall, rules)
        table[operation] = {name: percentage(value) for name, value in row.items()}
    return table


def segment_counts(source, prediction, references, rules, max_order):
    """Count one segment: a list over orders."""
    # Only `lens` asks for the words of the source as it is written.
    written = {"written": spaced(source, rules.tokenize).split()} if rules.count is count_lens else {}
    source = tokens(source, rules, is_source=True)
    prediction = tokens(prediction, rules)
    references = [tokens(reference, rules) for reference in references]
    return [rules.count(source, prediction, references, order, **written) for order in range(1, max_order + 1)]


def segment_scores(rules, segments, sources, predictions, references):
    """Return the scores of each segment, with its penalties."""
    rows = zip(segments, sources, predictions, references, strict=True)
    return [penalized(scores(segment, rules), penalties(*texts, rules)) for segment, *texts in rows]


def summed(segments):
    """Add up the counts of segments: a list over orders."""
    return [
        {o: tuple(map(sum, zip(*(counts[o] for counts in order), strict=True))) for o in OPERATIONS}
        for order in zip(*segments, strict=True)
    ]


def counted(sources, predictions, references, variant="hf", max_order=4, **options):
    """Return the rules that variant and options make, and the counts of every unit that is scored by itself."""
    chosen = {name: value for name, value in options.items() if value is not None}
    rules = replace(VARIANTS[variant], **chosen)
    rows = zip(sources, predictions, references, strict=True)
    return rules, [segment_counts(*row, rules, max_order) for row in rows]


def average(rows):
    """Average equal-shaped dicts of numbers, nested ones too."""
    first = rows[0]
    return {
        key: average([row[key] for row in rows])
        if isinstance(first[key], dict)
        else fsum(r[key] for r in rows) / len(rows)
        for key in first
    }


def columns(rows):
    return {name: [row[name] for row in rows] for name in ("sari", *OPERATIONS)}


# ---- What the tests call --------------------------------------------------------------------------------------------


def score(sources, predictions, references, **options):
    """Return sari, keep, delete and add of a corpus."""
    rules, segments = counted(sources, predictions, references, **options)
    if rules.level == "corpus":
        return scores(summed(segments), rules)
    return average(segment_scores(rules, segments, sources, predictions, references))


def sentences(sources, predictions, references, **options):
    """Return the four lists of scores of the segments, each scored alone."""
    rules, segments = counted(sources, predictions, references, **options)
    return columns(segment_scores(rules, segments, sources, predictions, references))


def details(sources, predictions, references, **options):
    """Return what `score` does, with "sentences", and the figures of each n-gram order as "orders"."""
    rules, segments = counted(sources, predictions, references, **options)
    rows = segment_scores(rules, segments, sources, predictions, references)
    alone = rules.level == "sentence"
    units = segments if alone else [summed(segments)]  # each is scored by itself
    orders = [
        average([order_table(order, counts, rules) for counts in column])
        for order, column in enumerate(zip(*units, strict=True), start=1)
    ]
    whole = average(rows) if alone else scores(*units, rules)
    return {**whole, "orders": orders, "sentences": columns(rows)}
